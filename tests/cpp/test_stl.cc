// SPDX-License-Identifier: Apache-2.0
// Rows: R7
// extra/stl.h: standard library containers as parameters, results and arguments.
#include <tvm/ffi/container/dict.h>
#include <tvm/ffi/container/list.h>
#include <tvm/ffi/extra/stl.h>
#include <tvm/ffi/tvm_ffi.h>

#include <random>

#include "expect.h"

namespace ffi = tvm::ffi;

namespace {

// The value read as a T after storing a value.
template <typename T, typename Value>
T Through(const Value& value) {
  return ffi::Any(value).template cast<T>();
}

template <typename T>
std::string Refusal(const ffi::Any& value) {
  return error_of([&] { value.cast<T>(); });
}

template <typename T>
std::string Schema() {
  return ffi::TypeTraits<T>::TypeSchema();
}

}  // namespace

// A std::vector is passed and returned as an Array; a List is accepted too.
std::vector<double> scaled(const std::vector<double>& x, double factor) {
  std::vector<double> y;
  for (double element : x) y.push_back(element * factor);
  return y;
}
void vectors() {
  const ffi::Function function = ffi::Function::FromTyped(scaled, "scaled");
  const std::vector<double> twice{2, 4};
  EXPECT(function(std::vector<double>{1, 2}, 2).cast<std::vector<double>>() == twice);
  EXPECT(function(ffi::Array<int>{1, 2}, 2).cast<std::vector<double>>() == twice);
  EXPECT(function(ffi::List<ffi::Any>{1, 2.0}, 2).cast<std::vector<double>>() == twice);
  EXPECT_EQ(function(std::vector<double>(), 2).type_index(), int32_t{kTVMFFIArray});
  std::mt19937 random(1);
  for (size_t size : {size_t{0}, size_t{1}, size_t{7}, size_t{10000}}) {
    std::vector<int64_t> numbers(size);
    for (int64_t& number : numbers) number = static_cast<int64_t>(random());
    EXPECT(Through<std::vector<int64_t>>(numbers) == numbers);
  }
  using Nested = std::vector<std::vector<std::string>>;
  const Nested nested{{"a", "longer than seven"}, {}};
  EXPECT(Through<Nested>(nested) == nested);
  const std::vector<bool> bits{true, false};
  EXPECT(Through<std::vector<bool>>(bits) == bits);
  EXPECT_THROWS(
      "TypeError: scaled(Array[float], float) -> Array[float]: argument 0: expected "
      "Array[float], got Array with str at index 1",
      function(ffi::Array<ffi::Any>{1, "x"}, 2));
  EXPECT_EQ(Refusal<Nested>(1),
            std::string("TypeError: Any: expected Array[Array[str]], got int 1"));
  EXPECT_EQ(Refusal<std::vector<int>>(nullptr),
            std::string("TypeError: Any: expected Array[int of 32 bits], got None"));
  EXPECT_EQ(Schema<std::vector<int>>(),
            std::string(R"({"type":"std::vector","args":[{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_vectors, vectors);

// A std::array accepts exactly its number of elements.
void arrays() {
  using Two = std::array<int64_t, 2>;
  EXPECT(Through<Two>(Two{1, 2}) == (Two{1, 2}));
  EXPECT(Through<Two>(ffi::List<int>{1, 2}) == (Two{1, 2}));
  EXPECT((Through<std::array<int, 0>>(ffi::Array<int>()).empty()));
  EXPECT_EQ(Refusal<Two>(ffi::Array<int>{1}),
            std::string("TypeError: Any: expected Array[int; 2], got Array of 1 element"));
  EXPECT_EQ(Refusal<Two>(ffi::Array<int>{1, 2, 3}),
            std::string("TypeError: Any: expected Array[int; 2], got Array of 3 elements"));
  EXPECT_EQ(Refusal<Two>(ffi::Array<ffi::Any>{1, "x"}),
            std::string("TypeError: Any: expected Array[int; 2], got Array with str at index 1"));
  EXPECT_EQ(Schema<Two>(), std::string(R"({"type":"std::array","args":[{"type":"int"},2]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_arrays, arrays);

// A std::tuple and a std::pair accept an Array or a List of their length.
void tuples() {
  using Pair = std::pair<int64_t, std::string>;
  using Triple = std::tuple<double, std::vector<int>, std::string>;
  EXPECT(Through<Pair>(Pair(1, "a")) == Pair(1, "a"));
  EXPECT(Through<Triple>(Triple(1.5, {1, 2}, "a")) == Triple(1.5, {1, 2}, "a"));
  EXPECT(Through<Pair>(ffi::List<ffi::Any>{2, "b"}) == Pair(2, "b"));
  EXPECT((Through<ffi::Tuple<int, ffi::String>>(Pair(3, "c")).get<0>()) == 3);
  EXPECT(Through<std::tuple<>>(std::tuple<>()) == std::tuple<>());
  EXPECT_EQ(Refusal<Pair>(ffi::Array<int>{1, 2, 3}),
            std::string("TypeError: Any: expected Tuple[int, str], got Array of 3 elements"));
  EXPECT_EQ(
      Refusal<Pair>(ffi::Array<int>{1, 2}),
      std::string("TypeError: Any: expected Tuple[int, str], got Array with int 2 at index 1"));
  EXPECT_EQ(Schema<std::tuple<int>>(),
            std::string(R"({"type":"std::tuple","args":[{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_tuples, tuples);

// A std::optional is its value or None, and may be omitted at the end.
void optionals() {
  const ffi::Function function = ffi::Function::FromTyped(
      [](std::optional<int> x, std::optional<std::vector<int>> y) -> std::optional<int64_t> {
        if (!x.has_value()) return std::nullopt;
        return *x + static_cast<int>(y.has_value() ? y->size() : 0);
      },
      "count");
  EXPECT(function() == nullptr);
  EXPECT_EQ(function(1).cast<int>(), 1);
  EXPECT_EQ(function(std::optional<int>(1), std::vector<int>{5, 6}).cast<int>(), 3);
  EXPECT(function(std::optional<int>(), nullptr) == nullptr);
  EXPECT_THROWS_WITH("TypeError: count(Optional[int of 32 bits], Optional[Array[int of 32 bits]])",
                     function("x"));
  EXPECT(ffi::Any().as<std::optional<int>>().has_value());
  EXPECT_EQ(Schema<std::optional<int>>(),
            std::string(R"({"type":"std::optional","args":[{"type":"int"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_optionals, optionals);

// A std::variant takes a value of one of its types; otherwise the first that it converts to wins.
void variants() {
  using Variant = std::variant<int64_t, double, std::string, std::vector<int>>;
  auto index = [](const ffi::Any& value) { return value.cast<Variant>().index(); };
  EXPECT_EQ(index(1), 0u);
  EXPECT_EQ(index(1.0), 1u);
  EXPECT_EQ(index("x"), 2u);
  EXPECT_EQ(index(ffi::Array<int>{1}), 3u);
  EXPECT_EQ(index(true), 0u);
  EXPECT_EQ((ffi::Any(2).cast<std::variant<double, int>>().index()), 1u);
  EXPECT_EQ(Through<double>(Variant(2.5)), 2.5);
  EXPECT_EQ(Through<std::vector<int>>(Variant(std::vector<int>{4}))[0], 4);
  EXPECT_EQ(Refusal<Variant>(nullptr),
            std::string("TypeError: Any: expected Variant[int, float, str, Array[int of 32 bits]], "
                        "got None"));
  EXPECT_EQ((Schema<std::variant<int, bool>>()),
            std::string(R"({"type":"std::variant","args":[{"type":"int"},{"type":"bool"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_variants, variants);

// A std::map or a std::unordered_map is passed as a Map; a Map and a Dict are accepted.
void maps() {
  using Sorted = std::map<std::string, std::vector<int>>;
  using Hashed = std::unordered_map<int64_t, double>;
  const Sorted sorted{{"b", {1, 2}}, {"a", {}}};
  EXPECT(Through<Sorted>(sorted) == sorted);
  EXPECT_EQ(ffi::Any(sorted).type_index(), int32_t{kTVMFFIMap});
  EXPECT_EQ((*Through<ffi::Map<ffi::String, ffi::Any>>(sorted).begin()).first, std::string("a"));
  Hashed hashed;
  for (int64_t i = 0; i < 1000; ++i) hashed[i * i] = static_cast<double>(i);
  EXPECT(Through<Hashed>(hashed) == hashed);
  EXPECT(Through<Hashed>(Hashed()).empty());
  EXPECT(Through<Hashed>(ffi::Dict<ffi::Any, ffi::Any>{{1, 2}}) == (Hashed{{1, 2.0}}));
  EXPECT_EQ(Refusal<Hashed>(1), std::string("TypeError: Any: expected Map[int, float], got int 1"));
  EXPECT_EQ(Refusal<Hashed>(ffi::Map<ffi::String, int>{{"k", 1}}),
            std::string("TypeError: Any: expected Map[int, float], got Map with a key str"));
  EXPECT_EQ(Refusal<Hashed>(ffi::Map<int, ffi::Any>{{7, "x"}}),
            std::string("TypeError: Any: expected Map[int, float], got Map with str at key 7"));
  EXPECT_EQ((Schema<std::map<std::string, int>>()),
            std::string(R"({"type":"std::map","args":[{"type":"std::string"},{"type":"int"}]})"));
  EXPECT_EQ(
      (Schema<std::unordered_map<int, bool>>()),
      std::string(R"({"type":"std::unordered_map","args":[{"type":"int"},{"type":"bool"}]})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_maps, maps);

// A std::function is passed and returned as a Function; its errors pass through.
void functions() {
  using Binary = std::function<int(int, int)>;
  const Binary divide = [](int x, int y) {
    TVM_FFI_CHECK(y != 0, ValueError) << "divide: y must not be 0";
    return x / y;
  };
  const auto back = Through<Binary>(divide);
  EXPECT_EQ(back(6, 3), 2);
  EXPECT_THROWS("ValueError: divide: y must not be 0", back(1, 0));
  const ffi::Function apply = ffi::Function::FromTyped(
      [](const std::function<std::string(std::string)>& f) { return f("a") + f("b"); }, "apply");
  const ffi::Function twice =
      ffi::Function::FromTyped([](const std::string& text) { return text + text; });
  EXPECT_EQ(apply(twice).cast<std::string>(), std::string("aabb"));
  EXPECT_THROWS(
      "TypeError: apply(Function(str) -> str) -> str: argument 0: expected "
      "Function(str) -> str, got int 1",
      apply(1));
  int calls = 0;
  const auto count = Through<std::function<void()>>(std::function<void()>([&] { ++calls; }));
  count();
  EXPECT_EQ(calls, 1);
  EXPECT(Through<Binary>(nullptr) == nullptr);
  EXPECT(ffi::Any(Binary()) == nullptr);
  EXPECT_EQ(Schema<Binary>(),
            std::string(R"({"type":"std::function","named_args":{"return":[{"type":"int"}],)"
                        R"("params":[{"type":"int"},{"type":"int"}]}})"));
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_functions, functions);

// Values passed through a function keep no object alive.
void references() {
  const ffi::Shape shape{1};
  const ffi::Function pass = ffi::Function::FromTyped(
      [](std::vector<std::optional<ffi::Shape>> shapes) { return shapes; });
  EXPECT_EQ(pass(std::vector<ffi::Shape>{shape, shape}).cast<ffi::Array<ffi::Any>>().size(), 2u);
  EXPECT_EQ(shape.use_count(), 1);
}
TVM_FFI_DLL_EXPORT_TYPED_FUNC(test_references, references);
