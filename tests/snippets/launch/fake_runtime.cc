// SPDX-License-Identifier: Apache-2.0
// The CUDA runtime without a GPU, linked into a library built by nvcc: three devices that run
// nothing, reject what CUDA documents as invalid, and log the calls that they receive.
#include <cuda_runtime_api.h>
#include <tvm/ffi/function.h>

#include <cctype>
#include <map>
#include <string>
#include <utility>

namespace {

struct Device {
  int major, minor;
  int optin;         // most bytes of shared memory per block
  int blocks;        // resident per multiprocessor, of any kernel
  bool cooperative;  // launches
};
constexpr int kMultiprocessors = 3;
constexpr int kDefaultShared = 48 << 10;
constexpr int kClusters = 2;
Device devices[] = {{9, 0, 232448, 8, true}, {8, 6, 101376, 6, true}, {5, 2, 49152, 4, false}};
constexpr int kDevices = sizeof(devices) / sizeof(devices[0]);

int clusters = kClusters;  // that can be resident at once
int static_shared = 0;     // bytes of each kernel
int ptx_version = 0;       // that kernels were compiled for; 0: the device's own
int current = 0;
cudaError_t last = cudaSuccess;
std::string lines;
std::map<std::pair<const void*, int>, int> limits;  // of dynamic shared memory

// Kernels register before the variables of this file are initialized.
std::string& name_of(const void* kernel) {
  static std::map<const void*, std::string> names;
  return names[kernel];
}

struct Configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
} pushed;

cudaError_t told(cudaError_t error) {
  if (error != cudaSuccess) last = error;
  return error;
}

int limit_of(const void* kernel) {
  const auto found = limits.find({kernel, current});
  return found == limits.end() ? kDefaultShared : found->second;
}

std::string text(dim3 size) {
  return std::to_string(size.x) + "," + std::to_string(size.y) + "," + std::to_string(size.z);
}

// The name without the compiler's additions.
std::string plain(const std::string& mangled) {
  const size_t end = mangled.find("_kernel");
  size_t begin = end;
  while (begin > 0 && (std::islower(mangled[begin - 1]) || mangled[begin - 1] == '_')) --begin;
  return mangled.substr(begin, end - begin) + "_kernel";
}

cudaError_t launch(const void* kernel, const cudaLaunchConfig_t& config) {
  const Device& device = devices[current];
  const dim3 grid = config.gridDim, block = config.blockDim;
  if (grid.x == 0 || grid.y == 0 || grid.z == 0 || block.x == 0)
    return told(cudaErrorInvalidConfiguration);
  if (config.dynamicSmemBytes > static_cast<size_t>(limit_of(kernel)))
    return told(cudaErrorInvalidValue);
  std::string line = "launch " + name_of(kernel) + " on " + std::to_string(current) + ": grid " +
                     text(grid) + " block " + text(block) + " shared " +
                     std::to_string(config.dynamicSmemBytes) + " stream " +
                     std::to_string(reinterpret_cast<uintptr_t>(config.stream));
  for (unsigned i = 0; i < config.numAttrs; ++i) {
    const cudaLaunchAttributeValue& value = config.attrs[i].val;
    switch (config.attrs[i].id) {
      case cudaLaunchAttributeCooperative:
        if (grid.x > static_cast<unsigned>(kMultiprocessors * device.blocks))
          return told(cudaErrorCooperativeLaunchTooLarge);
        if (value.cooperative) line += " cooperative";
        break;
      case cudaLaunchAttributeClusterDimension: {
        const dim3 cluster(value.clusterDim.x, value.clusterDim.y, value.clusterDim.z);
        if (device.major < 9 || grid.x % cluster.x != 0 || cluster.y != 1 || cluster.z != 1)
          return told(cudaErrorInvalidClusterSize);
        line += " cluster " + text(cluster);
        break;
      }
      case cudaLaunchAttributeProgrammaticStreamSerialization:
        if (value.programmaticStreamSerializationAllowed) line += " overlap";
        break;
      default:
        return told(cudaErrorNotSupported);
    }
  }
  lines += line + "\n";
  return cudaSuccess;
}

}  // namespace

extern "C" {

void** __cudaRegisterFatBinary(void*) {
  static void* handle = nullptr;
  return &handle;
}
// These two are called if g++ does not optimize.
char __cudaInitModule(void**) { return 0; }
void __cudaRegisterVar(void**, char*, char*, const char*, int, size_t, int, int) {}
void __cudaRegisterFatBinaryEnd(void**) {}
void __cudaUnregisterFatBinary(void**) {}
void __cudaRegisterFunction(void**, const char* host, char*, const char* name, int, uint3*, uint3*,
                            dim3*, dim3*, int*) {
  name_of(host) = plain(name);
}
cudaError_t __cudaGetKernel(cudaKernel_t* kernel, const void* host) {
  *kernel = static_cast<cudaKernel_t>(const_cast<void*>(host));
  return cudaSuccess;
}
unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, void* stream) {
  pushed = {grid, block, shared, static_cast<cudaStream_t>(stream)};
  return 0;
}
cudaError_t __cudaPopCallConfiguration(dim3* grid, dim3* block, size_t* shared, void* stream) {
  *grid = pushed.grid;
  *block = pushed.block;
  *shared = pushed.shared;
  *static_cast<cudaStream_t*>(stream) = pushed.stream;
  return cudaSuccess;
}
cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void**, size_t shared,
                               cudaStream_t stream) {
  cudaLaunchConfig_t config{};
  config.gridDim = grid;
  config.blockDim = block;
  config.dynamicSmemBytes = shared;
  config.stream = stream;
  return launch(kernel, config);
}
cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t* config, const void* kernel, void**) {
  return launch(kernel, *config);
}
cudaError_t cudaGetDevice(int* device) {
  *device = current;
  return cudaSuccess;
}
cudaError_t cudaSetDevice(int device) {
  if (device < 0 || device >= kDevices) return told(cudaErrorInvalidDevice);
  current = device;
  return cudaSuccess;
}
cudaError_t cudaDeviceGetAttribute(int* value, cudaDeviceAttr attribute, int number) {
  const Device& device = devices[number];
  lines += "attribute of " + std::to_string(number) + "\n";
  switch (attribute) {
    case cudaDevAttrMaxSharedMemoryPerBlockOptin:
      *value = device.optin;
      return cudaSuccess;
    case cudaDevAttrMultiProcessorCount:
      *value = kMultiprocessors;
      return cudaSuccess;
    case cudaDevAttrCooperativeLaunch:
      *value = device.cooperative;
      return cudaSuccess;
    case cudaDevAttrClusterLaunch:
      *value = device.major >= 9;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMajor:
      *value = device.major;
      return cudaSuccess;
    case cudaDevAttrComputeCapabilityMinor:
      *value = device.minor;
      return cudaSuccess;
    default:
      return told(cudaErrorNotSupported);
  }
}
cudaError_t cudaFuncGetAttributes(cudaFuncAttributes* attributes, const void*) {
  *attributes = {};
  const Device& device = devices[current];
  attributes->sharedSizeBytes = static_cast<size_t>(static_shared);
  attributes->ptxVersion = ptx_version != 0 ? ptx_version : 10 * device.major + device.minor;
  return cudaSuccess;
}
cudaError_t cudaFuncSetAttribute(const void* kernel, cudaFuncAttribute attribute, int value) {
  if (attribute != cudaFuncAttributeMaxDynamicSharedMemorySize ||
      value + static_shared > devices[current].optin)
    return told(cudaErrorInvalidValue);
  limits[{kernel, current}] = value;
  lines += "limit of " + name_of(kernel) + " on " + std::to_string(current) + ": " +
           std::to_string(value) + "\n";
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int* blocks, const void*, int,
                                                                   size_t, unsigned) {
  *blocks = devices[current].blocks;
  return cudaSuccess;
}
cudaError_t cudaOccupancyMaxActiveClusters(int* number, const void*, const cudaLaunchConfig_t*) {
  *number = clusters;
  return cudaSuccess;
}
cudaError_t cudaGetLastError() { return std::exchange(last, cudaSuccess); }
const char* cudaGetErrorName(cudaError_t error) {
  switch (error) {
    case cudaErrorCooperativeLaunchTooLarge:
      return "cudaErrorCooperativeLaunchTooLarge";
    case cudaErrorInvalidClusterSize:
      return "cudaErrorInvalidClusterSize";
    case cudaErrorInvalidConfiguration:
      return "cudaErrorInvalidConfiguration";
    case cudaErrorInvalidValue:
      return "cudaErrorInvalidValue";
    default:
      return "another error";
  }
}
const char* cudaGetErrorString(cudaError_t) { return "of the fake runtime"; }

}  // extern "C"

// For tests: the log since the last call.
static std::string log_lines() { return std::exchange(lines, ""); }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fake_log, log_lines);
// The number of clusters that run at once, and the kernels' shared memory and PTX version:
static void set_clusters(int number) { clusters = number; }
static void set_static_shared(int bytes) { static_shared = bytes; }
static void set_ptx_version(int version) { ptx_version = version; }
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fake_clusters, set_clusters);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fake_static_shared, set_static_shared);
TVM_FFI_DLL_EXPORT_TYPED_FUNC(fake_ptx_version, set_ptx_version);
