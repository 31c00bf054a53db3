// SPDX-License-Identifier: Apache-2.0
// A library whose static initializer waits for Python and may then call it, for test_loading.py.
#include <fcntl.h>
#include <stdlib.h>
#include <tvm/ffi/c_api.h>
#include <unistd.h>

__attribute__((constructor)) static void Load(void) {
  char byte = 0;
  // Signals the other thread that the loader is running, and waits for its answer.
  int out = open(getenv("LOADING_BEGUN"), O_WRONLY);
  if (write(out, "x", 1) != 1) abort();
  close(out);
  int in = open(getenv("LOADING_MAY_GO_ON"), O_RDONLY);
  if (read(in, &byte, 1) != 1) abort();
  close(in);
  const TVMFFIByteArray name = {"tests.loading.called", 20};
  TVMFFIObjectHandle function = NULL;
  TVMFFIFunctionGetGlobal(&name, &function);
  if (function == NULL) return;
  usleep(200000);  // time for the other thread to reach the loader
  TVMFFIAny result = {0};
  if (TVMFFIFunctionCall(function, NULL, 0, &result) != 0) abort();
  TVMFFIObjectDecRef(function);
}
