// SPDX-License-Identifier: Apache-2.0
// Stack state of a call from Python: the packed arguments and what to undo after the call.
#include "lending/frame.h"

#include <cstdlib>
#include <optional>

#include "base/error.h"
#include "lending/allocation.h"
#include "lending/memory_span.h"

namespace tvm_ffi_core {

namespace {

CallFrame* newest_frame = nullptr;  // guarded by the GIL

}  // namespace

CallFrame::CallFrame(PyObject* name, bool trusted, int num_args)
    : name_(name), trusted_(trusted), num_args_(num_args) {
  if (num_args <= kInlineArguments) {
    arguments_ = inline_arguments_;
    objects_ = inline_objects_;
    tensors_ = inline_tensors_;
    return;
  }
  size_t count = static_cast<size_t>(num_args);
  heap_ = std::malloc(count * (sizeof(TVMFFIAny) + 2 * sizeof(void*)));
  arguments_ = static_cast<TVMFFIAny*>(heap_);
  if (heap_ == nullptr) {
    PyErr_NoMemory();
    return;
  }
  objects_ = reinterpret_cast<TVMFFIObject**>(arguments_ + count);
  tensors_ = reinterpret_cast<LentTensor**>(objects_ + count);
}

CallFrame::~CallFrame() { std::free(heap_); }

const StreamChange* CallFrame::stream_change(DLDevice device) const {
  for (int i = 0; i < num_streams_; ++i) {
    if (streams_[i].device.device_type == device.device_type &&
        streams_[i].device.device_id == device.device_id) {
      return &streams_[i];
    }
  }
  return nullptr;
}

bool CallFrame::follows(const Framework* framework, DLDevice device) const {
  const StreamChange* change = stream_change(device);
  return change == nullptr || change->source == framework;
}

int CallFrame::set_stream(DLDevice device, void* stream, const Framework* source) {
  if (has_stream(device)) return 0;
  if (num_streams_ == kMaxStreams) {
    PyErr_Format(PyExc_ValueError, "%U: arguments are on more than %d devices", name_, kMaxStreams);
    return -1;
  }
  void* original = nullptr;
  int code = TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &original);
  if (code != 0) {
    set_python_error(code);
    return -1;
  }
  streams_[num_streams_++] = {device, original, source};
  return 0;
}

void CallFrame::enter() {
  if (saw_tensor_) {
    is_listed_ = true;
    thread_ = PyThread_get_thread_ident();
    older_ = newest_frame;
    if (older_ != nullptr) older_->newer_ = this;
    newest_frame = this;
  }
  if (allocating_ == nullptr) return;
  // Prefer the results' framework, so that the kernel's allocations return as its tensors.
  if (framework_ != nullptr && framework_->can_allocate()) allocating_ = framework_;
  DLPackManagedTensorAllocator allocator = allocating_->exchange != nullptr
                                               ? allocating_->exchange->managed_tensor_allocator
                                               : allocate_in_python;
  original_allocating_ = std::exchange(framework_that_allocates, allocating_);
  allocator_is_set_ =
      TVMFFIEnvSetDLPackManagedTensorAllocator(allocator, 0, &original_allocator_) == 0;
}

void CallFrame::unlist() {
  if (older_ != nullptr) older_->newer_ = newer_;
  (newer_ != nullptr ? newer_->older_ : newest_frame) = older_;
}

void CallFrame::forget_other_threads() {
  // Their stacks are still mapped, and new threads will reuse them.
  const unsigned long self = PyThread_get_thread_ident();
  for (CallFrame* frame = newest_frame; frame != nullptr; frame = frame->older_) {
    if (frame->thread_ != self) frame->unlist();
  }
}

int CallFrame::finish() {
  if (std::exchange(is_listed_, false)) unlist();
  if (std::exchange(allocator_is_set_, false)) {
    framework_that_allocates = original_allocating_;
    TVMFFIEnvSetDLPackManagedTensorAllocator(original_allocator_, 0, nullptr);
  }
  while (num_streams_ > 0) {
    const StreamChange& change = streams_[--num_streams_];
    TVMFFIEnvSetStream(change.device.device_type, change.device.device_id, change.original,
                       nullptr);
  }
  // Release containers before their tensors, whose references then show whether they were kept.
  while (num_objects_ > 0) TVMFFIObjectDecRef(objects_[--num_objects_]);
  // Only the first error is reported; every tensor is still released.
  std::optional<nb::error_scope> first_error;
  while (num_tensors_ > 0 || element_tensors_ != nullptr) {
    LentTensor* lent = num_tensors_ > 0
                           ? tensors_[--num_tensors_]
                           : std::exchange(element_tensors_, element_tensors_->next_free);
    if (release_lent_tensor(lent) == 0) continue;
    if (first_error) {
      PyErr_Clear();
    } else {
      first_error.emplace();  // set again on return
    }
  }
  return first_error ? -1 : 0;
}

void CallFrame::abandon() {
  nb::error_scope raised;
  if (finish() != 0) PyErr_Clear();
}

void CallFrame::prepend_to_path(nb::object step) {
  nb::object whole =
      path_.is_valid() ? nb::steal(PyUnicode_Concat(step.ptr(), path_.ptr())) : std::move(step);
  path_ = std::move(whole);
}

TVMFFIObject* argument_that_holds(const DLTensor& view) {
  for (CallFrame* frame = newest_frame; frame != nullptr; frame = frame->older_) {
    for (int i = 0; i < frame->num_args_; ++i) {
      const TVMFFIAny& argument = frame->arguments_[i];
      if (argument.type_index != kTVMFFITensor) continue;
      const LentTensor* lent = lent_tensor_of(argument.v_obj);
      // A bare view keeps nothing alive, and may be the queried view itself.
      if (lent != nullptr && is_bare_view(lent)) continue;
      if (lies_within(view, *contents<DLTensor>(argument.v_obj))) return argument.v_obj;
    }
    for (LentTensor* lent = frame->element_tensors_; lent != nullptr; lent = lent->next_free) {
      if (!is_bare_view(lent) && lies_within(view, lent->tensor)) return &lent->head;
    }
  }
  return nullptr;
}

}  // namespace tvm_ffi_core
