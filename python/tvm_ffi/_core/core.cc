// SPDX-License-Identifier: Apache-2.0
// The extension module tvm_ffi._core: everything that is bound, in dependency order.
#include "constructor.h"
#include "container.h"
#include "convert.h"
#include "converter.h"
#include "error.h"
#include "error_object.h"
#include "exchange_table.h"
#include "extern_function.h"
#include "field.h"
#include "frame.h"
#include "framework.h"
#include "function.h"
#include "keywords.h"
#include "kinds.h"
#include "lazy_view.h"
#include "mapping.h"
#include "method.h"
#include "ndarray_consumer.h"
#include "ndarray_producer.h"
#include "object.h"
#include "object_class.h"
#include "sequence.h"
#include "stream.h"
#include "tensor.h"
#include "type_info.h"
#include "values.h"

NB_MODULE(_core, module) {
  using namespace tvm_ffi_core;
  // The types of objects and what is registered exist once in the process, as Python objects of
  // the interpreter that imported this first.
  if (PyInterpreterState_Get() != PyInterpreterState_Main()) {
    throw nb::import_error(
        "tvm_ffi can be imported in the main interpreter only, not in a sub-interpreter");
  }
  // Objects outlive the module when Python ends: they are in other libraries' hands as well.
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
  bind_converter(module);
  bind_tensor(module);
  bind_exchange_table();
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
  // Lets a long kernel notice Ctrl-C through TVMFFIEnvCheckSignals, which takes the lock itself.
  check(TVMFFIEnvRegisterCAPI("PyErr_CheckSignals", reinterpret_cast<void*>(&PyErr_CheckSignals)));
  check(TVMFFIEnvRegisterCAPI("PyGILState_Ensure", reinterpret_cast<void*>(&take_gil)));
  check(TVMFFIEnvRegisterCAPI("PyGILState_Release", reinterpret_cast<void*>(&PyGILState_Release)));
}
