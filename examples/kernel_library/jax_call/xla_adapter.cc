// SPDX-License-Identifier: Apache-2.0
// Calls TVM FFI functions from programs compiled by XLA, on a CPU and on a GPU.
// It knows no kernel: an attribute names the function. Built with the headers
// of JAX by build_cpu.sh and build_cuda.sh; needs no CUDA headers.

// [includes.begin]
#include <tvm/ffi/any.h>
#include <tvm/ffi/container/tensor.h>
#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/function.h>
#include <xla/ffi/api/ffi.h>

#include <cstdint>
#include <deque>
#include <exception>
#include <string>
#include <string_view>
#include <vector>

namespace ffi = tvm::ffi;
// [includes.end]

namespace {

// [dtype.begin]
DLDataType dtype_of(xla::ffi::DataType type) {
  const auto make = [](int code, int bits) {
    return DLDataType{static_cast<uint8_t>(code), static_cast<uint8_t>(bits),
                      1};
  };
  using xla::ffi::DataType;
  switch (type) {
    case DataType::PRED:
      return make(kDLBool, 8);
    case DataType::S8:
      return make(kDLInt, 8);
    case DataType::S16:
      return make(kDLInt, 16);
    case DataType::S32:
      return make(kDLInt, 32);
    case DataType::S64:
      return make(kDLInt, 64);
    case DataType::U8:
      return make(kDLUInt, 8);
    case DataType::U16:
      return make(kDLUInt, 16);
    case DataType::U32:
      return make(kDLUInt, 32);
    case DataType::U64:
      return make(kDLUInt, 64);
    case DataType::F16:
      return make(kDLFloat, 16);
    case DataType::F32:
      return make(kDLFloat, 32);
    case DataType::F64:
      return make(kDLFloat, 64);
    case DataType::BF16:
      return make(kDLBfloat, 16);
    case DataType::C64:
      return make(kDLComplex, 64);
    case DataType::C128:
      return make(kDLComplex, 128);
    case DataType::F8E4M3FN:
      return make(kDLFloat8_e4m3fn, 8);
    case DataType::F8E5M2:
      return make(kDLFloat8_e5m2, 8);
    default:
      TVM_FFI_THROW(TypeError) << "an array of XLA's element type "
                               << static_cast<int>(type) << " cannot be passed";
  }
}
// [dtype.end]

// [view.begin]
// The arguments of a call. XLA owns the memory, so all tensors are views.
class Arguments {
 public:
  explicit Arguments(DLDevice device) : device_(device) {}

  // XLA passes arrays in row-major order, without gaps.
  void add(const xla::ffi::AnyBuffer& buffer) {
    const auto shape = buffer.dimensions();
    std::vector<int64_t>& strides = strides_.emplace_back(shape.size());
    int64_t stride = 1;
    for (size_t i = shape.size(); i-- > 0; stride *= shape[i])
      strides[i] = stride;
    DLTensor& view = views_.emplace_back();
    view.data = buffer.untyped_data();
    view.device = device_;
    view.ndim = static_cast<int32_t>(shape.size());
    view.dtype = dtype_of(buffer.element_type());
    view.shape = const_cast<int64_t*>(shape.begin());
    view.strides = strides.data();
    view.byte_offset = 0;
    values_.push_back(&view);
  }

  void add(const xla::ffi::Dictionary& attributes, std::string_view name) {
    if (attributes.contains<double>(name)) {
      values_.push_back(*attributes.get<double>(name));
    } else if (attributes.contains<int64_t>(name)) {
      values_.push_back(*attributes.get<int64_t>(name));
    } else if (attributes.contains<bool>(name)) {
      values_.push_back(*attributes.get<bool>(name));
    } else if (attributes.contains<std::string_view>(name)) {
      values_.push_back(
          texts_.emplace_back(*attributes.get<std::string_view>(name)).c_str());
    } else {
      TVM_FFI_THROW(TypeError)
          << "attribute " << std::string(name)
          << " must be a float64, an int64, a bool or a string";
    }
  }

  void pass_to(const ffi::Function& function) const {
    ffi::Any result;
    function.CallPacked(values_.data(), static_cast<int32_t>(values_.size()),
                        &result);
    if (result.type_index() != kTVMFFINone) {
      TVM_FFI_THROW(TypeError)
          << "a function must write to its outputs and return nothing";
    }
  }

 private:
  DLDevice device_;
  // Deques: the values point to elements, which must not move.
  std::deque<DLTensor> views_;
  std::deque<std::vector<int64_t>> strides_;
  std::deque<std::string> texts_;
  std::vector<ffi::AnyView> values_;
};
// [view.end]

// [stream.begin]
// Makes XLA's stream the current one during the call.
class StreamOfCall {
 public:
  StreamOfCall(DLDevice device, void* stream) : device_(device) {
    set(stream, &before_);
  }
  ~StreamOfCall() { set(before_, nullptr); }
  StreamOfCall(const StreamOfCall&) = delete;
  StreamOfCall& operator=(const StreamOfCall&) = delete;

 private:
  void set(void* stream, TVMFFIStreamHandle* before) {
    TVMFFIEnvSetStream(device_.device_type, device_.device_id, stream, before);
  }

  DLDevice device_;
  TVMFFIStreamHandle before_ = nullptr;
};
// [stream.end]

// [call.begin]
// function(inputs..., outputs..., attributes...)
void call(DLDevice device, const xla::ffi::RemainingArgs& inputs,
          const xla::ffi::RemainingRets& outputs,
          const xla::ffi::Dictionary& attributes) {
  if (!attributes.contains<std::string_view>("function")) {
    TVM_FFI_THROW(TypeError)
        << "attribute function must be the name of a global function";
  }
  const std::string name(*attributes.get<std::string_view>("function"));
  const auto function = ffi::Function::GetGlobal(name);
  if (!function.has_value()) {
    TVM_FFI_THROW(ValueError) << "there is no global function " << name;
  }
  Arguments arguments(device);
  for (size_t i = 0; i < inputs.size(); ++i)
    arguments.add(*inputs.get<xla::ffi::AnyBuffer>(i));
  for (size_t i = 0; i < outputs.size(); ++i)
    arguments.add(**outputs.get<xla::ffi::AnyBuffer>(i));
  // XLA sorts attributes by name.
  for (const std::string_view attribute : attributes)
    if (attribute != "function") arguments.add(attributes, attribute);
  arguments.pass_to(*function);
}
// [call.end]

// [errors.begin]
// No exception may escape into XLA: it becomes an XLA error.
template <typename Body>
xla::ffi::Error guarded(Body body) {
  using xla::ffi::ErrorCode;
  try {
    body();
    return xla::ffi::Error::Success();
  } catch (const std::exception& error) {
    // Errors of TVM FFI have a kind; others, such as std::bad_alloc, do not.
    const auto* ours = dynamic_cast<const ffi::Error*>(&error);
    const std::string kind = ours ? ours->kind() : "RuntimeError";
    const std::string text = ours ? ours->message() : error.what();
    const bool by_caller = kind == "ValueError" || kind == "TypeError";
    return xla::ffi::Error(
        by_caller ? ErrorCode::kInvalidArgument : ErrorCode::kInternal,
        kind + ": " + text);
  }
}
// [errors.end]

// [handlers.begin]
xla::ffi::Error on_cpu(xla::ffi::RemainingArgs inputs,
                       xla::ffi::RemainingRets outputs,
                       xla::ffi::Dictionary attributes) {
  return guarded([&] { call({kDLCPU, 0}, inputs, outputs, attributes); });
}

xla::ffi::Error on_cuda(void* stream, int32_t device_id,
                        xla::ffi::RemainingArgs inputs,
                        xla::ffi::RemainingRets outputs,
                        xla::ffi::Dictionary attributes) {
  return guarded([&] {
    const DLDevice device{kDLCUDA, device_id};
    const StreamOfCall current(device, stream);
    call(device, inputs, outputs, attributes);
  });
}
// [handlers.end]

}  // namespace

// [symbols.begin]
#define EXPORTED extern "C" __attribute__((visibility("default")))
EXPORTED XLA_FFI_Error* xla_adapter_on_cpu(XLA_FFI_CallFrame* frame);
EXPORTED XLA_FFI_Error* xla_adapter_on_cuda(XLA_FFI_CallFrame* frame);

XLA_FFI_DEFINE_HANDLER_SYMBOL(
    xla_adapter_on_cpu, on_cpu,
    xla::ffi::Ffi::Bind().RemainingArgs().RemainingRets().Attrs());

XLA_FFI_DEFINE_HANDLER_SYMBOL(xla_adapter_on_cuda, on_cuda,
                              xla::ffi::Ffi::Bind()
                                  .Ctx<xla::ffi::PlatformStream<void*>>()
                                  .Ctx<xla::ffi::DeviceOrdinal>()
                                  .RemainingArgs()
                                  .RemainingRets()
                                  .Attrs());
// [symbols.end]
