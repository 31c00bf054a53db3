// SPDX-License-Identifier: Apache-2.0
// Addresses of symbols registered by the program: context symbols and the system library's.
#include "symbol_table.h"

#include <tvm/ffi/error.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <atomic>
#include <map>
#include <mutex>
#include <string>

#include "arguments.h"
#include "locks.h"

namespace ffi = tvm::ffi;

void ffi::SymbolTable::Set(const char* name, void* symbol) {
  std::lock_guard<std::mutex> lock(Lock());
  symbols_[name] = symbol;
  changes_.fetch_add(1, std::memory_order_release);
}

void* ffi::SymbolTable::Find(const std::string& name) {
  std::lock_guard<std::mutex> lock(Lock());
  auto found = symbols_.find(name);
  return found == symbols_.end() ? nullptr : found->second;
}

std::map<std::string, void*> ffi::SymbolTable::All() {
  std::lock_guard<std::mutex> lock(Lock());
  return symbols_;
}

std::mutex& ffi::SymbolTable::Lock() { return LockOf(Guarded::kSymbols); }

// Leaked on purpose: libraries register and look up symbols until the process exits.
ffi::SymbolTable& ffi::ContextSymbols() {
  static auto* table = new SymbolTable();
  return *table;
}

ffi::SymbolTable& ffi::SystemLibSymbols() {
  static auto* table = new SymbolTable();
  return *table;
}

namespace {

// Created while this library loads; see locks.h.
const bool made = (ffi::ContextSymbols(), ffi::SystemLibSymbols(), true);

}  // namespace

extern "C" {

int TVMFFIEnvModRegisterContextSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::ContextSymbols().Set(ffi::GivenText("TVMFFIEnvModRegisterContextSymbol: name", name),
                            symbol);
  TVM_FFI_SAFE_CALL_END();
}

int TVMFFIEnvModRegisterSystemLibSymbol(const char* name, void* symbol) {
  TVM_FFI_SAFE_CALL_BEGIN();
  ffi::SystemLibSymbols().Set(ffi::GivenText("TVMFFIEnvModRegisterSystemLibSymbol: name", name),
                              symbol);
  TVM_FFI_SAFE_CALL_END();
}
}
