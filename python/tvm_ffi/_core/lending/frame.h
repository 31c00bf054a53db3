// SPDX-License-Identifier: Apache-2.0
// What one call from Python holds on the stack: the packed arguments and what to undo after it.
#ifndef TVM_FFI_PYTHON_CORE_FRAME_H_
#define TVM_FFI_PYTHON_CORE_FRAME_H_

#include "lending/framework.h"
#include "lending/lent_tensor.h"

namespace tvm_ffi_core {

struct StreamChange {
  DLDevice device;
  void* original;
  const Framework* source;  // whose current stream it is; NULL if a tensor reported its own
};

class CallFrame {
 public:
  static constexpr int kInlineArguments = 12;
  static constexpr int kMaxStreams = 8;

  // `name` is that of the function, for messages; `trusted` skips the check for lazy views. When
  // out of memory, ok() is false and a Python error is set.
  CallFrame(PyObject* name, bool trusted, int num_args);
  bool ok() const { return arguments_ != nullptr; }
  // finish() must have been called.
  ~CallFrame();
  CallFrame(const CallFrame&) = delete;
  CallFrame& operator=(const CallFrame&) = delete;

  TVMFFIAny* arguments() { return arguments_; }
  PyObject* name() const { return name_; }
  int num_args() const { return num_args_; }
  bool trusted() const { return trusted_; }
  const Framework* framework() const { return framework_; }

  // Keeps a reference until the call is over; takes it.
  void keep(TVMFFIObject* owned) { objects_[num_objects_++] = owned; }
  void keep(LentTensor* lent) { tensors_[num_tensors_++] = lent; }
  // A tensor in a container, which owns a reference of its own.
  void keep_element(LentTensor* lent) {
    lent->next_free = element_tensors_;
    element_tensors_ = lent;
  }

  // Puts "element 3 (type): " and the like before the path to the value that could not be packed.
  void prepend_to_path(nb::object step);
  // That path, a str, or NULL.
  PyObject* path() const { return path_.ptr(); }

  // Notes that an argument is a tensor of the framework; `framework` may be NULL (tvm_ffi.Tensor).
  void saw_tensor_of(const Framework* framework) {
    if (saw_tensor_ && framework_ == framework) return;
    if (!saw_tensor_) {
      framework_ = framework;
      saw_tensor_ = true;
    } else if (framework_ != framework) {
      if (framework != nullptr && framework->wins) {
        framework_ = framework;
      } else if (framework_ == nullptr || !framework_->wins) {
        framework_ = nullptr;
      }
    }
    if (framework != nullptr && allocating_ == nullptr && framework->can_allocate()) {
      allocating_ = framework;
    }
  }

  // Makes `stream` the device's current one until the call is over; the first argument on a device
  // decides. 0, or -1 with a Python error.
  int set_stream(DLDevice device, void* stream, const Framework* source);
  bool has_stream(DLDevice device) const { return stream_change(device) != nullptr; }
  // Whether the call runs, or will run, on the framework's current stream on the device.
  bool follows(const Framework* framework, DLDevice device) const;

  // Makes the frameworks' allocator the environment's, and the tensors known to
  // argument_that_holds(); finish() undoes both.
  void enter();

  // Undoes everything, once. Needs the GIL and no Python error; -1 with a Python error.
  int finish();

  // Forgets the calls of threads that the child of a fork does not have. Needs the GIL.
  static void forget_other_threads();

  // As finish(), for a call that failed: a Python error that is set stays, later ones are dropped.
  void abandon();

 private:
  const StreamChange* stream_change(DLDevice device) const;

  friend TVMFFIObject* argument_that_holds(const DLTensor& view);

  PyObject* name_;
  bool trusted_;
  bool saw_tensor_ = false;
  bool allocator_is_set_ = false;
  const Framework* framework_ = nullptr;
  const Framework* allocating_ = nullptr;
  const Framework* original_allocating_ = nullptr;
  DLPackManagedTensorAllocator original_allocator_ = nullptr;
  TVMFFIAny* arguments_;
  TVMFFIObject** objects_;
  LentTensor** tensors_;
  int num_args_;
  int num_objects_ = 0;
  int num_tensors_ = 0;
  int num_streams_ = 0;
  LentTensor* element_tensors_ = nullptr;
  nb::object path_;
  void* heap_ = nullptr;
  // Takes the call off the list of those in progress.
  void unlist();

  // Calls in progress with tensors; several threads' calls end in any order.
  bool is_listed_ = false;
  unsigned long thread_ = 0;
  CallFrame* older_ = nullptr;
  CallFrame* newer_ = nullptr;
  TVMFFIAny inline_arguments_[kInlineArguments];
  TVMFFIObject* inline_objects_[kInlineArguments];
  LentTensor* inline_tensors_[kInlineArguments];
  StreamChange streams_[kMaxStreams];
};

// The Tensor among the arguments of the calls in progress that keeps the memory of `view`, or NULL;
// lent until its call ends. Needs the GIL.
TVMFFIObject* argument_that_holds(const DLTensor& view);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FRAME_H_
