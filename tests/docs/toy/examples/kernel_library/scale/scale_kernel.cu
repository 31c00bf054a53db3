// SPDX-License-Identifier: Apache-2.0
// Multiply n numbers by a factor, where a CUDA compiler would do it.
#include "../check.h"

extern "C" bool scale_cuda_exists() { return is_valid(1); }
