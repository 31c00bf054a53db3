// SPDX-License-Identifier: Apache-2.0
// Called by peers.py through ctypes and cffi: C, which has neither tensors nor exceptions.
#include "functions.h"

void none(void) {}
void one_int(int64_t a) { (void)a; }
void three_floats(double a, double b, double c) {
  (void)a;
  (void)b;
  (void)c;
}
const char* same_string(const char* x) { return x; }
int64_t ints(const int64_t* x, int64_t count) {
  (void)x;
  return count;
}
