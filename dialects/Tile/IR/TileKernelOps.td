//===- TileKernelOps.td - Kernels, sizes and ranges --------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEKERNELOPS
#define TESSERA_DIALECTS_TILE_IR_TILEKERNELOPS

include "dialects/Tile/IR/TileOpBase.td"

def Tile_KernelOp : Tile_Op<"kernel", [
    IsolatedFromAbove, Symbol, SingleBlockImplicitTerminator<"ReturnOp">,
    RecursiveMemoryEffects,
    DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmBlockArgumentNames"]>]> {
  let summary = "a kernel: one program per point of its grid";
  let description = [{
    The body runs once for every point of the grid. The runs are independent and their order
    is unspecified. The block arguments are the parameters (global tensors and scalars), then
    one argument for each grid axis: a range for a tiled axis, an `index` for other axes.
    `param_names` and the axes keep the names of the text, for `--arg NAME=…` and error
    messages.

    A launch binds each name in a dimension of a parameter (see `#tile.size`). An `index`
    parameter binds its own name as well.

    Constraints:
    - C1: parameters are global tensors or scalars of a tile element type or `index`.
    - C2: parameter names and axis names are identifiers and differ.
    - C3: each size name in a dimension, an axis or a `tile.size` of the body is bound: it is
      an `index` parameter, or occurs in a dimension as `name + constant`.
    - C4: the entry block has one argument per parameter and per axis, of its type.

    ```mlir
    tile.kernel @scale(%x: !tile.global<[M, N] x f32>, %by: f32,
                       %y: !tile.global<[M, N] x f32, out>)
        grid(%m in tiles(M, 16), %n in tiles(N, 64))
        schedule<warpgroups = 1> {
      %t = tile.load %x[%m, %n] : !tile.global<[M, N] x f32>, !tile.range<16 of M>, !tile.range<64 of N> -> tensor<16x64xf32>
      %s = tensor.splat %by : tensor<16x64xf32>
      %p = arith.mulf %t, %s : tensor<16x64xf32>
      tile.store %p to %y[%m, %n] : tensor<16x64xf32>, !tile.global<[M, N] x f32, out>, !tile.range<16 of M>, !tile.range<64 of N>
    }
    ```
  }];
  let arguments = (ins SymbolNameAttr:$sym_name, StrArrayAttr:$param_names,
                       TypedArrayAttrBase<Tile_AxisAttr, "grid axes">:$grid,
                       OptionalAttr<Tile_ScheduleAttr>:$schedule);
  let regions = (region SizedRegion<1>:$body);
  let hasCustomAssemblyFormat = 1;
  let hasRegionVerifier = 1;
  let extraClassDeclaration = [{
    unsigned getNumParams() { return getParamNames().size(); }
    ::mlir::Block::BlockArgListType getParams() {
      return getBody().getArguments().take_front(getNumParams());
    }
    ::mlir::Block::BlockArgListType getGridArguments() {
      return getBody().getArguments().drop_front(getNumParams());
    }
    ::llvm::StringRef getParamName(unsigned index) {
      return ::llvm::cast<::mlir::StringAttr>(getParamNames()[index]).getValue();
    }
    ::llvm::SmallVector<AxisAttr> getAxes() {
      return ::llvm::to_vector(getGrid().getAsRange<AxisAttr>());
    }
  }];
}

def Tile_ReturnOp : Tile_Op<"return", [Pure, Terminator, HasParent<"KernelOp">,
                                       ReturnLike]> {
  let summary = "the end of a kernel";
  let description = [{
    Ends the body of a kernel; not written in the custom form.

    ```mlir
    tile.kernel @empty() grid() {
      tile.return
    }
    ```
  }];
  let assemblyFormat = "attr-dict";
}

def Tile_SizeOp : Tile_Op<"size", [
    Pure, DeclareOpInterfaceMethods<OpAsmOpInterface, ["getAsmResultNames"]>]> {
  let summary = "the value of a size expression";
  let description = [{
    A named size of the kernel, or an expression of several, as an `index`. It is the
    same in every program of the grid.

    ```mlir
    tile.kernel @f(%x: !tile.global<[M, N] x f32>) grid() {
      %m = tile.size M
      %more = tile.size N - M + 1
    }
    ```
  }];
  let arguments = (ins Tile_SizeAttr:$size);
  let results = (outs Index:$result);
  let assemblyFormat = "custom<SizeExpression>($size) attr-dict";
  let hasFolder = 1;
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "a range from its start and its limit";
  let description = [{
    The indices `start`, `start + 1`, …, `start + extent - 1`. Indices below `limit` are
    valid. If the type names a dimension, the limit must be the size of that dimension.

    `full` states that all indices are valid (`start >= 0` and `start + extent <= limit`).
    `tile-peel-masks` sets it if it can prove this. A `full` range with an invalid index is
    undefined behaviour; the interpreter reports it.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid() {
      %c0 = arith.constant 0 : index
      %c64 = arith.constant 64 : index
      %n = tile.size N
      scf.for %i = %c0 to %n step %c64 {
        %r = tile.range %i to %n : !tile.range<64 of N>
        %t = tile.load %x[%r] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
      }
    }
    ```
  }];
  let arguments = (ins Index:$start, Index:$limit, UnitAttr:$full);
  let results = (outs Tile_Range:$result);
  let assemblyFormat = "$start `to` $limit (`full` $full^)? attr-dict `:` custom<WholeType>(type($result))";
  let hasVerifier = 1;
}

def Tile_ShiftOp : Tile_Op<"shift", [Pure, TypesMatchWith<
    "the result is an unnamed range of the same extent", "range", "result",
    "RangeType::get($_self.getContext(), ::llvm::cast<RangeType>($_self).getExtent(), {})">]> {
  let summary = "a range moved by a scalar";
  let description = [{
    The range with its start and its limit moved by `offset`. The result has no named
    dimension. For example, a kernel moves the range of one sequence into a packed tensor.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>, %by: index)
        grid(%n in tiles(N, 64)) {
      %moved = tile.shift %n by %by : !tile.range<64 of N>
      %t = tile.load %x[%moved] : !tile.global<[N] x f32>, !tile.range<64> -> tensor<64xf32>
    }
    ```
  }];
  let arguments = (ins Tile_Range:$range, Index:$offset);
  let results = (outs Tile_Range:$result);
  let assemblyFormat = "$range `by` $offset attr-dict `:` custom<WholeType>(type($range))";
  let builders = [OpBuilder<(ins "::mlir::Value":$range, "::mlir::Value":$offset)>];
}

class Tile_RangeQueryOp<string mnemonic> : Tile_Op<mnemonic, [Pure]> {
  let arguments = (ins Tile_Range:$range);
  let results = (outs Index:$result);
  let assemblyFormat = "$range attr-dict `:` custom<WholeType>(type($range))";
  let hasFolder = 1;
}

def Tile_StartOp : Tile_RangeQueryOp<"start"> {
  let summary = "the first index of a range";
  let description = [{
    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %s = tile.start %n : !tile.range<64 of N>
    }
    ```
  }];
}

def Tile_EndOp : Tile_RangeQueryOp<"end"> {
  let summary = "one past the last valid index of a range";
  let description = [{
    `min(start + extent, limit)`.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %e = tile.end %n : !tile.range<64 of N>
    }
    ```
  }];
}

def Tile_LimitOp : Tile_RangeQueryOp<"limit"> {
  let summary = "the limit of a range";
  let description = [{
    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %l = tile.limit %n : !tile.range<64 of N>
    }
    ```
  }];
}

def Tile_IndicesOp : Tile_Op<"indices", [Pure]> {
  let summary = "the indices of a range as a tile";
  let description = [{
    `start + i` for `i` below the extent, as `i32`. A launch checks that sizes fit into 32
    bits. An index beyond 32 bits keeps its low bits.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %i = tile.indices %n : !tile.range<64 of N> -> tensor<64xi32>
    }
    ```
  }];
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_IndexTensor:$result);
  let assemblyFormat = "$range attr-dict `:` custom<WholeType>(type($range)) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$range)>];
  let hasVerifier = 1;
}

def Tile_ValidOp : Tile_Op<"valid", [Pure]> {
  let summary = "the validity of the indices of a range, as a tile";
  let description = [{
    `start + i < limit` for `i` below the extent. All true for a `full` range.

    ```mlir
    tile.kernel @f(%x: !tile.global<[N] x f32>) grid(%n in tiles(N, 64)) {
      %v = tile.valid %n : !tile.range<64 of N> -> tensor<64xi1>
    }
    ```
  }];
  let arguments = (ins Tile_Range:$range);
  let results = (outs Tile_BoolTensor:$result);
  let assemblyFormat = "$range attr-dict `:` custom<WholeType>(type($range)) `->` type($result)";
  let builders = [OpBuilder<(ins "::mlir::Value":$range)>];
  let hasVerifier = 1;
  let hasFolder = 1;
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEKERNELOPS
