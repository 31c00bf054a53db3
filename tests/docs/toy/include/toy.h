// SPDX-License-Identifier: Apache-2.0
/** \file
 * \brief The toy's interface.
 */
#pragma once

namespace toy {

/*!
 * \brief Twice a number.
 *
 * \snippet kernel_library/scale/scale_kernel.cc guard
 *
 * \param x The number.
 * \return Two times x.
 */
inline int twice(int x) { return 2 * x; }

}  // namespace toy
