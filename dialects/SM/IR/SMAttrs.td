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
  let summary = "which register of which thread holds an element";
  let description = [{
    The encoding of a tensor in registers: a layout over the axes `register`, `lane` and
    `warp` in the text form of `docs/layouts.md`. Warps are those of the role that holds
    the value (of the kernel, if it has no roles). The shape of the layout is the shape of
    the tensor.

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
    The name of a row of the table of targets (`lib/Target/GpuTarget.cpp`), whose numbers
    are what verifiers and passes ask for: registers, shared memory, barriers, the shapes of
    products and of tensor copies. A module carries it as `sm.target`.

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
  let summary = "when an op of a loop runs";
  let description = [{
    Each op in the body of a scheduled loop has one, as the attribute `sm.schedule`. In the
    iteration with number t of the loop that `sm-apply-schedule` makes, the ops run in
    ascending `order`, those of stage s for iteration t - s of the loop as it is written:
    what has stage 1 runs an iteration late, beside what the next one does. Without its
    schedules the loop means the same.

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
