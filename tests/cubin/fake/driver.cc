// SPDX-License-Identifier: Apache-2.0
// A libcuda.so.1 for machines without a GPU: it reads CUBINs, refuses what a driver would refuse,
// and records each call that changes state.
#include <cinttypes>
#include <cstdio>
#include <memory>
#include <mutex>
#include <set>

#include "fake.h"
#include "image.h"

namespace {

std::mutex mutex;
std::string log;
std::map<std::string, int> failures;
bool initialized = false;

void write(const std::string& line) {
  std::lock_guard<std::mutex> lock(mutex);
  log += line + "\n";
}

template <typename T>
std::string number(T value) {
  return std::to_string(value);
}
std::string text(unsigned x, unsigned y, unsigned z) {
  return number(x) + "," + number(y) + "," + number(z);
}
std::string hexadecimal(const void* data, size_t size) {
  std::string out;
  for (size_t i = 0; i < size; ++i) {
    char digits[3];
    std::snprintf(digits, sizeof digits, "%02x", static_cast<const uint8_t*>(data)[i]);
    out += digits;
  }
  return out;
}

}  // namespace

struct CUkern_st {
  const fake::KernelCode* code;
  CUlib_st* library;
  int max_dynamic_shared_memory[fake::kDevices];
};

struct CUlib_st {
  explicit CUlib_st(const void* data, int id) : image(data), id(id) {
    for (const auto& [name, code] : image.kernels()) {
      if (code.name.empty()) continue;
      kernels.push_back(CUkern_st{&code, this, {}});
    }
    for (CUkern_st& kernel : kernels) {
      for (int& limit : kernel.max_dynamic_shared_memory) limit = fake::kDefaultSharedMemory;
    }
  }
  fake::Image image;
  int id;
  std::vector<CUkern_st> kernels;
};

namespace {
std::set<CUlib_st*> libraries;
int next_library = 1;
}  // namespace

namespace fake {

CUresult result(const char* function, CUresult otherwise) {
  std::lock_guard<std::mutex> lock(mutex);
  auto found = failures.find(function);
  return found == failures.end() ? otherwise : static_cast<CUresult>(found->second);
}

int& current() {
  thread_local int device = -1;
  return device;
}

}  // namespace fake

extern "C" {

// The interface for tests.
const char* fake_log() {
  std::lock_guard<std::mutex> lock(mutex);
  static std::string told;
  told.swap(log);
  log.clear();
  return told.c_str();
}
void fake_fail(const char* function, int error) {
  std::lock_guard<std::mutex> lock(mutex);
  if (error == 0)
    failures.erase(function);
  else
    failures[function] = error;
}
int fake_loaded_libraries() { return static_cast<int>(libraries.size()); }

CUresult cuInit(unsigned) {
  const CUresult error = fake::result("cuInit");
  if (error == CUDA_SUCCESS) initialized = true;
  return error;
}
// NVRTC queries an available driver for private functions, but works without them.
CUresult cuGetExportTable(const void** table, const CUuuid*) {
  *table = nullptr;
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuDeviceGetCount(int* count) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  *count = fake::kDevices;
  return fake::result("cuDeviceGetCount");
}
CUresult cuDeviceGet(CUdevice* device, int ordinal) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (ordinal < 0 || ordinal >= fake::kDevices) return CUDA_ERROR_INVALID_DEVICE;
  *device = ordinal;
  return fake::result("cuDeviceGet");
}
CUresult cuDeviceGetAttribute(int* value, CUdevice_attribute attribute, CUdevice device) {
  if (device < 0 || device >= fake::kDevices) return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK:
      *value = fake::kDefaultSharedMemory;
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_SHARED_MEMORY_PER_BLOCK_OPTIN:
      *value = fake::kOptInSharedMemory[device];
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MAJOR:
      *value = fake::kComputeCapability[device][0];
      break;
    case CU_DEVICE_ATTRIBUTE_COMPUTE_CAPABILITY_MINOR:
      *value = fake::kComputeCapability[device][1];
      break;
    case CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return fake::result("cuDeviceGetAttribute");
}
CUresult cuCtxGetDevice(CUdevice* device) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (fake::current() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  *device = fake::current();
  return fake::result("cuCtxGetDevice");
}
// All contexts are primary; a context's handle is its device's number plus one.
CUresult cuDevicePrimaryCtxRetain(CUcontext* context, CUdevice device) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  *context = reinterpret_cast<CUcontext>(static_cast<uintptr_t>(device + 1));
  return fake::result("cuDevicePrimaryCtxRetain");
}
CUresult cuCtxSetCurrent(CUcontext context) {
  fake::current() = static_cast<int>(reinterpret_cast<uintptr_t>(context)) - 1;
  return fake::result("cuCtxSetCurrent");
}

CUresult cuLibraryLoadData(CUlibrary* library, const void* code, CUjit_option*, void**, unsigned,
                           CUlibraryOption*, void**, unsigned) {
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (code == nullptr) return CUDA_ERROR_INVALID_VALUE;
  if (fake::Image::is_ptx(code)) {
    write("text of " + number(std::strlen(static_cast<const char*>(code))) + " bytes");
    return CUDA_ERROR_INVALID_PTX;
  }
  if (!fake::Image::is_cubin(code)) return CUDA_ERROR_INVALID_IMAGE;
  const CUresult error = fake::result("cuLibraryLoadData");
  if (error != CUDA_SUCCESS) return error;
  auto loaded = std::make_unique<CUlib_st>(code, next_library++);
  *library = loaded.release();
  libraries.insert(*library);
  write("load library " + number((*library)->id));
  return CUDA_SUCCESS;
}
CUresult cuLibraryUnload(CUlibrary library) {
  if (libraries.erase(library) == 0) return CUDA_ERROR_INVALID_HANDLE;
  write("unload library " + number(library->id));
  // It stays in memory, so that using its kernels is an error rather than a crash.
  return fake::result("cuLibraryUnload");
}
CUresult cuLibraryGetKernel(CUkernel* kernel, CUlibrary library, const char* name) {
  if (libraries.count(library) == 0) return CUDA_ERROR_INVALID_HANDLE;
  for (CUkern_st& each : library->kernels) {
    if (each.code->name != name) continue;
    *kernel = &each;
    write("kernel " + each.code->name + " of library " + number(library->id));
    return fake::result("cuLibraryGetKernel");
  }
  return CUDA_ERROR_NOT_FOUND;
}
CUresult cuLibraryGetKernelCount(unsigned* count, CUlibrary library) {
  *count = static_cast<unsigned>(library->kernels.size());
  return fake::result("cuLibraryGetKernelCount");
}
CUresult cuLibraryEnumerateKernels(CUkernel* kernels, unsigned count, CUlibrary library) {
  for (unsigned i = 0; i < count && i < library->kernels.size(); ++i) {
    kernels[i] = &library->kernels[i];
  }
  return fake::result("cuLibraryEnumerateKernels");
}
CUresult cuKernelGetName(const char** name, CUkernel kernel) {
  *name = kernel->code->name.c_str();
  return fake::result("cuKernelGetName");
}
CUresult cuKernelGetAttribute(int* value, CUfunction_attribute attribute, CUkernel kernel,
                              CUdevice device) {
  if (device < 0 || device >= fake::kDevices) return CUDA_ERROR_INVALID_DEVICE;
  switch (attribute) {
    case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
      // The kernel's name gives its static shared memory in KB.
      *value = kernel->code->name.find("static40") == std::string::npos ? 0 : 40 * 1024;
      break;
    case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
      *value = kernel->max_dynamic_shared_memory[device];
      break;
    case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
      *value = 1024;
      break;
    default:
      return CUDA_ERROR_INVALID_VALUE;
  }
  return fake::result("cuKernelGetAttribute");
}
CUresult cuKernelSetAttribute(CUfunction_attribute attribute, int value, CUkernel kernel,
                              CUdevice device) {
  if (attribute != CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES || device < 0 ||
      device >= fake::kDevices) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  int held = 0;
  cuKernelGetAttribute(&held, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, device);
  if (value + held > fake::kOptInSharedMemory[device]) return CUDA_ERROR_INVALID_VALUE;
  kernel->max_dynamic_shared_memory[device] = value;
  write("shared memory of " + kernel->code->name + " on " + number(device) + ": " + number(value));
  return fake::result("cuKernelSetAttribute");
}
CUresult cuLaunchKernelEx(const CUlaunchConfig* config, CUfunction function, void** parameters,
                          void** extra) {
  auto* kernel = reinterpret_cast<CUkern_st*>(function);
  if (!initialized) return CUDA_ERROR_NOT_INITIALIZED;
  if (fake::current() < 0) return CUDA_ERROR_INVALID_CONTEXT;
  if (libraries.count(kernel->library) == 0) return CUDA_ERROR_INVALID_HANDLE;
  const unsigned threads = config->blockDimX * config->blockDimY * config->blockDimZ;
  const bool empty =
      threads == 0 || config->gridDimX == 0 || config->gridDimY == 0 || config->gridDimZ == 0;
  int held = 0;
  cuKernelGetAttribute(&held, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES, kernel, fake::current());
  const int limit = kernel->max_dynamic_shared_memory[fake::current()];
  // Unless the attribute is set, static plus dynamic shared memory is limited to 48 KB.
  const int room = limit == fake::kDefaultSharedMemory ? limit - held : limit;
  if (empty || threads > 1024 || config->gridDimY > 65535 || config->gridDimZ > 65535 ||
      config->sharedMemBytes > static_cast<unsigned>(room) || extra != nullptr) {
    return CUDA_ERROR_INVALID_VALUE;
  }
  const CUresult error = fake::result("cuLaunchKernel");
  if (error != CUDA_SUCCESS) return error;
  std::string line = "launch " + kernel->code->name + " of library " + number(kernel->library->id) +
                     " on " + number(fake::current()) + ": grid " +
                     text(config->gridDimX, config->gridDimY, config->gridDimZ) + " block " +
                     text(config->blockDimX, config->blockDimY, config->blockDimZ) + " shared " +
                     number(config->sharedMemBytes) + " stream " +
                     number(reinterpret_cast<uintptr_t>(config->hStream)) + " parameters";
  for (size_t i = 0; i < kernel->code->parameters.size(); ++i) {
    line += " " + hexadecimal(parameters[i], kernel->code->parameters[i]);
  }
  for (unsigned i = 0; i < config->numAttrs; ++i) {
    line += " attribute " + number(config->attrs[i].id);
    if (config->attrs[i].id == CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION) {
      const auto& size = config->attrs[i].value.clusterDim;
      line += "=" + text(size.x, size.y, size.z);
    }
  }
  write(line);
  return CUDA_SUCCESS;
}
CUresult cuLaunchKernel(CUfunction function, unsigned grid_x, unsigned grid_y, unsigned grid_z,
                        unsigned block_x, unsigned block_y, unsigned block_z, unsigned shared_bytes,
                        CUstream stream, void** parameters, void** extra) {
  CUlaunchConfig config{};
  config.gridDimX = grid_x, config.gridDimY = grid_y, config.gridDimZ = grid_z;
  config.blockDimX = block_x, config.blockDimY = block_y, config.blockDimZ = block_z;
  config.sharedMemBytes = shared_bytes;
  config.hStream = stream;
  return cuLaunchKernelEx(&config, function, parameters, extra);
}
CUresult cuGetErrorName(CUresult error, const char** name) {
  static const std::map<int, const char*> names = {
      {CUDA_ERROR_INVALID_VALUE, "CUDA_ERROR_INVALID_VALUE"},
      {CUDA_ERROR_NOT_INITIALIZED, "CUDA_ERROR_NOT_INITIALIZED"},
      {CUDA_ERROR_NO_DEVICE, "CUDA_ERROR_NO_DEVICE"},
      {CUDA_ERROR_INVALID_DEVICE, "CUDA_ERROR_INVALID_DEVICE"},
      {CUDA_ERROR_INVALID_IMAGE, "CUDA_ERROR_INVALID_IMAGE"},
      {CUDA_ERROR_INVALID_CONTEXT, "CUDA_ERROR_INVALID_CONTEXT"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "CUDA_ERROR_NO_BINARY_FOR_GPU"},
      {CUDA_ERROR_INVALID_HANDLE, "CUDA_ERROR_INVALID_HANDLE"},
      {CUDA_ERROR_NOT_FOUND, "CUDA_ERROR_NOT_FOUND"},
  };
  auto found = names.find(error);
  *name = found == names.end() ? nullptr : found->second;
  return *name == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}
CUresult cuGetErrorString(CUresult error, const char** told) {
  static const std::map<int, const char*> texts = {
      {CUDA_ERROR_INVALID_VALUE, "invalid argument"},
      {CUDA_ERROR_NOT_INITIALIZED, "initialization error"},
      {CUDA_ERROR_NO_DEVICE, "no CUDA-capable device is detected"},
      {CUDA_ERROR_INVALID_DEVICE, "invalid device ordinal"},
      {CUDA_ERROR_INVALID_IMAGE, "device kernel image is invalid"},
      {CUDA_ERROR_INVALID_CONTEXT, "invalid device context"},
      {CUDA_ERROR_NO_BINARY_FOR_GPU, "no kernel image is available for execution on the device"},
      {CUDA_ERROR_INVALID_HANDLE, "invalid resource handle"},
      {CUDA_ERROR_NOT_FOUND, "named symbol not found"},
  };
  auto found = texts.find(error);
  *told = found == texts.end() ? nullptr : found->second;
  return *told == nullptr ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

}  // extern "C"
