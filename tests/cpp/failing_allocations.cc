// SPDX-License-Identifier: Apache-2.0
// A program in which the n-th allocation of an operation fails, for every n, alone or with all
// later ones. Each time the operation must succeed or throw an exception, leak nothing, and return
// its result afterwards. test_failing_allocations.py builds and runs it; it prints one line per
// operation.
#include <dlfcn.h>
#include <malloc.h>
#include <tvm/ffi/big_int.h>
#include <tvm/ffi/extra/c_env_api.h>
#include <tvm/ffi/extra/dataclass.h>
#include <tvm/ffi/extra/json.h>
#include <tvm/ffi/extra/module.h>
#include <tvm/ffi/extra/serialization.h>
#include <tvm/ffi/extra/storage.h>
#include <tvm/ffi/extra/structural_equal.h>
#include <tvm/ffi/extra/structural_hash.h>
#include <tvm/ffi/tvm_ffi.h>

#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <memory>
#include <string>

namespace ffi = tvm::ffi;

namespace {

constexpr long kNever = -1;
thread_local long left = kNever;  // how many more allocations succeed
thread_local bool only_one = false;
thread_local long live = 0;  // allocations not yet freed
thread_local long made = 0;

// Whether an allocation of this thread may succeed.
bool Allowed() {
  ++made;
  if (left == kNever) return true;
  if (left > 0) {
    --left;
    return true;
  }
  if (only_one) left = kNever;
  return false;
}

void* Counted(void* memory) {
  if (memory != nullptr) ++live;
  return memory;
}

}  // namespace

// The allocation functions of the whole process, operator new included.
extern "C" {
void* __libc_malloc(size_t size);
void* __libc_calloc(size_t count, size_t size);
void* __libc_realloc(void* memory, size_t size);
void* __libc_memalign(size_t alignment, size_t size);
void __libc_free(void* memory);

void* malloc(size_t size) { return Allowed() ? Counted(__libc_malloc(size)) : nullptr; }
void* calloc(size_t count, size_t size) {
  return Allowed() ? Counted(__libc_calloc(count, size)) : nullptr;
}
void* realloc(void* memory, size_t size) {
  if (!Allowed()) return nullptr;
  void* moved = __libc_realloc(memory, size);
  return memory == nullptr ? Counted(moved) : moved;
}
void* aligned_alloc(size_t alignment, size_t size) {
  return Allowed() ? Counted(__libc_memalign(alignment, size)) : nullptr;
}
int posix_memalign(void** memory, size_t alignment, size_t size) {
  *memory = aligned_alloc(alignment, size);
  return *memory == nullptr ? ENOMEM : 0;
}
void free(void* memory) {
  if (memory != nullptr) --live;
  __libc_free(memory);
}
}

namespace {

int failures = 0;

void Fail(const char* operation, const char* mode, long n, const std::string& why) {
  std::fprintf(stderr, "%s: allocation %ld fails (%s): %s\n", operation, n, mode, why.c_str());
  ++failures;
}

// Runs an operation with each of its allocations failing. If `keeps`, the operation registers
// something new each time it succeeds, and so keeps memory.
void Try(const char* name, const std::function<void()>& operation, bool keeps = false) {
  for (int warm = 0; warm < 3; ++warm) operation();  // create what is created only once
  made = 0;
  operation();
  const long count = made;
  long refused = 0;
  for (const bool single : {true, false}) {
    const char* mode = single ? "alone" : "with those that follow";
    for (long n = 0; n < count; ++n) {
      const long before = live;
      only_one = single;
      left = n;
      bool has_thrown = false;
      try {
        operation();
        left = kNever;
      } catch (const std::exception& error) {
        left = kNever;
        has_thrown = true;
      } catch (...) {
        left = kNever;
        Fail(name, mode, n, "something that is no std::exception was thrown");
      }
      refused += has_thrown ? 1 : 0;
      // A raised error that is not fetched stays until the next one.
      TVMFFIErrorSetRaised(nullptr);
      try {
        operation();
      } catch (const std::exception& error) {
        Fail(name, mode, n, std::string("afterwards: ") + error.what());
      }
      if (live != before && !keeps)
        Fail(name, mode, n, std::to_string(live - before) + " allocations stay");
    }
  }

  std::printf("%s: %ld allocations, %ld of %ld trials refused\n", name, count, refused, 2 * count);
  std::fflush(stdout);
}

void Expect(bool condition, const char* what) {
  if (!condition) TVM_FFI_THROW(AssertionError) << "expected " << what;
}

ffi::Map<ffi::String, ffi::Any> Nested() {
  ffi::Array<ffi::Any> numbers;
  for (int i = 0; i < 20; ++i) numbers.push_back(i);
  ffi::List<ffi::Any> texts;
  for (int i = 0; i < 20; ++i) texts.push_back(ffi::String("a text that is too long for a cell"));
  ffi::Dict<ffi::String, ffi::Any> inner;
  inner.Set("texts", texts);
  return {{"numbers", numbers}, {"inner", inner}, {"shape", ffi::Shape{1, 2, 3}}};
}

void Containers() {
  const ffi::Map<ffi::String, ffi::Any> nested = Nested();
  ffi::Map<int64_t, ffi::Any> squares;
  for (int64_t i = 0; i < 40; ++i) squares.Set(i, i * i);
  Expect(nested.size() == 3 && squares.at(7).cast<int>() == 49, "the values");
  ffi::List<int64_t> list;
  for (int64_t i = 0; i < 100; ++i) list.insert(list.begin(), i);
  list.erase(list.begin());
  Expect(list.size() == 99 && list[0] == 98, "the list");
}

void Functions() {
  const std::string name = "failing_allocations.add";
  const auto text = ffi::String("a text that is too long for a cell");
  ffi::Function::SetGlobal(name, ffi::Function::FromTyped([text](int64_t a, const ffi::String& b) {
                             return b + text + std::to_string(a);
                           }),
                           true);
  const auto sum = ffi::Function::GetGlobalRequired(name)(1, text).cast<ffi::String>();
  Expect(sum.size() == 2 * text.size() + 1, "the text");
}

void Errors() {
  const ffi::Function raise = ffi::Function::FromTyped([](int64_t i) {
    TVM_FFI_THROW(ValueError) << "a message that is too long for a cell: " << i;
  });
  try {
    raise(7);
  } catch (const ffi::Error& error) {
    if (error.kind() == "MemoryError") throw;
    Expect(error.kind() == "ValueError", "the kind");
    Expect(error.message() == "a message that is too long for a cell: 7", "the message");
    return;
  }
  Expect(false, "an error");
}

void Arguments() {
  const ffi::Function typed =
      ffi::Function::FromTyped([](const ffi::Array<int64_t>& a, double) { return a.size(); });
  try {
    typed(ffi::String("a text that is too long for a cell"), 1);
  } catch (const ffi::Error& error) {
    if (error.kind() == "MemoryError") throw;
    Expect(error.kind() == "TypeError", "the kind");
    return;
  }
  Expect(false, "an error");
}

struct CallDeleter {
  template <typename Managed>
  void operator()(Managed* tensor) const {
    tensor->deleter(tensor);
  }
};
template <typename Managed>
using Held = std::unique_ptr<Managed, CallDeleter>;

void Tensors() {
  ffi::Tensor tensor =
      ffi::Tensor::FromEnvAlloc(TVMFFIEnvTensorAlloc, {4, 8}, {kDLFloat, 32, 1}, {kDLCPU, 0});
  std::memset(tensor.data_ptr(), 0, 128);
  const ffi::Tensor view = tensor.as_strided({8, 4}, {1, 8});
  // If the transfer of ownership fails, the tensor stays with the caller.
  Held<DLManagedTensor> lent(view.ToDLPack());
  const ffi::Tensor back = ffi::Tensor::FromDLPack(lent.get());
  lent.release();
  Held<DLManagedTensorVersioned> versioned_lent(back.ToDLPackVersioned());
  const ffi::Tensor versioned = ffi::Tensor::FromDLPackVersioned(versioned_lent.get());
  versioned_lent.release();
  Expect(versioned.size(0) == 8 && versioned.data_ptr() == tensor.data_ptr(), "the tensor");
}

void JSON() {
  const ffi::String text =
      R"({"a": [1, 2.5, null, "a text that is too long for a cell"], "b": {}})";
  const ffi::json::Value value = ffi::json::Parse(text);
  Expect(ffi::json::Stringify(value).size() > 40, "the text");
}

void Graphs() {
  const ffi::Any value = Nested();
  const ffi::Any back = ffi::FromJSONGraph(ffi::ToJSONGraph(value));
  Expect(ffi::StructuralEqual()(value, back), "equal values");
  Expect(ffi::StructuralHash()(value) == ffi::StructuralHash()(back), "equal hashes");
}

void Copies() {
  const ffi::Any value = Nested();
  const ffi::Any copy = ffi::DeepCopy(value);
  Expect(ffi::RecursiveEq(value, copy), "equal values");
  Expect(ffi::RecursiveHash(value) == ffi::RecursiveHash(copy), "equal hashes");
  Expect(ffi::ReprPrint(value).size() > 100, "the text");
}

void Integers() {
  ffi::BigInt product = 1;
  for (int i = 2; i < 60; ++i) product *= i;
  const ffi::Any value = product;
  Expect(value.cast<ffi::BigInt>() % 59 == 0 && product / product == 1, "the factorial");
}

void Modules(const std::string& path) {
  const ffi::Module library = ffi::Module::LoadFromFile(path);
  const ffi::Function add_one = library->GetFunction("add_one").value();
  Expect(!library->GetFunction("no_such").has_value(), "no function");
  try {
    add_one(1);
  } catch (const ffi::Error& error) {
    if (error.kind() == "MemoryError") throw;
    return;
  }
  Expect(false, "an error");
}

void Lists() {
  const ffi::Function names =
      ffi::Function::GetGlobalRequired("ffi.FunctionListGlobalNamesFunctor");
  Expect(names().cast<ffi::Function>()(-1).cast<int64_t>() > 0, "names");
}

// Registers types and functions that are new each time, until a call succeeds.
void Types() {
  static int number = 0;
  const std::string key = "failing_allocations.Type" + std::to_string(number);
  const TVMFFIByteArray key_bytes = {key.data(), key.size()};
  const int32_t index = TVMFFITypeGetOrAllocIndex(&key_bytes, -1, 1, 0, 1, kTVMFFIObject);
  if (index < 0) ffi::detail::ThrowRaised(-1);
  TVMFFIFieldInfo field{};
  const std::string field_name = "a_field_with_a_name_that_is_too_long_for_a_cell";
  field.name = {field_name.data(), field_name.size()};
  field.getter = [](void*, TVMFFIAny*) { return 0; };
  field.size = 8;
  TVM_FFI_CHECK_SAFE_CALL(TVMFFITypeRegisterField(index, &field));
  ffi::Function::SetGlobal(key, ffi::Function::FromTyped([] {}), true);
  ++number;
}

void Stored() {
  const ffi::String key = ffi::storage::Key("failing_allocations.stored", {kDLCPU, 0});
  const auto made = ffi::storage::GetOrCreate<ffi::Array<int64_t>>(
      key, [] { return ffi::Array<int64_t>{1, 2, 3}; });
  Expect(made.size() == 3, "the stored value");
  ffi::storage::Erase(key);
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 2) {
    std::fprintf(stderr, "usage: %s LIBRARY\n", argv[0]);
    return 2;
  }
  const std::string library = argv[1];
  // The thread's storage for an error is created once.
  TVMFFIErrorSetRaisedFromCStr("MemoryError", "the first");
  TVMFFIErrorSetRaised(nullptr);
  Try("containers", Containers);
  Try("functions", Functions);
  Try("errors", Errors);
  Try("arguments", Arguments);
  Try("tensors", Tensors);
  Try("json", JSON);
  Try("graphs", Graphs);
  Try("copies", Copies);
  Try("integers", Integers);
  Try("modules", [&] { Modules(library); });
  Try("lists", Lists);
  Try("stored", Stored);
  Try("types", Types, true);
  return failures == 0 ? 0 : 1;
}
