// SPDX-License-Identifier: Apache-2.0
// Parks threads that Python terminates while they run code of this extension.
//
// At shutdown, Python before 3.14 terminates a daemon thread that acquires the GIL: pthread_exit
// unwinds its stack. Destructors of this extension would then drop Python references without the
// GIL, and a C++ library between two Python calls would catch the unwinding in a `catch (...)`,
// which aborts the process. So the thread sleeps instead, as it does since Python 3.14: the
// unwinder calls a C++ frame's personality routine before it runs any code of that frame, and the
// linker (--wrap, see CMakeLists.txt) makes this the routine of every frame in the extension.
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
