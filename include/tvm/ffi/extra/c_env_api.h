/* SPDX-License-Identifier: Apache-2.0 */
/*!
 * \file tvm/ffi/extra/c_env_api.h
 * \brief The host environment: streams, a tensor allocator, signals and symbols.
 */
#ifndef TVM_FFI_EXTRA_C_ENV_API_H_
#define TVM_FFI_EXTRA_C_ENV_API_H_

#include <tvm/ffi/c_api.h>

#ifdef __cplusplus
extern "C" {
#endif

/*! \brief A stream of a device; for CUDA, a cudaStream_t. */
typedef void* TVMFFIStreamHandle;

/*!
 * \brief Sets the calling thread's current stream of a device.
 * \param device_type A DLDeviceType.
 * \param device_id Device number. If it or the type is negative, a ValueError is raised.
 * \param stream The stream, not owned; NULL is the default stream.
 * \param opt_out_original_stream Receives the previous stream; may be NULL.
 */
TVM_FFI_DLL int TVMFFIEnvSetStream(int32_t device_type, int32_t device_id,
                                   TVMFFIStreamHandle stream,
                                   TVMFFIStreamHandle* opt_out_original_stream);

/*! \brief Returns the calling thread's current stream of a device; NULL, the default stream, if
 * none was set. */
TVM_FFI_DLL TVMFFIStreamHandle TVMFFIEnvGetStream(int32_t device_type, int32_t device_id);

/*!
 * \brief Sets the allocator used by TVMFFIEnvTensorAlloc.
 * \param allocator The calling thread's allocator; NULL removes it.
 * \param write_to_global_context If nonzero, also sets it for threads without their own allocator.
 * \param opt_out_original_allocator Receives the thread's previous allocator; may be NULL.
 */
TVM_FFI_DLL int TVMFFIEnvSetDLPackManagedTensorAllocator(
    DLPackManagedTensorAllocator allocator, int write_to_global_context,
    DLPackManagedTensorAllocator* opt_out_original_allocator);

/*! \brief Returns the allocator that TVMFFIEnvTensorAlloc would use now; NULL if none is set. */
TVM_FFI_DLL DLPackManagedTensorAllocator TVMFFIEnvGetDLPackManagedTensorAllocator(void);

/*!
 * \brief Allocates a Tensor in memory from the framework that made the current call.
 *
 * Without a framework, this library allocates CPU tensors, aligned to 64 bytes, and raises a
 * RuntimeError for any other device.
 * \param prototype Provides dtype, device and shape; its data is not read.
 * \param out Receives a new reference.
 */
TVM_FFI_DLL int TVMFFIEnvTensorAlloc(DLTensor* prototype, TVMFFIObjectHandle* out);

/*!
 * \brief Lets the host handle pending signals, such as Ctrl-C; does nothing without a host.
 * \return 0 to continue; -2, to be returned immediately, if the host has set its own error.
 */
TVM_FFI_DLL int TVMFFIEnvCheckSignals(void);

/*! \brief Registers a host function, such as "PyErr_CheckSignals"; rejects unknown names. */
TVM_FFI_DLL int TVMFFIEnvRegisterCAPI(const char* name, void* symbol);

/*!
 * \brief Looks up a function in the modules that a library imports, then among global functions.
 * \param library_ctx The module, as stored in the library's `__tvm_ffi__library_ctx`.
 * \param func_name Function name; raises an AttributeError if there is no such function.
 * \param out Receives a function borrowed from the module, which keeps it alive.
 */
TVM_FFI_DLL int TVMFFIEnvModLookupFromImports(TVMFFIObjectHandle library_ctx, const char* func_name,
                                              TVMFFIObjectHandle* out);

/*! \brief Sets the pointer variable `name` to `symbol` in each library that is loaded later. */
TVM_FFI_DLL int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol);

/*! \brief Registers a function of the program itself; the system library module provides it. */
TVM_FFI_DLL int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_EXTRA_C_ENV_API_H_ */
