// SPDX-License-Identifier: Apache-2.0
// The part of NVSHMEM that the allocator uses, in a single-PE job, for machines without a GPU.
#ifndef FAKE_NVSHMEM_H_
#define FAKE_NVSHMEM_H_

#include <cuda_runtime.h>

struct nvshmemx_uniqueid_t {
  char bytes[128];
};
struct nvshmemx_init_attr_t {
  int pe, pes;
};
#define NVSHMEMX_UNIQUEID_INITIALIZER \
  {                                   \
  }
#define NVSHMEMX_INIT_ATTR_INITIALIZER \
  {                                    \
  }
#define NVSHMEMX_INIT_WITH_UNIQUEID 8

inline int nvshmemx_get_uniqueid(nvshmemx_uniqueid_t*) { return 0; }
inline int nvshmemx_set_attr_uniqueid_args(int, int, nvshmemx_uniqueid_t*, nvshmemx_init_attr_t*) {
  return 0;
}
int nvshmemx_hostlib_init_attr(unsigned flags, nvshmemx_init_attr_t* attributes);
void nvshmemx_hostlib_finalize();
void* nvshmem_malloc(size_t size);
void nvshmem_free(void* data);

#endif  // FAKE_NVSHMEM_H_
