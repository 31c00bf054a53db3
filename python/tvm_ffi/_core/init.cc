// SPDX-License-Identifier: Apache-2.0
// The extension module tvm_ffi._core: all bindings, in dependency order.
#include "base/error.h"
#include "base/global_symbols.h"
#include "calls/convert.h"
#include "calls/extern_function.h"
#include "calls/function.h"
#include "calls/keywords.h"
#include "calls/kinds.h"
#include "containers/container.h"
#include "containers/mapping.h"
#include "containers/sequence.h"
#include "conversion/error_object.h"
#include "lending/frame.h"
#include "lending/framework.h"
#include "lending/lazy_view.h"
#include "lending/ndarray_producer.h"
#include "lending/packer.h"
#include "objects/object.h"
#include "objects/object_class.h"
#include "reflection/constructor.h"
#include "reflection/field.h"
#include "reflection/method.h"
#include "reflection/type_info.h"
#include "tensors/ndarray_consumer.h"
#include "tensors/own_exchange.h"
#include "tensors/tensor.h"
#include "values/stream.h"
#include "values/values.h"

namespace {

// noexcept for the same reason as take_gil: it may run the garbage collector.
int check_signals() noexcept { return PyErr_CheckSignals(); }

}  // namespace

NB_MODULE(_core, module) {
  using namespace tvm_ffi_core;
  // Object types and registrations exist once per process, as Python objects of the interpreter
  // that first imported this module.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw nb::import_error(
        "tvm_ffi can be imported in the main interpreter only, not in a sub-interpreter");
  }
  make_symbols_global();
  // Objects outlive the module at shutdown: other libraries hold references too.
  nb::set_leak_warnings(false);
  bind_error(module);
  bind_values(module);
  bind_stream(module);
  bind_object_class(module);
  bind_object(module);
  bind_error_object(module);
  bind_framework(module);
  bind_lazy_view(module);
  bind_ndarray_producer(module);
  bind_packer(module);
  bind_tensor(module);
  bind_own_exchange();
  bind_ndarray_consumer(module);
  bind_container(module);
  bind_sequence(module);
  bind_mapping(module);
  bind_kinds();
  bind_function(module);
  bind_extern_function();
  bind_keywords(module);
  bind_constructor();
  bind_convert(module);
  bind_field(module);
  bind_method(module);
  bind_type_info(module);
  set_metaclass(module);
  nb::module_::import_("os").attr("register_at_fork")(
      nb::arg("after_in_child") = nb::cpp_function(CallFrame::forget_other_threads));
  module.def("version", [] {
    TVMFFIVersion version{};
    TVMFFIGetVersion(&version);
    return nb::make_tuple(version.major, version.minor, version.patch);
  });
  // Lets a long kernel notice Ctrl-C through TVMFFIEnvCheckSignals, which acquires the GIL itself.
  check(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", reinterpret_cast<void*>(&check_signals)));
  check(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", reinterpret_cast<void*>(&take_gil)));
  check(TVMFFIEnvRegisterCAPI("PyGILState_Release", reinterpret_cast<void*>(&PyGILState_Release)));
  // Lets C++ see that a framework's tensor is read-only.
  check(TVMFFIEnvRegisterCAPI("TensorFlags", reinterpret_cast<void*>(&known_flags)));
}
