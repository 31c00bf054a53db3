// SPDX-License-Identifier: Apache-2.0
// The functions of functions.c; cffi reads the lines between the marks.
#include <stdint.h>

// [cffi.begin]
void none(void);
void one_int(int64_t a);
void three_floats(double a, double b, double c);
const char* same_string(const char* x);
int64_t ints(const int64_t* x, int64_t count);
// [cffi.end]
