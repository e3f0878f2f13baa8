//===- TileAttrs.td - Attributes of the tile dialect -------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEATTRS
#define TESSERA_DIALECTS_TILE_IR_TILEATTRS

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/AttrTypeBase.td"

class Tile_Attr<string name, string mnemonic_> : AttrDef<Tile_Dialect, name> {
  let mnemonic = mnemonic_;
}

def Tile_SizeAttr : Tile_Attr<"Size", "size"> {
  let summary = "an expression over the named sizes of a kernel";
  let description = [{
    An affine expression over names of dimensions or of `index` parameters: `M`, `128`,
    `B + 1`, `H floordiv G`, `(M ceildiv 2) * 2`. It is evaluated once, at launch. The
    attribute lists its symbols in the order of their first use and has no unused symbols, so
    equal expressions are one attribute.

    A launch binds each symbol from a dimension of the form `symbol + constant`, or from
    the `index` parameter of that name, and checks all other occurrences.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N, 2 * D] x f32>,
                   %cu: !tile.global<[B + 1] x i32>, %D: index) grid() {
      %n = tile.size N * 2 - 1
    }
    ```
  }];
  let parameters = (ins ArrayRefParameter<"::mlir::StringAttr">:$symbols,
                        "::mlir::AffineExpr":$expr);
  let hasCustomAssemblyFormat = 1;
  let extraClassDeclaration = [{
    /// Returns the size that is the name `symbol`.
    static SizeAttr getSymbol(::mlir::StringAttr symbol);
    static SizeAttr getConstant(::mlir::MLIRContext *context, int64_t value);
    /// Returns `expr` over `symbols` (symbol i is s_i) in normal form: simplified, without
    /// unused symbols, with symbols in the order of their first use.
    static SizeAttr getNormalized(::mlir::MLIRContext *context,
                                  ::llvm::ArrayRef<::mlir::StringAttr> symbols,
                                  ::mlir::AffineExpr expr);

    /// Returns the value, if no symbol occurs.
    std::optional<int64_t> getConstantValue() const;
    /// Returns the name, if the expression is one name; else null.
    ::mlir::StringAttr getSingleSymbol() const;
    /// Returns the constant c, if the expression is `symbol + c` for a single symbol.
    std::optional<int64_t> getOffsetFromSymbol() const;
    /// Returns the value under `lookup`; nothing if a symbol is unknown or the
    /// expression divides by a value below 1.
    std::optional<int64_t> evaluate(
        ::llvm::function_ref<std::optional<int64_t>(::llvm::StringRef)> lookup) const;
    /// Prints the bare expression, as in types and grids.
    void printExpression(::llvm::raw_ostream &os) const;
    std::string str() const;
    /// Parses a bare expression.
    static ::mlir::FailureOr<SizeAttr> parseExpression(::mlir::AsmParser &parser);
  }];
}

def Tile_AxisAttr : Tile_Attr<"Axis", "axis"> {
  let summary = "one axis of a kernel's grid";
  let description = [{
    `m in tiles(M, 128)` runs one program for every 128 elements of `M` and binds a range.
    `h in H` runs one program for each value below `H` and binds an `index`; its `tileExtent`
    is 0. The `grid` clause of `tile.kernel` contains the axes.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, H] x f32>) grid(%m in tiles(M, 128), %h in H) {
      %t = tile.load %x[%m, %h] : !tile.global<[M, H] x f32>, !tile.range<128 of M>, index -> tensor<128xf32>
    }
    ```
  }];
  let parameters = (ins "::mlir::StringAttr":$name, "::tessera::tile::SizeAttr":$size,
                        "int64_t":$tileExtent);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    bool isTiled() const { return getTileExtent() != 0; }
    /// The type of the block argument that the axis binds.
    ::mlir::Type getArgumentType() const;
    void printClause(::llvm::raw_ostream &os) const;
    static ::mlir::FailureOr<AxisAttr> parseClause(::mlir::AsmParser &parser,
                                                   ::mlir::StringAttr name);
  }];
}

def Tile_ScheduleAttr : Tile_Attr<"Schedule", "schedule"> {
  let summary = "hints for the schedule of a kernel";
  let description = [{
    Hints for later passes; a pass that cannot meet a hint emits a warning. A kernel computes
    the same without the attribute. Every field is optional; 0 and empty mean "the compiler
    chooses".

    | field | meaning |
    | --- | --- |
    | `warpgroups` | consumer warpgroups per CTA, 1 to 3 |
    | `warps` | warps per CTA of a kernel without MMAs: 1, 2 or 16; excludes `warpgroups` and the hints for MMAs |
    | `stages` | depth of the rings that operands arrive through, 1 to 16 |
    | `cluster` | CTAs per cluster along the grid axes, product at most 16 |
    | `registers` | registers per thread of a consumer, 24 to 256, multiple of 8 |
    | `exchange` | slots of a tile that warpgroups write for each other in a loop, 1 or 2 |
    | `mma_order` | the place of the order of MMAs in a loop, among those that are predicted to be the fastest, 1 to 8 |
    | `late_stores` | products whose results a loop only stores run one iteration late; their operands need two slots |
    | `pingpong` | consumer warpgroups alternate on the tensor cores; a single warpgroup needs `persistent` |
    | `persistent` | a launch has the number of CTAs that run at once, and each CTA runs many programs |
    | `dynamic` | each persistent CTA fetches its next program from an atomic counter; needs `persistent` |

    ```mlir
    tile.kernel @f() grid() schedule<warpgroups = 2, cluster = [2, 1], pingpong = true> {
    }
    ```
  }];
  let parameters = (ins DefaultValuedParameter<"int64_t", "0">:$warpgroups,
                        DefaultValuedParameter<"int64_t", "0">:$warps,
                        DefaultValuedParameter<"int64_t", "0">:$stages,
                        OptionalArrayRefParameter<"int64_t">:$cluster,
                        DefaultValuedParameter<"int64_t", "0">:$registers,
                        DefaultValuedParameter<"int64_t", "0">:$exchange,
                        DefaultValuedParameter<"int64_t", "0">:$mmaOrder,
                        DefaultValuedParameter<"bool", "false">:$lateStores,
                        DefaultValuedParameter<"bool", "false">:$pingpong,
                        DefaultValuedParameter<"bool", "false">:$persistent,
                        DefaultValuedParameter<"bool", "false">:$dynamic);
  let hasCustomAssemblyFormat = 1;
  let genVerifyDecl = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEATTRS
