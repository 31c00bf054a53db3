// SPDX-License-Identifier: Apache-2.0
// CUDA's runtime API, as far as declarations need it.
#pragma once
#include "cuda.h"
