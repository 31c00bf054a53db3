// SPDX-License-Identifier: Apache-2.0
// Object types that Python uses as dataclasses.
#include <tvm/ffi/reflection/registry.h>
#include <tvm/ffi/tvm_ffi.h>

// [registration.begin]
namespace {

namespace ffi = tvm::ffi;
namespace refl = tvm::ffi::reflection;

class TileObj : public ffi::Object {
 public:
  int64_t rows = 0;
  int64_t cols = 0;
  int64_t stages = 2;
  ffi::List<ffi::String> tags;
  int64_t uses = 0;

  int64_t size() const { return rows * cols; }

  static constexpr bool _type_mutable = true;
  TVM_FFI_DECLARE_OBJECT_INFO("tile_plan.Tile", TileObj, ffi::Object);
};

class SwizzledTileObj : public TileObj {
 public:
  int64_t bits = 3;
  TVM_FFI_DECLARE_OBJECT_INFO_FINAL("tile_plan.SwizzledTile", SwizzledTileObj, TileObj);
};

TVM_FFI_STATIC_INIT_BLOCK() {
  refl::ObjectDef<TileObj>()
      .def_rw("rows", &TileObj::rows, "Rows of the tile.")
      .def_rw("cols", &TileObj::cols)
      .def_rw("stages", &TileObj::stages, refl::default_value(2))
      .def_rw(
          "tags", &TileObj::tags, refl::kw_only(true), refl::compare(false),
          refl::default_factory(ffi::Function::FromTyped([] { return ffi::List<ffi::String>(); })))
      .def_rw("uses", &TileObj::uses, refl::init(false), refl::repr(false), refl::compare(false))
      .def("size", &TileObj::size);
  refl::ObjectDef<SwizzledTileObj>().def_ro("bits", &SwizzledTileObj::bits, refl::default_value(3));
}

}  // namespace
// [registration.end]
