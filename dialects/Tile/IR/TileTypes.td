//===- TileTypes.td - Types of the tile dialect ------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILETYPES
#define TESSERA_DIALECTS_TILE_IR_TILETYPES

include "dialects/Tile/IR/TileAttrs.td"
include "dialects/Tile/IR/TileEnums.td"
include "mlir/IR/CommonTypeConstraints.td"

class Tile_Type<string name, string mnemonic_> : TypeDef<Tile_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Tile_GlobalType : Tile_Type<"Global", "global"> {
  let summary = "a tensor in global memory";
  let description = [{
    The type of a tensor parameter. Each dimension is a size expression (see
    `#tile.size`); strides are given at launch and row-major by default. The access is
    `in` (default), `out` or `inout`. A tensor that is `in` does not overlap a tensor that the
    same launch writes, so its loads may be moved freely.

    The declared type of the elements may be unsigned, as in `!tile.global<[N] x ui32>`. A
    launch checks the type of its argument. Values have no sign: loads and stores are of
    `i32`, and the operations that use them say how they are understood.

    ```mlir
    tile.kernel @f(%a: !tile.global<[M, 64] x bf16>,
                   %c: !tile.global<[M] x f32, out>) grid() {
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::tessera::tile::SizeAttr">:$shape,
                        "::mlir::Type":$declaredType, "::tessera::tile::Access":$access);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    int64_t getRank() const { return getShape().size(); }
    /// Returns the type of loaded and stored elements: the declared one without its sign.
    ::mlir::Type getElementType() const;
    bool isReadable() const { return getAccess() != Access::Out; }
    bool isWritable() const { return getAccess() != Access::In; }
  }];
}

def Tile_RangeType : Tile_Type<"Range", "range"> {
  let summary = "the part of a dimension that a tile covers";
  let description = [{
    `extent` consecutive indices from a start that is known at run time. Indices below a limit
    are *valid*. `!tile.range<128 of M>` is a range of the dimension named `M`: its limit is
    `M`, and it may only index a dimension of that name. `!tile.range<128>` may index any
    dimension.

    ```mlir
    tile.kernel @f(%n: index) grid() {
      %c0 = arith.constant 0 : index
      %r = tile.range %c0 to %n : !tile.range<128>
    }
    ```
  }];
  let parameters = (ins "int64_t":$extent,
                        OptionalParameter<"::mlir::StringAttr">:$dimension);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

//===----------------------------------------------------------------------===//
// Constraints
//===----------------------------------------------------------------------===//

// Constraints instead of the types themselves, so that operands print their whole type.
def Tile_Global : Type<CPred<"::llvm::isa<::tessera::tile::GlobalType>($_self)">,
                       "a global tensor", "::tessera::tile::GlobalType">;
def Tile_Range : Type<CPred<"::llvm::isa<::tessera::tile::RangeType>($_self)">,
                      "a range", "::tessera::tile::RangeType">;

def Tile_Float : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2],
                           "f64, f32, f16, bf16, f8E4M3FN or f8E5M2">;
def Tile_Integer : AnyTypeOf<[I1, I8, I16, I32, I64], "i1, i8, i16, i32 or i64">;
def Tile_Element : AnyTypeOf<[F64, F32, F16, BF16, F8E4M3FN, F8E5M2, I1, I8, I16, I32, I64],
    "an element type (f64, f32, f16, bf16, f8E4M3FN, f8E5M2, i1, i8, i16, i32, i64)">;

class Tile_TensorOf<list<Type> elements> : StaticShapeTensorOf<elements>;
def Tile_Tensor : StaticShapeTensorOf<[Tile_Element]>;
def Tile_BoolTensor : StaticShapeTensorOf<[I1]>;
def Tile_IndexTensor : StaticShapeTensorOf<[I32]>;

#endif // TESSERA_DIALECTS_TILE_IR_TILETYPES
