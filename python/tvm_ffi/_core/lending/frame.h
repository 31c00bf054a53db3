// SPDX-License-Identifier: Apache-2.0
// Stack state of a call from Python: the packed arguments and what to undo after the call.
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

  // `name` is the function's name, for messages; `trusted` skips the check for lazy views. If
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

  // Takes a reference and keeps it until the call is over.
  void keep(TVMFFIObject* owned) { objects_[num_objects_++] = owned; }
  void keep(LentTensor* lent) { tensors_[num_tensors_++] = lent; }
  // A tensor in a container, which holds its own reference.
  void keep_element(LentTensor* lent) {
    lent->next_free = element_tensors_;
    element_tensors_ = lent;
  }

  // Prepends a step such as "element 3 (type): " to the path to the value that could not be packed.
  void prepend_to_path(nb::object step);
  // That path, a str, or NULL.
  PyObject* path() const { return path_.ptr(); }

  // Records that an argument is a framework tensor; `framework` may be NULL (tvm_ffi.Tensor).
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

  // Makes `stream` the device's current stream until the call is over; the first argument on a
  // device decides. 0, or -1 with a Python error set.
  int set_stream(DLDevice device, void* stream, const Framework* source);
  bool has_stream(DLDevice device) const { return stream_change(device) != nullptr; }
  // Whether the call runs, or will run, on the framework's current stream on the device.
  bool follows(const Framework* framework, DLDevice device) const;

  // Installs the framework's allocator in the environment, and makes the tensors visible to
  // argument_that_holds(); finish() undoes both.
  void enter();

  // Undoes everything, once. Needs the GIL and no Python error set; -1 with a Python error set.
  int finish();

  // Forgets the calls of threads that do not exist in a forked child. Needs the GIL.
  static void forget_other_threads();

  // Like finish(), for a failed call: a Python error already set is kept, later ones are dropped.
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
  // Removes the call from the list of calls in progress.
  void unlist();

  // A list of calls in progress with tensors; calls in several threads finish in any order.
  bool is_listed_ = false;
  unsigned long thread_ = 0;
  CallFrame* older_ = nullptr;
  CallFrame* newer_ = nullptr;
  TVMFFIAny inline_arguments_[kInlineArguments];
  TVMFFIObject* inline_objects_[kInlineArguments];
  LentTensor* inline_tensors_[kInlineArguments];
  StreamChange streams_[kMaxStreams];
};

// The argument Tensor of a call in progress that keeps the memory of `view` alive, or NULL;
// borrowed until its call is over. Needs the GIL.
TVMFFIObject* argument_that_holds(const DLTensor& view);

}  // namespace tvm_ffi_core

#endif  // TVM_FFI_PYTHON_CORE_FRAME_H_
