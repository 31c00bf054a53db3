// SPDX-License-Identifier: Apache-2.0
// Addresses of symbols registered by the program: context symbols and the system library's.
#ifndef TVM_FFI_SRC_SYMBOL_TABLE_H_
#define TVM_FFI_SRC_SYMBOL_TABLE_H_

#include <tvm/ffi/attributes.h>

#include <atomic>
#include <cstdint>
#include <map>
#include <mutex>
#include <string>

namespace tvm {
namespace ffi TVM_FFI_HIDDEN {

// Names and addresses, which any code may register at any time.
class SymbolTable {
 public:
  void Set(const char* name, void* symbol);
  void* Find(const std::string& name);
  std::map<std::string, void*> All();
  // The number of times a name was set.
  int64_t Changes() const { return changes_.load(std::memory_order_acquire); }

 private:
  static std::mutex& Lock();

  std::map<std::string, void*> symbols_;
  std::atomic<int64_t> changes_{0};
};

SymbolTable& ContextSymbols();
SymbolTable& SystemLibSymbols();

}  // namespace ffi TVM_FFI_HIDDEN
}  // namespace tvm

#endif  // TVM_FFI_SRC_SYMBOL_TABLE_H_
