//===- SMProductOps.td - Matrix products -------------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMPRODUCTOPS
#define TESSERA_DIALECTS_SM_IR_SMPRODUCTOPS

include "dialects/SM/IR/SMOpBase.td"

def SM_MmaOperand : AnyTypeOf<[SM_Smem, SM_Tile], "a tile in shared memory or in registers">;
def SM_Accumulator : AnyTypeOf<[SM_Tile, SM_Pending], "a tile in registers, or pending">;

// An op of an MMA; `sm.mma.issue` lists the constraints of all.
class SM_ProductOp<string mnemonic, list<Trait> traits = []> : SM_EffectOp<mnemonic, traits> {
  let hasVerifier = 1;
}

def SM_MmaOp : SM_ProductOp<"mma", [
    AllTypesMatch<["accumulator", "result"]>, SM_Accesses]> {
  let summary = "matrix product on tensor cores, complete when the op ends";
  let description = [{
    `result = accumulator + op(a) op(b)`. Constraints: see `sm.mma.issue`.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %p = sm.mma %a, %b, %z : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
    }
    ```
  }];
  let arguments = (ins SM_MmaOperand:$a, SM_Smem:$b, SM_Tile:$accumulator,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    attr-dict `:` custom<Whole>(type($a)) `,` custom<Whole>(type($b)) `,` custom<Whole>(type($accumulator))
  }];
}

def SM_MmaIssueOp : SM_ProductOp<"mma.issue", [SM_Accesses, SM_Asynchronous]> {
  let summary = "starts a matrix product on tensor cores";
  let description = [{
    Issues the MMA as one group (PTX ISA, "wgmma.commit_group") and does not wait. The
    operands must not change until `sm.mma.await` or `sm.mma.retire` covers the group. The
    accumulator may be pending itself.

    Constraints (PTX ISA, "wgmma"):
    - C1: op(a) is MxK, op(b) is KxN, the accumulator MxN, as for `tile.gemm`.
    - C2: the accumulator has the layout `getAccumulator(M, N, warpgroups)` for the
      warpgroups of the role. Its elements are f32, or i32 for operands of i8. The MMA is
      split along M; along N if M / 64 is less than the number of warpgroups and divides it.
    - C3: operands are both f16, both bf16, both f32 (read as TF32), both of 8-bit float
      type or both i8; b is in shared memory.
    - C4: a is in shared memory, or in registers in the layout
      `getOperandA(M, K, bytes, warpgroups)`. In registers a is not transposed, and the MMA
      is not split along N.
    - C5: wgmma can read the operands in shared memory (`getMatrixDescriptor`). Operands of 8
      and 32 bits are K-major. If b is N-major and the MMA is split along N, each part has whole
      rows of the swizzle.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      %b = sm.scratch : !sm.smem<16x64xbf16, swizzle = 128>
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %p = sm.mma.issue %a, %b, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<16x64xbf16, swizzle = 128>, tensor<64x16xf32, #acc>
      %t = sm.mma.await %p : !sm.pending<tensor<64x16xf32, #acc>>
    }
    ```
  }];
  let arguments = (ins SM_MmaOperand:$a, SM_Smem:$b, SM_Accumulator:$accumulator,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs SM_Pending:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    attr-dict `:` custom<Whole>(type($a)) `,` custom<Whole>(type($b)) `,` custom<PendingAccumulator>(type($accumulator), type($result))
  }];
}

def SM_MmaAwaitOp : SM_EffectOp<"mma.await", [SM_Awaits]> {
  let summary = "waits for MMAs and yields their tile";
  let description = [{
    Waits until at most `leave` groups are in flight (0 if absent). These are the groups that
    were issued last; the pending tile must not belong to them.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      %b = sm.scratch : !sm.smem<16x64xbf16, swizzle = 128>
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %p = sm.mma.issue %a, %b, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<16x64xbf16, swizzle = 128>, tensor<64x16xf32, #acc>
      %q = sm.mma.issue %a, %b, %z transpose_b : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<16x64xbf16, swizzle = 128>, tensor<64x16xf32, #acc>
      %t = sm.mma.await %p leave 1 : !sm.pending<tensor<64x16xf32, #acc>>
      %u = sm.mma.await %q : !sm.pending<tensor<64x16xf32, #acc>>
    }
    ```
  }];
  let arguments = (ins SM_Pending:$pending, DefaultValuedAttr<I64Attr, "0">:$leave);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = "$pending (`leave` custom<PlainInteger>($leave)^)? attr-dict `:` custom<PendingResult>(type($pending), type($result))";
  let hasVerifier = 1;
}

def SM_MmaRetireOp : SM_EffectOp<"mma.retire", [SM_Awaits]> {
  let summary = "waits for all but the newest MMAs";
  let description = [{
    Waits until at most `leave` groups are in flight. The operands of the other groups may
    then be overwritten. The op yields no tile, so accumulators stay pending.

    ```mlir
    sm.kernel @f() grid() warps(4) {
      sm.mma.retire leave 1
    }
    ```
  }];
  let arguments = (ins I64Attr:$leave);
  let assemblyFormat = "`leave` custom<PlainInteger>($leave) attr-dict";
  let hasVerifier = 1;
}

def SM_DotOp : SM_EffectOp<"dot", [AllTypesMatch<["accumulator", "result"]>, SM_Accesses]> {
  let summary = "matrix product by multiply-adds of each thread";
  let description = [{
    For products that tensor cores do not support: f32 operands, small or odd shapes.
    Products and sums have the type of the accumulator (f32, or i32 for i8 operands).

    Constraints:
    - C1: op(a) is MxK, op(b) is KxN, the accumulator MxN, of any layout.

    ```mlir
    #blocked = #sm.layout<"16x8 = lane[8*(0,1) 4*(1,0)] warp[4*(4,0)]">
    sm.kernel @f() grid() warps(4) {
      %a = sm.scratch : !sm.smem<16x20xf32>
      %b = sm.scratch : !sm.smem<20x8xf32>
      %z = arith.constant dense<0.0> : tensor<16x8xf32, #blocked>
      %p = sm.dot %a, %b, %z : !sm.smem<16x20xf32>, !sm.smem<20x8xf32>, tensor<16x8xf32, #blocked>
    }
    ```
  }];
  let arguments = (ins SM_Smem:$a, SM_Smem:$b, SM_Tile:$accumulator,
                       UnitAttr:$transpose_a, UnitAttr:$transpose_b);
  let results = (outs SM_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $accumulator (`transpose_a` $transpose_a^)? (`transpose_b` $transpose_b^)?
    attr-dict `:` custom<Whole>(type($a)) `,` custom<Whole>(type($b)) `,` custom<Whole>(type($accumulator))
  }];
  let hasVerifier = 1;
}

#endif // TESSERA_DIALECTS_SM_IR_SMPRODUCTOPS
