//===- SMAttrs.td - Attributes of the sm dialect -----------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMATTRS
#define TESSERA_DIALECTS_SM_IR_SMATTRS

include "dialects/SM/IR/SMDialect.td"
include "mlir/IR/AttrTypeBase.td"
include "mlir/IR/TensorEncoding.td"

class SM_Attr<string name, string mnemonic_, list<Trait> traits = []>
    : AttrDef<SM_Dialect, name, traits> {
  let mnemonic = mnemonic_;
}

def SM_LayoutAttr : SM_Attr<"Layout", "layout", [
    DeclareAttrInterfaceMethods<VerifiableTensorEncoding>]> {
  let summary = "the threads and registers that hold the elements of a tile";
  let description = [{
    The encoding of a tensor in registers: a layout over the axes `register`, `lane` and
    `warp` in the text form of `docs/layouts.md`. The warps are those of the role that holds
    the value, or of the kernel if it has no roles. Layout and tensor have the same shape.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f() grid() warps(4) {
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    }
    ```
  }];
  let parameters = (ins AttrParameter<"::tessera::layout::Layout", "the layout",
                                      "const ::tessera::layout::Layout &">:$layout);
  let hasCustomAssemblyFormat = 1;
}

def SM_TargetAttr : SM_Attr<"Target", "target"> {
  let summary = "the GPU that kernels are compiled for";
  let description = [{
    The name of a row in the table of targets (`lib/Target/GpuTarget.cpp`). Verifiers and
    passes take their limits from this row: registers, shared memory, barriers, the shapes of
    MMAs and of tensor copies. A module has it as attribute `sm.target`.

    Constraints:
    - C1: the table has a target of that name.

    ```mlir
    module attributes {sm.target = #sm.target<"sm_90a">} {
      sm.kernel @f() grid() warps(4) {
      }
    }
    ```
  }];
  let parameters = (ins StringRefParameter<"the architecture, as ptxas spells it">:$name);
  let assemblyFormat = "`<` $name `>`";
  let genVerifyDecl = 1;
  let extraClassDeclaration = [{
    const ::tessera::GpuTarget &getTarget() const;
  }];
}

def SM_OpScheduleAttr : SM_Attr<"OpSchedule", "schedule"> {
  let summary = "the stage and the order of an op in a pipelined loop";
  let description = [{
    Each op in the body of a scheduled loop has one, as attribute `sm.schedule`. In iteration
    t of the loop that `sm-apply-schedule` makes, the ops run in ascending `order`. An op of
    stage s runs for iteration t - s of the original loop, so an op of stage 1 runs one
    iteration late. The loop computes the same without its schedules.

    ```mlir
    #acc = #sm.layout<"64x16 = register[2*(0,1) 2*(8,0) 2*(0,8)] lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]">
    sm.kernel @f(%n: index) grid() warps(4) {
      %a = sm.scratch : !sm.smem<64x64xbf16, swizzle = 128>
      %b = sm.scratch : !sm.smem<64x16xbf16, swizzle = 32>
      %z = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
      %c0 = arith.constant 0 : index
      %c1 = arith.constant 1 : index
      %l = scf.for %i = %c0 to %n step %c1 iter_args(%x = %z) -> (tensor<64x16xf32, #acc>) {
        %p = sm.mma.issue %a, %b, %x {sm.schedule = #sm.schedule<0, 0>} : !sm.smem<64x64xbf16, swizzle = 128>, !sm.smem<64x16xbf16, swizzle = 32>, tensor<64x16xf32, #acc>
        %t = sm.mma.await %p {sm.schedule = #sm.schedule<0, 1>} : !sm.pending<tensor<64x16xf32, #acc>>
        scf.yield %t : tensor<64x16xf32, #acc>
      }
    }
    ```
  }];
  let parameters = (ins "int64_t":$stage, "int64_t":$order);
  let assemblyFormat = "`<` $stage `,` $order `>`";
  let genVerifyDecl = 1;
}

include "dialects/SM/IR/SMPlanAttrs.td"

#endif // TESSERA_DIALECTS_SM_IR_SMATTRS
