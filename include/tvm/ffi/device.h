// SPDX-License-Identifier: Apache-2.0
/*!
 * \file tvm/ffi/device.h
 * \brief Comparison and printing of DLDevice.
 */
#ifndef TVM_FFI_DEVICE_H_
#define TVM_FFI_DEVICE_H_

#include <tvm/ffi/message.h>

#include <string>
#include <type_traits>

// DLDevice is in the global namespace, so its operators must be too, to be found from everywhere.
// They are templates so that a second definition elsewhere is preferred rather than ambiguous.

/*! \brief Whether the types and the indices are equal. */
template <typename T, typename = std::enable_if_t<std::is_same<T, DLDevice>::value>>
TVM_FFI_HIDDEN inline bool operator==(const T& a, const DLDevice& b) {
  return a.device_type == b.device_type && a.device_id == b.device_id;
}

/*! \brief Whether the types or the indices differ. */
template <typename T, typename = std::enable_if_t<std::is_same<T, DLDevice>::value>>
TVM_FFI_HIDDEN inline bool operator!=(const T& a, const DLDevice& b) {
  return !(a == b);
}

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

/*! \brief Returns the text of a device, for example "cuda:0". */
inline std::string DLDeviceToString(DLDevice device) { return (Message().self() << device).take(); }

/*! \brief Whether the host can do arithmetic on addresses of the device's memory. */
inline bool HasPlainAddresses(DLDevice device) {
  switch (device.device_type) {
    case kDLCPU:
    case kDLCUDA:
    case kDLCUDAHost:
    case kDLCUDAManaged:
    case kDLROCM:
    case kDLROCMHost:
    case kDLOneAPI:
      return true;
    default:
      return false;
  }
}

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

/*! \brief Prints a device, for example "cuda:0". */
template <typename Stream, typename T,
          typename = std::enable_if_t<std::is_same<T, DLDevice>::value &&
                                      !std::is_same<Stream, tvm::ffi::Message>::value>>
TVM_FFI_HIDDEN inline Stream& operator<<(Stream& stream, const T& device) {
  stream << tvm::ffi::DLDeviceToString(device);
  return stream;
}

#endif  // TVM_FFI_DEVICE_H_
