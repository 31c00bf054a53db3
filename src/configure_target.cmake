# SPDX-License-Identifier: Apache-2.0
# Functions for the target of a kernel library; tvm_ffi-config.cmake includes this file.

# An empty value, such as that of a variable that is not set, counts as none.
if(POLICY CMP0174)
  cmake_policy(SET CMP0174 NEW)
endif()

# tvm_ffi_configure_target(<target>
#   [LINK_SHARED ON|OFF] [LINK_HEADER ON|OFF] [DEBUG_SYMBOL ON|OFF] [MSVC_FLAGS ON|OFF]
#   [STUB_DIR <folder>] [STUB_INIT ON|OFF] [STUB_PKG <name>] [STUB_PREFIX <prefix>]
#   [STUB_TARGET python])
#
# Links a target with the headers and the runtime, and leaves the path of the source folder out of
# the library. With STUB_DIR, every build updates the Python files in that folder, which may be
# relative to the source folder; with STUB_INIT ON, it also creates those that are missing.
# DEBUG_SYMBOL and MSVC_FLAGS are for other systems: on Linux they change nothing.
function(tvm_ffi_configure_target target)
  set(switches LINK_SHARED LINK_HEADER DEBUG_SYMBOL MSVC_FLAGS STUB_INIT)
  cmake_parse_arguments(
    PARSE_ARGV 1 arg "" "${switches};STUB_DIR;STUB_PKG;STUB_PREFIX;STUB_TARGET" "")
  if(NOT TARGET ${target})
    message(FATAL_ERROR "tvm_ffi_configure_target: expected a target, got: ${target}")
  endif()
  set(problem "tvm_ffi_configure_target(${target})")
  get_target_property(type ${target} TYPE)
  get_target_property(is_imported ${target} IMPORTED)
  get_target_property(aliased ${target} ALIASED_TARGET)
  if(is_imported OR aliased OR NOT type MATCHES "^(SHARED|MODULE|STATIC|OBJECT)_LIBRARY$|^EXEC")
    message(FATAL_ERROR "${problem}: expected a target that compiles sources, got an alias, an "
      "imported target or one of type ${type}")
  endif()
  if(arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    list(JOIN switches ", " names)
    message(FATAL_ERROR "${problem}: expected ${names}, STUB_DIR, STUB_PKG, STUB_PREFIX or "
      "STUB_TARGET, each with a value, got: ${ARGN}")
  endif()
  foreach(switch IN LISTS switches)
    if(NOT DEFINED arg_${switch})
      set(arg_${switch} ON)
      if(switch STREQUAL STUB_INIT)
        set(arg_${switch} OFF)
      endif()
    elseif(NOT arg_${switch} MATCHES "^([Oo][Nn]|[Oo][Ff][Ff]|TRUE|FALSE|YES|NO|1|0)$")
      message(FATAL_ERROR "${problem}: ${switch}: expected ON or OFF, got: ${arg_${switch}}")
    endif()
  endforeach()
  if(DEFINED arg_STUB_TARGET AND NOT arg_STUB_TARGET STREQUAL python)
    message(FATAL_ERROR "${problem}: STUB_TARGET: expected python, got: ${arg_STUB_TARGET}")
  endif()
  if(arg_STUB_DIR AND NOT type MATCHES "SHARED|MODULE")
    message(FATAL_ERROR "${problem}: STUB_DIR: expected a SHARED or MODULE library, which can be "
      "loaded, got one of type ${type}")
  endif()
  if(arg_STUB_INIT AND NOT arg_STUB_DIR)
    message(FATAL_ERROR "${problem}: STUB_INIT: expected STUB_DIR too, got none")
  endif()
  if((arg_STUB_PKG OR arg_STUB_PREFIX) AND NOT arg_STUB_INIT)
    message(FATAL_ERROR "${problem}: STUB_PKG and STUB_PREFIX: expected STUB_INIT ON, got OFF")
  endif()

  if(arg_LINK_HEADER)
    target_link_libraries(${target} PRIVATE tvm_ffi::header)
  endif()
  if(arg_LINK_SHARED)
    target_link_libraries(${target} PRIVATE tvm_ffi::shared)
  endif()
  set(map -ffile-prefix-map=${CMAKE_CURRENT_SOURCE_DIR}/=)
  # nvcc starts the host compiler by a shell, which would split a path with a space.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:C,CXX,HIP>:${map}>
                                           $<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler="${map}">)
  if(arg_STUB_DIR)
    _tvm_ffi_generate_stubs()
  endif()
endfunction()

# tvm_ffi_install(<target> [DESTINATION <folder>])
#
# Checks its arguments: there is nothing to install next to a library on Linux. On macOS, the
# function of the published package installs debug symbols.
function(tvm_ffi_install target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "DESTINATION" "")
  if(NOT TARGET ${target} OR arg_UNPARSED_ARGUMENTS OR arg_KEYWORDS_MISSING_VALUES)
    message(FATAL_ERROR "tvm_ffi_install: expected a target and perhaps DESTINATION with a "
      "folder, got: ${ARGV}")
  endif()
endfunction()

# Runs tvm-ffi-stubgen after each build of the caller's target, with the caller's arguments.
macro(_tvm_ffi_generate_stubs)
  if(Python_EXECUTABLE)
    set(stubgen ${Python_EXECUTABLE} -m tvm_ffi.stub.cli)
  else()
    # Not find_package(Python3): in an activated environment without the package, it finds that
    # environment's interpreter. First comes the environment in which this file is installed: not
    # that of an earlier run, nor those in CMAKE_PREFIX_PATH.
    unset(tvm_ffi_STUBGEN CACHE)
    find_program(tvm_ffi_STUBGEN tvm-ffi-stubgen NO_DEFAULT_PATH
                 PATHS "${CMAKE_CURRENT_FUNCTION_LIST_DIR}/../../../../../../../bin")
    find_program(tvm_ffi_STUBGEN tvm-ffi-stubgen)
    if(NOT tvm_ffi_STUBGEN)
      message(FATAL_ERROR "${problem}: STUB_DIR: expected Python_EXECUTABLE, an interpreter with "
        "the package tvm_ffi, or tvm-ffi-stubgen on PATH, got neither")
    endif()
    set(stubgen ${tvm_ffi_STUBGEN})
  endif()
  get_filename_component(
    folder "${arg_STUB_DIR}" ABSOLUTE BASE_DIR "${CMAKE_CURRENT_SOURCE_DIR}")
  set(commands COMMAND ${stubgen} "${folder}" --dlls $<TARGET_FILE:${target}>)
  if(arg_STUB_INIT)
    if(NOT arg_STUB_PKG)
      set(arg_STUB_PKG ${target})
      if(SKBUILD_PROJECT_NAME)
        set(arg_STUB_PKG ${SKBUILD_PROJECT_NAME})
      endif()
    endif()
    if(NOT arg_STUB_PREFIX)
      set(arg_STUB_PREFIX ${arg_STUB_PKG}.)
    endif()
    # The command refuses a missing folder if it finds nothing to write.
    list(PREPEND commands COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}")
    list(APPEND commands --init-lib $<TARGET_FILE_BASE_NAME:${target}>
         --init-pypkg ${arg_STUB_PKG} --init-prefix ${arg_STUB_PREFIX})
  endif()
  add_custom_command(TARGET ${target} POST_BUILD ${commands} VERBATIM)
endmacro()
