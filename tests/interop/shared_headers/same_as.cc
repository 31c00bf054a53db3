// SPDX-License-Identifier: Apache-2.0
// any.h, optional.h, variant.h, object.h: whether two hold the same object.
#include <tvm/ffi/tvm_ffi.h>

#include <unordered_set>

#include "print.h"

namespace ffi = tvm::ffi;
using Either = ffi::Variant<ffi::Array<int>, ffi::Map<ffi::String, int>>;

int main() {
  const ffi::Array<int> one{1}, other{1};
  const ffi::Any any = one, none;
  std::cout << any.same_as(one) << any.same_as(other) << any.same_as(ffi::ObjectRef())
            << none.same_as(ffi::ObjectRef()) << none.same_as(one) << ffi::Any(1).same_as(one)
            << ffi::Any(1).same_as(ffi::ObjectRef()) << "\n";
  const ffi::Optional<ffi::Array<int>> some = one, nothing;
  std::cout << some.same_as(one) << some.same_as(other) << some.same_as(ffi::ObjectRef(one))
            << some.same_as(ffi::ObjectRef()) << nothing.same_as(ffi::ObjectRef())
            << nothing.same_as(one) << nothing.same_as(some) << "\n";
  const Either first = one, second = other, third = ffi::Map<ffi::String, int>();
  const ffi::ObjectPtrEqual equal;
  const ffi::ObjectPtrHash hash;
  std::cout << first.same_as(first) << first.same_as(second) << equal(first, Either(one))
            << equal(first, third) << (hash(first) == hash(one)) << (hash(first) == hash(second))
            << "\n";
  const std::unordered_set<Either, ffi::ObjectPtrHash, ffi::ObjectPtrEqual> set{first, second,
                                                                                first, third};
  std::cout << set.size() << "\n";
}
