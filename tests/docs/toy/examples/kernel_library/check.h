// SPDX-License-Identifier: Apache-2.0
// The utility header of the toy.
#pragma once

// [check.begin]
inline bool is_valid(long n) { return n >= 0; }
// [check.end]
