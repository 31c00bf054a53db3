// SPDX-License-Identifier: Apache-2.0
// Checks whether NVSHMEM can allocate on this machine, in a job of one: the allocator's test is
// skipped if even this fails, for example without a network interface.

#include <nvshmem.h>
#include <nvshmemx.h>

#include <cstdio>
#include <cstdlib>

static void check(const char* call, int status) {
  if (status == 0) return;
  std::printf("%s: status %d\n", call, status);
  std::exit(1);
}

int main() {
  nvshmemx_uniqueid_t id = NVSHMEMX_UNIQUEID_INITIALIZER;
  check("nvshmemx_get_uniqueid", nvshmemx_get_uniqueid(&id));
  nvshmemx_init_attr_t attributes = NVSHMEMX_INIT_ATTR_INITIALIZER;
  check("nvshmemx_set_attr_uniqueid_args", nvshmemx_set_attr_uniqueid_args(0, 1, &id, &attributes));
  check("nvshmemx_hostlib_init_attr",
        nvshmemx_hostlib_init_attr(NVSHMEMX_INIT_WITH_UNIQUEID, &attributes));
  void* block = nvshmem_malloc(64);
  check("nvshmem_malloc", block == nullptr);
  nvshmem_free(block);
  nvshmemx_hostlib_finalize();
}
