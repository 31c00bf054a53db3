/* SPDX-License-Identifier: Apache-2.0 */
/*!
 * \file tvm/ffi/c_api.h
 * \brief The stable C ABI: value, object and error layouts, and the functions of libtvm_ffi.
 *
 * Valid C99 and C++17. Unless documented otherwise, a function that returns `int` returns 0 on
 * success and a nonzero code after raising an error in the calling thread; take that error with
 * TVMFFIErrorMoveFromRaised. No C++ exception escapes a function. All are thread-safe.
 *
 * Comments such as "---- Objects ----" start the sections. They share one file because programs in
 * C and other languages bind to a single header.
 */
#ifndef TVM_FFI_C_API_H_
#define TVM_FFI_C_API_H_

#include <dlpack/dlpack.h>
#include <stddef.h>
#include <stdint.h>

/* ---- Macros ---- */

/*! \brief Major version of the C ABI in this header; TVMFFIGetVersion returns the library's. */
#define TVM_FFI_VERSION_MAJOR 0
/*! \brief Minor version of the C ABI in this header. */
#define TVM_FFI_VERSION_MINOR 1
/*! \brief Patch version of the C ABI in this header. */
#define TVM_FFI_VERSION_PATCH 16

/*! \brief Marks symbols exported by libtvm_ffi. */
#ifndef TVM_FFI_DLL
#if defined(_WIN32) && defined(TVM_FFI_EXPORTS)
#define TVM_FFI_DLL __declspec(dllexport)
#elif defined(_WIN32)
#define TVM_FFI_DLL __declspec(dllimport)
#else
#define TVM_FFI_DLL __attribute__((visibility("default")))
#endif
#endif

/*! \brief Marks symbols exported by a kernel library. */
#ifndef TVM_FFI_DLL_EXPORT
#ifdef _WIN32
#define TVM_FFI_DLL_EXPORT __declspec(dllexport)
#else
#define TVM_FFI_DLL_EXPORT __attribute__((visibility("default")))
#endif
#endif

/*! \brief Lets C99 compilers accept an anonymous union under -pedantic. */
#if defined(__GNUC__)
#define TVM_FFI_ANONYMOUS __extension__
#else
#define TVM_FFI_ANONYMOUS
#endif

#ifdef __cplusplus
extern "C" {
#endif

/* ---- Version and type indices ---- */

/*! \brief Version of the C ABI. */
typedef struct {
  /*! \brief Major version. */
  uint32_t major;
  /*! \brief Minor version. */
  uint32_t minor;
  /*! \brief Patch version. */
  uint32_t patch;
} TVMFFIVersion;

/*!
 * \brief Type of the value in a TVMFFIAny, or of an object.
 *
 * Values with an index below kTVMFFIStaticObjectBegin are stored in the TVMFFIAny itself; the rest
 * are reference-counted objects. Types not listed here are assigned an index at run time, starting
 * at kTVMFFIDynObjectBegin.
 */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFIAny = -1,         /*!< Only in type descriptions: any value. */
  kTVMFFINone = 0,         /*!< No value. */
  kTVMFFIInt = 1,          /*!< `v_int64`. */
  kTVMFFIBool = 2,         /*!< `v_int64`, 0 or 1. */
  kTVMFFIFloat = 3,        /*!< `v_float64`. */
  kTVMFFIOpaquePtr = 4,    /*!< `v_ptr`, a pointer whose meaning the receiver knows. */
  kTVMFFIDataType = 5,     /*!< `v_dtype`. */
  kTVMFFIDevice = 6,       /*!< `v_device`. */
  kTVMFFIDLTensorPtr = 7,  /*!< `v_ptr`, a DLTensor lent for the call. */
  kTVMFFIRawStr = 8,       /*!< `v_c_str`, a zero-terminated string lent for the call. */
  kTVMFFIByteArrayPtr = 9, /*!< `v_ptr`, a TVMFFIByteArray lent for the call. */
  kTVMFFIObjectRValueRef =
      10,                 /*!< `v_ptr`, the address of an object handle that may be moved from. */
  kTVMFFISmallStr = 11,   /*!< `v_bytes` and `small_str_len`: a string of at most 7 bytes. */
  kTVMFFISmallBytes = 12, /*!< `v_bytes` and `small_str_len`: at most 7 bytes. */
  kTVMFFIUnchanged = 13,  /*!< Returned by a mapping callback to keep the value. */
  kTVMFFIStaticObjectBegin = 64, /*!< First index of an object type. */
  kTVMFFIObject = 64,            /*!< Object, the root of all object types. */
  kTVMFFIStr = 65,               /*!< String: TVMFFIObject, TVMFFIByteArray. */
  kTVMFFIBytes = 66,             /*!< Bytes: TVMFFIObject, TVMFFIByteArray. */
  kTVMFFIError = 67,             /*!< Error: TVMFFIObject, TVMFFIErrorCell. */
  kTVMFFIFunction = 68,          /*!< Function: TVMFFIObject, TVMFFIFunctionCell. */
  kTVMFFIShape = 69,             /*!< Shape: TVMFFIObject, TVMFFIShapeCell. */
  kTVMFFITensor = 70,            /*!< Tensor: TVMFFIObject, DLTensor. */
  kTVMFFIArray = 71,             /*!< Array: TVMFFIObject, TVMFFISeqCell. */
  kTVMFFIMap = 72,               /*!< Map. */
  kTVMFFIModule = 73,            /*!< Module, a loaded library. */
  kTVMFFIOpaquePyObject = 74,    /*!< A Python object, opaque to C++. */
  kTVMFFIList = 75,              /*!< List: TVMFFIObject, TVMFFISeqCell; mutable. */
  kTVMFFIDict = 76,              /*!< Dict; mutable. */
  kTVMFFIVisitInterrupt = 77,    /*!< Stops a visit. */
  kTVMFFIBigInt = 78,            /*!< An integer wider than 64 bits. */
  kTVMFFIStaticObjectEnd = 79,   /*!< One past the last fixed index. */
  kTVMFFIDynObjectBegin = 128    /*!< First index assigned at run time. */
} TVMFFITypeIndex;

/* ---- Layouts of values and objects ---- */

/*! \brief A reference to an object, owned or lent as documented for each function. */
typedef void* TVMFFIObjectHandle;

/*! \brief Bits passed to an object's deleter, which is called once per bit or once with both. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFIObjectDeleterFlagBitMaskStrong = 1, /*!< The strong count is 0: destroy the contents. */
  kTVMFFIObjectDeleterFlagBitMaskWeak = 2,   /*!< The weak count is 0: free the memory. */
  kTVMFFIObjectDeleterFlagBitMaskBoth = 3,   /*!< Both. */
} TVMFFIObjectDeleterFlagBitMask;

/*! \brief Header of every reference-counted object; the contents follow. */
typedef struct TVMFFIObject {
  /*!
   * \brief Strong count in the low 32 bits, weak count in the high 32 bits.
   *
   * All strong references together hold one weak reference.
   */
  uint64_t combined_ref_count;
  /*! \brief Type of the object. */
  int32_t type_index;
  /*! \brief Always 0. */
  uint32_t __padding;
  /*! \brief Called with bits of TVMFFIObjectDeleterFlagBitMask; NULL if the object is never freed.
   */
  TVM_FFI_ANONYMOUS union {
    /*! \brief The deleter; `self` is the address of this header. */
    void (*deleter)(void* self, int flags);
    /*! \brief Makes the field 8 bytes wide everywhere. */
    int64_t __ensure_align;
  };
} TVMFFIObject;

/*! \brief Written by a TVMFFICustomAllocator directly before the memory that it returns for an
 * object. */
typedef struct TVMFFIObjectAllocHeader {
  /*! \brief Frees the memory of the object body at `ptr`, without reading it; may be NULL. */
  void (*delete_space)(void* ptr);
} TVMFFIObjectAllocHeader;

/*! \brief Allocator of objects. */
typedef struct TVMFFICustomAllocator {
  /*!
   * \brief Returns `size` uninitialised bytes, aligned to `alignment` and preceded by a filled
   *        TVMFFIObjectAllocHeader; NULL after raising an error. May be called concurrently.
   */
  void* (*allocate)(size_t size, size_t alignment, int32_t type_index, void* context);
  /*! \brief Passed to `allocate`. */
  void* context;
} TVMFFICustomAllocator;

/*! \brief A sequence of bytes, or a string with its length. */
typedef struct {
  /*! \brief First byte. Strings of this library are followed by a zero byte. */
  const char* data;
  /*! \brief Number of bytes. */
  size_t size;
} TVMFFIByteArray;

/*! \brief Contents of a Shape. */
typedef struct {
  /*! \brief First extent. */
  const int64_t* data;
  /*! \brief Number of extents. */
  size_t size;
} TVMFFIShapeCell;

/*! \brief A value of any type, 16 bytes. */
typedef struct TVMFFIAny {
  /*! \brief One of TVMFFITypeIndex, or a type index assigned at run time. */
  int32_t type_index;
  TVM_FFI_ANONYMOUS union {
    /*! \brief 0 except for small strings and bytes. */
    uint32_t zero_padding;
    /*! \brief Length of a small string or of small bytes, 0 to 7. */
    uint32_t small_str_len;
  };
  TVM_FFI_ANONYMOUS union {
    /*! \brief Integer or bool. */
    int64_t v_int64;
    /*! \brief Floating-point number. */
    double v_float64;
    /*! \brief Pointer. */
    void* v_ptr;
    /*! \brief Zero-terminated string. */
    const char* v_c_str;
    /*! \brief Object. */
    TVMFFIObject* v_obj;
    /*! \brief Element type. */
    DLDataType v_dtype;
    /*! \brief Device. */
    DLDevice v_device;
    /*! \brief Contents of a small string or of small bytes, zero-padded. */
    char v_bytes[8];
    /*! \brief The eight bytes as a number. */
    uint64_t v_uint64;
  };
} TVMFFIAny;

/*! \brief Contents of an Array or a List. */
typedef struct {
  /*! \brief First element, a TVMFFIAny. */
  void* data;
  /*! \brief Number of elements. */
  int64_t size;
  /*! \brief Number of elements that fit. */
  int64_t capacity;
  /*! \brief Frees `data`; NULL if the elements are in the object itself. */
  void (*data_deleter)(void* data);
} TVMFFISeqCell;

/*! \brief How TVMFFIErrorCell::update_backtrace changes the backtrace. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFIBacktraceUpdateModeReplace = 0, /*!< Replace it. */
  kTVMFFIBacktraceUpdateModeAppend = 1,  /*!< Append callers. */
} TVMFFIBacktraceUpdateMode;

/*! \brief Contents of an Error. */
typedef struct {
  /*! \brief Kind, for example "ValueError": the name of the Python exception that it becomes. */
  TVMFFIByteArray kind;
  /*! \brief Message. */
  TVMFFIByteArray message;
  /*! \brief Lines `  File "f.cc", line 3, in g`, the most recent call first. */
  TVMFFIByteArray backtrace;
  /*! \brief Changes the backtrace; `update_mode` is a TVMFFIBacktraceUpdateMode. */
  void (*update_backtrace)(TVMFFIObjectHandle self, const TVMFFIByteArray* backtrace,
                           int32_t update_mode);
  /*! \brief The error that caused this one, owned; or NULL. */
  TVMFFIObjectHandle cause_chain;
  /*! \brief An additional object, owned; or NULL. */
  TVMFFIObjectHandle extra_context;
} TVMFFIErrorCell;

/*!
 * \brief A function that can be called from any language.
 *
 * \param handle The function's own state; NULL for an exported symbol.
 * \param args Arguments, lent for the call.
 * \param num_args Number of arguments.
 * \param result Set to kTVMFFINone by the caller; receives an owned value on success.
 * \return 0 on success; -1 after TVMFFIErrorSetRaised; -2 if the error is already set in the
 *         caller's own language (a Python exception).
 */
typedef int (*TVMFFISafeCallType)(void* handle, const TVMFFIAny* args, int32_t num_args,
                                  TVMFFIAny* result);

/*! \brief Contents of a Function. */
typedef struct {
  /*! \brief The function; its `handle` is the address of the Function object. */
  TVMFFISafeCallType safe_call;
  /*! \brief Reserved for C++ calls between code built by one compiler; this runtime writes NULL and
   * never reads it. */
  void* cpp_call;
} TVMFFIFunctionCell;

/*! \brief Contents of an opaque object. */
typedef struct {
  /*! \brief The foreign object. */
  void* handle;
} TVMFFIOpaqueObjectCell;

/* ---- Layouts of reflection ---- */

/*! \brief Reads the field at address `field` into an owned value. */
typedef int (*TVMFFIFieldGetter)(void* field, TVMFFIAny* result);

/*! \brief Writes a lent value to the field at address `field`. */
typedef int (*TVMFFIFieldSetter)(void* field, const TVMFFIAny* value);

/*! \brief Creates an object with default field values; `result` receives a new reference. */
typedef int (*TVMFFIObjectCreator)(TVMFFIObjectHandle* result);

/*! \brief Bits of TVMFFIFieldInfo::flags and TVMFFIMethodInfo::flags. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFIFieldFlagBitMaskWritable = 1,            /*!< The field can be set. */
  kTVMFFIFieldFlagBitMaskHasDefault = 2,          /*!< The field has a default. */
  kTVMFFIFieldFlagBitMaskIsStaticMethod = 4,      /*!< The method takes no self. */
  kTVMFFIFieldFlagBitMaskSEqHashIgnore = 8,       /*!< Structural comparison skips the field. */
  kTVMFFIFieldFlagBitMaskSEqHashDefPattern = 16,  /*!< The field defines the variables in it. */
  kTVMFFIFieldFlagBitMaskDefaultFromFactory = 32, /*!< The default is a function to call. */
  kTVMFFIFieldFlagBitMaskReprOff = 64,            /*!< Not shown in the printed form. */
  kTVMFFIFieldFlagBitMaskCompareOff = 128,        /*!< Not compared. */
  kTVMFFIFieldFlagBitMaskHashOff = 256,           /*!< Not hashed. */
  kTVMFFIFieldFlagBitMaskInitOff = 512,           /*!< Not an argument of the constructor. */
  kTVMFFIFieldFlagBitMaskKwOnly = 1024,           /*!< A keyword argument of the constructor. */
  kTVMFFIFieldFlagBitSetterIsFunctionObj = 2048,  /*!< `setter` is a Function object. */
  kTVMFFIFieldFlagBitMaskSEqHashDefSimple = 4096, /*!< Like DefPattern, but not inside variables. */
} TVMFFIFieldFlagBitMask;

/*! \brief How a type takes part in structural comparison and hashing. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFISEqHashKindUnsupported = 0,    /*!< Not at all. */
  kTVMFFISEqHashKindTreeNode = 1,       /*!< By contents. */
  kTVMFFISEqHashKindFreeVar = 2,        /*!< As a variable. */
  kTVMFFISEqHashKindDAGNode = 3,        /*!< By contents and by which objects are shared. */
  kTVMFFISEqHashKindConstTreeNode = 4,  /*!< By contents, with a shortcut for the same address. */
  kTVMFFISEqHashKindUniqueInstance = 5, /*!< By address. */
} TVMFFISEqHashKind;

/*! \brief Which variables a field defines. */
#ifdef __cplusplus
typedef enum : int32_t {
#else
typedef enum {
#endif
  kTVMFFIDefRegionKindNone = 0,    /*!< None. */
  kTVMFFIDefRegionKindPattern = 1, /*!< Those in the field, at any depth. */
  kTVMFFIDefRegionKindSimple = 2,  /*!< Like Pattern, but not inside variables. */
} TVMFFIDefRegionKind;

/*! \brief Description of a field of an object type. */
typedef struct {
  /*! \brief Name. */
  TVMFFIByteArray name;
  /*! \brief Documentation, or empty. */
  TVMFFIByteArray doc;
  /*! \brief JSON text with the type schema, or empty. */
  TVMFFIByteArray metadata;
  /*! \brief Bits of TVMFFIFieldFlagBitMask. */
  int64_t flags;
  /*! \brief Size in bytes. */
  int64_t size;
  /*! \brief Alignment in bytes. */
  int64_t alignment;
  /*! \brief Offset in bytes from the object's header. */
  int64_t offset;
  /*! \brief Reads the field. */
  TVMFFIFieldGetter getter;
  /*! \brief A TVMFFIFieldSetter, or a Function object (see the flags); may be NULL. */
  void* setter;
  /*! \brief Default value, or the function that creates it. */
  TVMFFIAny default_value_or_factory;
  /*! \brief Type index of the field if known at compile time, or kTVMFFIAny. */
  int32_t field_static_type_index;
} TVMFFIFieldInfo;

/*! \brief Description of a method of an object type. */
typedef struct {
  /*! \brief Name. */
  TVMFFIByteArray name;
  /*! \brief Documentation, or empty. */
  TVMFFIByteArray doc;
  /*! \brief JSON text with the type schema, or empty. */
  TVMFFIByteArray metadata;
  /*! \brief Bits of TVMFFIFieldFlagBitMask. */
  int64_t flags;
  /*! \brief The function; a method takes the object first. */
  TVMFFIAny method;
} TVMFFIMethodInfo;

/*! \brief Metadata of an object type. */
typedef struct {
  /*! \brief Documentation, or empty. */
  TVMFFIByteArray doc;
  /*! \brief Creates a default object; may be NULL. */
  TVMFFIObjectCreator creator;
  /*! \brief Size of the object in bytes, including its header. */
  int32_t total_size;
  /*! \brief One of TVMFFISEqHashKind. */
  TVMFFISEqHashKind structural_eq_hash_kind;
} TVMFFITypeMetadata;

/*! \brief The values of one attribute, for a range of types. */
typedef struct {
  /*! \brief Element `i` is the value for type `begin_index + i`, or kTVMFFINone. */
  const TVMFFIAny* data;
  /*! \brief Number of values. */
  int32_t size;
  /*! \brief Type index of the first value. */
  int32_t begin_index;
} TVMFFITypeAttrColumn;

/*! \brief An entry of the type table. Valid until the process exits. */
typedef struct TVMFFITypeInfo {
  /*! \brief Type index. */
  int32_t type_index;
  /*! \brief Number of ancestors; 0 for the root. */
  int32_t type_depth;
  /*! \brief Unique name, for example "ffi.Tensor". */
  TVMFFIByteArray type_key;
  /*! \brief The ancestors, root first. */
  const struct TVMFFITypeInfo** type_ancestors;
  /*! \brief A hash of the name. */
  uint64_t type_key_hash;
  /*! \brief Number of own fields. */
  int32_t num_fields;
  /*! \brief Number of own methods. */
  int32_t num_methods;
  /*! \brief Own fields. */
  const TVMFFIFieldInfo* fields;
  /*! \brief Own methods. */
  const TVMFFIMethodInfo* methods;
  /*! \brief Metadata, or NULL. */
  const TVMFFITypeMetadata* metadata;
} TVMFFITypeInfo;

/* ---- Version ---- */

/*! \brief Reports the version of the C ABI that the loaded libtvm_ffi implements. */
TVM_FFI_DLL void TVMFFIGetVersion(TVMFFIVersion* out_version);

/* ---- Objects ---- */

/*! \brief Adds a strong reference; raises a ValueError for NULL. */
TVM_FFI_DLL int TVMFFIObjectIncRef(TVMFFIObjectHandle obj);

/*! \brief Drops a strong reference; dropping the last one destroys the object. NULL is allowed. */
TVM_FFI_DLL int TVMFFIObjectDecRef(TVMFFIObjectHandle obj);

/*!
 * \brief Wraps a foreign object.
 * \param handle The foreign object.
 * \param type_index Type of the wrapper, for example kTVMFFIOpaquePyObject.
 * \param deleter Called with `handle` when the wrapper is freed; may be NULL.
 * \param out Receives a new reference.
 */
TVM_FFI_DLL int TVMFFIObjectCreateOpaque(void* handle, int32_t type_index,
                                         void (*deleter)(void* handle), TVMFFIObjectHandle* out);

/*! \brief Returns the object allocator; never NULL. */
TVM_FFI_DLL TVMFFICustomAllocator* TVMFFIGetCustomAllocator(void);

/*!
 * \brief Replaces the process-wide object allocator; NULL restores the built-in one.
 *
 * Call it while only one thread is running. The allocator must outlive all objects.
 */
TVM_FFI_DLL int TVMFFISetCustomAllocator(TVMFFICustomAllocator* allocator);

/* ---- Types ---- */

/*! \brief Looks up a type's index by its name; raises a TypeError if no type has that name. */
TVM_FFI_DLL int TVMFFITypeKeyToIndex(const TVMFFIByteArray* type_key, int32_t* out_tindex);

/*!
 * \brief Registers a type, or looks it up if it is already registered.
 * \param type_key Unique name.
 * \param static_type_index Fixed index below kTVMFFIDynObjectBegin, or -1 to have one assigned.
 * \param type_depth Number of ancestors.
 * \param num_child_slots Indices to reserve for children, so that a range check identifies them.
 * \param child_slots_can_overflow Whether children beyond the reserved ones are allowed.
 * \param parent_type_index Type index of the parent, -1 for the root.
 * \return The type index; -1 after raising an error, for example if the parent or index differs.
 */
TVM_FFI_DLL int32_t TVMFFITypeGetOrAllocIndex(const TVMFFIByteArray* type_key,
                                              int32_t static_type_index, int32_t type_depth,
                                              int32_t num_child_slots,
                                              int32_t child_slots_can_overflow,
                                              int32_t parent_type_index);

/*! \brief Returns a type's entry, or NULL after raising a TypeError if no type has this index. */
TVM_FFI_DLL const TVMFFITypeInfo* TVMFFIGetTypeInfo(int32_t type_index);

/*! \brief Adds a field to a type; copies the description with its texts and default value. */
TVM_FFI_DLL int TVMFFITypeRegisterField(int32_t type_index, const TVMFFIFieldInfo* info);

/*! \brief Adds a method to a type; copies the texts and adds a reference to the function. */
TVM_FFI_DLL int TVMFFITypeRegisterMethod(int32_t type_index, const TVMFFIMethodInfo* info);

/*! \brief Sets the metadata of a type; raises a ValueError if the type already has metadata. */
TVM_FFI_DLL int TVMFFITypeRegisterMetadata(int32_t type_index, const TVMFFITypeMetadata* metadata);

/*! \brief Sets an attribute of a type to a copy of the value, replacing any previous value. */
TVM_FFI_DLL int TVMFFITypeRegisterAttr(int32_t type_index, const TVMFFIByteArray* attr_name,
                                       const TVMFFIAny* attr_value);

/*! \brief Returns the values of an attribute for all types; NULL if no type has it. */
TVM_FFI_DLL const TVMFFITypeAttrColumn* TVMFFIGetTypeAttrColumn(const TVMFFIByteArray* attr_name);

/* ---- Functions ---- */

/*!
 * \brief Creates a Function.
 * \param self State passed to `safe_call`; may be NULL.
 * \param safe_call The function.
 * \param deleter Called with `self` when the Function is freed; may be NULL.
 * \param out Receives a new reference.
 */
TVM_FFI_DLL int TVMFFIFunctionCreate(void* self, TVMFFISafeCallType safe_call,
                                     void (*deleter)(void* self), TVMFFIObjectHandle* out);

/*!
 * \brief Calls a Function and returns its code; see TVMFFISafeCallType.
 * \param func The Function; raises a TypeError for NULL or any other object.
 * \param args Arguments, lent for the call.
 * \param num_args Number of arguments.
 * \param result Receives an owned value; set its type to kTVMFFINone before the call.
 */
TVM_FFI_DLL int TVMFFIFunctionCall(TVMFFIObjectHandle func, TVMFFIAny* args, int32_t num_args,
                                   TVMFFIAny* result);

/*! \brief Looks up a global function; `out` receives a new reference, or NULL if there is none. */
TVM_FFI_DLL int TVMFFIFunctionGetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle* out);

/*!
 * \brief Registers a global function; adds a reference to `f`.
 *
 * Raises a ValueError if the name is taken and `allow_override` is 0.
 */
TVM_FFI_DLL int TVMFFIFunctionSetGlobal(const TVMFFIByteArray* name, TVMFFIObjectHandle f,
                                        int allow_override);

/*! \brief TVMFFIFunctionSetGlobal with documentation and metadata, which are copied. */
TVM_FFI_DLL int TVMFFIFunctionSetGlobalFromMethodInfo(const TVMFFIMethodInfo* method_info,
                                                      int allow_override);

/* ---- Values ---- */

/*!
 * \brief Copies a lent value into an owned one: adds a reference, copies lent strings and bytes.
 *
 * A kTVMFFIObjectRValueRef is moved from. A lent tensor, which has no owner, raises a TypeError.
 */
TVM_FFI_DLL int TVMFFIAnyViewToOwnedAny(const TVMFFIAny* any_view, TVMFFIAny* out);

/*! \brief Creates an owned string from a copy of the bytes, small or on the heap. */
TVM_FFI_DLL int TVMFFIStringFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/*! \brief Creates owned bytes from a copy of the bytes, small or on the heap. */
TVM_FFI_DLL int TVMFFIBytesFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/*!
 * \brief Creates an integer from two's-complement little-endian bytes.
 *
 * \param input The bytes; empty input is 0. The published runtime accepts only multiples of 8.
 * \param out Receives a kTVMFFIInt if it fits into 64 bits, an owned kTVMFFIBigInt otherwise.
 */
TVM_FFI_DLL int TVMFFIBigIntFromByteArray(const TVMFFIByteArray* input, TVMFFIAny* out);

/*!
 * \brief Returns the two's-complement little-endian bytes of an integer in the fewest 8-byte words.
 *
 * \param value A kTVMFFIInt or a kTVMFFIBigInt; for any other value the data is NULL.
 * \return The bytes, valid until the value is destroyed or moved.
 */
TVM_FFI_DLL TVMFFIByteArray TVMFFIBigIntGetContentByteArray(const TVMFFIAny* value);

/*! \brief Parses an element type such as "float32" or "int8x4"; raises a ValueError if invalid. */
TVM_FFI_DLL int TVMFFIDataTypeFromString(const TVMFFIByteArray* str, DLDataType* out);

/*! \brief Formats an element type as an owned string, for example "float32". */
TVM_FFI_DLL int TVMFFIDataTypeToString(const DLDataType* dtype, TVMFFIAny* out);

/* ---- Errors ---- */

/*! \brief Takes and clears the calling thread's raised error: an owned reference, or NULL. */
TVM_FFI_DLL void TVMFFIErrorMoveFromRaised(TVMFFIObjectHandle* result);

/*! \brief Raises an error in the calling thread, replacing any other; adds a reference to it. */
TVM_FFI_DLL void TVMFFIErrorSetRaised(TVMFFIObjectHandle error);

/*! \brief Raises an error with the given kind and message; a NULL kind means "RuntimeError". */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStr(const char* kind, const char* message);

/*! \brief Raises an error whose message is the joined parts; NULL parts are skipped. */
TVM_FFI_DLL void TVMFFIErrorSetRaisedFromCStrParts(const char* kind, const char** message_parts,
                                                   int32_t num_parts);

/*! \brief Creates an Error from copies of the texts; on failure, returns -1 and raises nothing. */
TVM_FFI_DLL int TVMFFIErrorCreate(const TVMFFIByteArray* kind, const TVMFFIByteArray* message,
                                  const TVMFFIByteArray* backtrace, TVMFFIObjectHandle* out);

/*! \brief TVMFFIErrorCreate with an optional cause and extra object; adds a reference to each. */
TVM_FFI_DLL int TVMFFIErrorCreateWithCauseAndExtraContext(
    const TVMFFIByteArray* kind, const TVMFFIByteArray* message, const TVMFFIByteArray* backtrace,
    TVMFFIObjectHandle cause_chain, TVMFFIObjectHandle extra_context, TVMFFIObjectHandle* out);

/*!
 * \brief Returns the backtrace text for an error that is about to be created.
 *
 * The text is the line for the given location. The callers are recorded as addresses for the error
 * that TVMFFIErrorCreate creates from this text, and are resolved to names when it is shown.
 * Without a location, the text lists the calls, most recent first.
 * \param filename Current source file, or NULL.
 * \param lineno Current line.
 * \param func Current function, or NULL.
 * \param cross_ffi_boundary 0 to stop at the innermost exported function.
 * \return The text, valid until the thread's next call.
 */
TVM_FFI_DLL const TVMFFIByteArray* TVMFFIBacktrace(const char* filename, int lineno,
                                                   const char* func, int cross_ffi_boundary);

/* ---- Tensors ---- */

/*!
 * \brief Creates a Tensor that owns a managed tensor.
 * \param from The managed tensor; on failure, the caller keeps ownership.
 * \param require_alignment Required alignment of the data in bytes; 0 for any.
 * \param require_contiguous If nonzero, rejects a tensor that is not compact and row-major.
 * \param out Receives a new reference.
 */
TVM_FFI_DLL int TVMFFITensorFromDLPack(DLManagedTensor* from, int32_t require_alignment,
                                       int32_t require_contiguous, TVMFFIObjectHandle* out);

/*! \brief Exports a Tensor in the pre-1.0 DLPack format; the receiver calls the deleter. */
TVM_FFI_DLL int TVMFFITensorToDLPack(TVMFFIObjectHandle from, DLManagedTensor** out);

/*! \brief TVMFFITensorFromDLPack for DLPack 1.x; raises a ValueError for other major versions. */
TVM_FFI_DLL int TVMFFITensorFromDLPackVersioned(DLManagedTensorVersioned* from,
                                                int32_t require_alignment,
                                                int32_t require_contiguous,
                                                TVMFFIObjectHandle* out);

/*! \brief Exports a Tensor in the DLPack 1.x format; the receiver calls the deleter. */
TVM_FFI_DLL int TVMFFITensorToDLPackVersioned(TVMFFIObjectHandle from,
                                              DLManagedTensorVersioned** out);

/*! \brief Creates a Tensor with the data and a copy of the layout of `prototype`; it keeps `source`
 * alive, but whether `source` owns the data is not checked. */
TVM_FFI_DLL int TVMFFITensorCreateUnsafeView(TVMFFIObjectHandle source, const DLTensor* prototype,
                                             TVMFFIObjectHandle* out);

/* ---- Handles that are initialised once ---- */

/*!
 * \brief Sets `*handle_addr` with `init_func` unless it is already set; concurrent callers wait.
 *
 * If `init_func` fails, its code is returned and the handle stays NULL. It must not set NULL.
 */
TVM_FFI_DLL int TVMFFIHandleInitOnce(void** handle_addr, int (*init_func)(void** result));

/*! \brief Sets `*handle_addr` to NULL and calls `deinit_func` with the handle, if it was set. */
TVM_FFI_DLL int TVMFFIHandleDeinitOnce(void** handle_addr, int (*deinit_func)(void* handle));

/* ---- Contents of values and objects ---- */

/* Inline, so they need no symbol of the library, and static, so each file has its own copy. */

/*!
 * \brief The type index of an object.
 * \param obj The object; not NULL.
 */
static inline int32_t TVMFFIObjectGetTypeIndex(TVMFFIObjectHandle obj) {
  return ((const TVMFFIObject*)obj)->type_index;
}

/*!
 * \brief The contents of a small string or of small bytes.
 * \param value A kTVMFFISmallStr or a kTVMFFISmallBytes; the type is not checked.
 * \return The bytes, valid until the value is destroyed or moved.
 */
static inline TVMFFIByteArray TVMFFISmallBytesGetContentByteArray(const TVMFFIAny* value) {
  TVMFFIByteArray content;
  content.data = value->v_bytes;
  content.size = value->small_str_len;
  return content;
}

/*!
 * \brief The contents of a string or of bytes.
 * \param obj A kTVMFFIStr or a kTVMFFIBytes, not NULL; the type is not checked.
 * \return The address of the contents, valid while the object lives.
 */
static inline TVMFFIByteArray* TVMFFIBytesGetByteArrayPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIByteArray*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief The contents of an error.
 * \param obj A kTVMFFIError, not NULL; the type is not checked.
 * \return The address of the contents, valid while the object lives.
 */
static inline TVMFFIErrorCell* TVMFFIErrorGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIErrorCell*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief The contents of a function.
 * \param obj A kTVMFFIFunction, not NULL; the type is not checked.
 * \return The address of the contents, valid while the object lives.
 */
static inline TVMFFIFunctionCell* TVMFFIFunctionGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIFunctionCell*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief The contents of an opaque object.
 * \param obj An object from TVMFFIObjectCreateOpaque, not NULL; the type is not checked.
 * \return The address of the contents, valid while the object lives.
 */
static inline TVMFFIOpaqueObjectCell* TVMFFIOpaqueObjectGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIOpaqueObjectCell*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief The contents of a shape.
 * \param obj A kTVMFFIShape, not NULL; the type is not checked.
 * \return The address of the contents, valid while the object lives.
 */
static inline TVMFFIShapeCell* TVMFFIShapeGetCellPtr(TVMFFIObjectHandle obj) {
  return (TVMFFIShapeCell*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief The DLTensor in a tensor object.
 * \param obj A kTVMFFITensor, not NULL; the type is not checked.
 * \return The address of the DLTensor, valid while the object lives.
 */
static inline DLTensor* TVMFFITensorGetDLTensorPtr(TVMFFIObjectHandle obj) {
  return (DLTensor*)((TVMFFIObject*)obj + 1);
}

/*!
 * \brief Returns a device made from two integers.
 * \param device_type One of DLDeviceType; not checked.
 * \param device_id Index of the device among those of its type.
 */
static inline DLDevice TVMFFIDLDeviceFromIntPair(int32_t device_type, int32_t device_id) {
  DLDevice device;
  device.device_type = (DLDeviceType)device_type;
  device.device_id = device_id;
  return device;
}

/* ---- The layouts above never change ---- */

#ifdef __cplusplus
/*! \brief Fails to compile if a fact of the ABI does not hold. */
#define TVM_FFI_ABI_FACT(name, fact) static_assert(fact, #name)
#else
/*! \brief Fails to compile if a fact of the ABI does not hold (C99 has no static_assert). */
#define TVM_FFI_ABI_FACT(name, fact) typedef char tvm_ffi_abi_##name[(fact) ? 1 : -1]
#endif

TVM_FFI_ABI_FACT(device_size, sizeof(DLDevice) == 8);
TVM_FFI_ABI_FACT(dtype_size, sizeof(DLDataType) == 4);
TVM_FFI_ABI_FACT(any_size, sizeof(TVMFFIAny) == 16);
TVM_FFI_ABI_FACT(any_value, offsetof(TVMFFIAny, v_int64) == 8);
#if UINTPTR_MAX > 0xffffffffu
TVM_FFI_ABI_FACT(tensor_size, sizeof(DLTensor) == 48);
TVM_FFI_ABI_FACT(tensor_offset, offsetof(DLTensor, byte_offset) == 40);
TVM_FFI_ABI_FACT(managed_size, sizeof(DLManagedTensor) == 64);
TVM_FFI_ABI_FACT(versioned_tensor, offsetof(DLManagedTensorVersioned, dl_tensor) == 32);
TVM_FFI_ABI_FACT(exchange_size, sizeof(DLPackExchangeAPI) == 56);
TVM_FFI_ABI_FACT(object_size, sizeof(TVMFFIObject) == 24);
TVM_FFI_ABI_FACT(object_type, offsetof(TVMFFIObject, type_index) == 8);
TVM_FFI_ABI_FACT(object_deleter, offsetof(TVMFFIObject, deleter) == 16);
TVM_FFI_ABI_FACT(bytes_size, sizeof(TVMFFIByteArray) == 16);
TVM_FFI_ABI_FACT(shape_size, sizeof(TVMFFIShapeCell) == 16);
TVM_FFI_ABI_FACT(seq_size, sizeof(TVMFFISeqCell) == 32);
TVM_FFI_ABI_FACT(error_size, sizeof(TVMFFIErrorCell) == 72);
TVM_FFI_ABI_FACT(error_update, offsetof(TVMFFIErrorCell, update_backtrace) == 48);
TVM_FFI_ABI_FACT(function_size, sizeof(TVMFFIFunctionCell) == 16);
TVM_FFI_ABI_FACT(field_size, sizeof(TVMFFIFieldInfo) == 120);
TVM_FFI_ABI_FACT(method_size, sizeof(TVMFFIMethodInfo) == 72);
TVM_FFI_ABI_FACT(metadata_size, sizeof(TVMFFITypeMetadata) == 32);
TVM_FFI_ABI_FACT(type_size, sizeof(TVMFFITypeInfo) == 72);
TVM_FFI_ABI_FACT(allocator_size, sizeof(TVMFFICustomAllocator) == 16);
#endif

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* TVM_FFI_C_API_H_ */
