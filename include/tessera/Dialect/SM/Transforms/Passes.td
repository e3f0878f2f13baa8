//===- Passes.td - Passes on the sm dialect ----------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_TRANSFORMS_PASSES
#define TESSERA_DIALECT_SM_TRANSFORMS_PASSES

include "mlir/Pass/PassBase.td"

class SM_KernelPass<string argument> : Pass<argument, "::tessera::sm::KernelOp"> {
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect"
  ];
}

def AllocateSmemPass : SM_KernelPass<"sm-allocate-smem"> {
  let summary = "give everything in shared memory an address";
  let description = [{
    Sets `address` of `sm.fetch`, `sm.stage`, `sm.scratch`, `sm.stages.alloc` and
    `sm.mbarrier.alloc`, the attribute `sm.scratch_address` of ops whose lowering goes
    through shared memory, and `shared_memory` of the kernel. Addresses that are there
    already are set anew.

    Tiles of one role (of the kernel, if it has no roles) that are not alive together share
    memory; roles run side by side and share none, and neither does what stands beside
    them. Operands of `sm.mma.issue` live to the end of their role.

    Requires: no rings. Establishes: form `expanded`. A kernel that needs more than a block
    can have is refused, with a list of what it holds.

    See docs/passes/sm-allocate-smem.md.
  }];
  let statistics = [
    Statistic<"numBuffers", "buffers", "Number of buffers placed">,
    Statistic<"numBytes", "bytes", "Bytes of shared memory">,
    Statistic<"numSaved", "saved", "Bytes that sharing saved">
  ];
}

#endif // TESSERA_DIALECT_SM_TRANSFORMS_PASSES
