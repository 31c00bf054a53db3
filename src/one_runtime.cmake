# Stops find_package where the published package is installed in the same folder, as importing
# tvm_ffi/libinfo does. CMake reads this file before the other package's tvm_ffi-config.cmake.
if(EXISTS "${CMAKE_CURRENT_LIST_DIR}/../../../libinfo.py")
  get_filename_component(site_packages "${CMAKE_CURRENT_LIST_DIR}/../../../.." ABSOLUTE)
  message(FATAL_ERROR "tvm_ffi: expected one runtime in ${site_packages}, got two: apache-tvm-ffi "
    "and tvm-ffi-kernel-library overwrite each other's files. Uninstall both, then install one:\n"
    "    pip uninstall -y apache-tvm-ffi tvm-ffi-kernel-library\n"
    "    pip install apache-tvm-ffi\n"
    "To keep tvm-ffi-kernel-library, name its clone or wheel in the second line instead.")
endif()

