// SPDX-License-Identifier: Apache-2.0
// Parks the threads that Python ends while they run code of this extension.
//
// When Python ends, versions before 3.14 end a daemon thread that asks for the GIL by pthread_exit,
// which unwinds its stack. Destructors of this extension would then drop Python references without
// the GIL, and a C++ library between two Python calls would meet the unwinding in a `catch (...)`,
// which ends the process. So the thread sleeps instead, as it does from Python 3.14 on: the
// unwinder asks a C++ frame's personality routine before it runs anything of that frame, and the
// linker (--wrap, see CMakeLists.txt) makes this one the routine of all frames of the extension.
#include <unistd.h>
#include <unwind.h>

#include "base/common.h"

extern "C" {

_Unwind_Reason_Code __real___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* frame);

_Unwind_Reason_Code __wrap___gxx_personality_v0(int version, _Unwind_Action actions,
                                                _Unwind_Exception_Class exception_class,
                                                _Unwind_Exception* exception,
                                                _Unwind_Context* frame) {
  while ((actions & _UA_FORCE_UNWIND) != 0 && tvm_ffi_core::interpreter_is_gone()) pause();
  return __real___gxx_personality_v0(version, actions, exception_class, exception, frame);
}
}
