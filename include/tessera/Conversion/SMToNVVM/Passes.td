//===- Passes.td - From sm to llvm and nvvm ----------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_SMTONVVM_PASSES
#define TESSERA_CONVERSION_SMTONVVM_PASSES

include "mlir/Pass/PassBase.td"

def ConvertSMToNVVMPass : Pass<"convert-sm-to-nvvm", "::mlir::ModuleOp"> {
  let summary = "lower sm kernels to functions in llvm and nvvm";
  let description = [{
    Each kernel becomes an `llvm.func` that one thread executes; a tile becomes the registers of the
    thread.
    - Requires: form `fenced` (`sm-place-fences`).
    - Establishes: only `llvm` and `nvvm` in kernels, and `sm.metadata`: the JSON text that a launch
      needs (`include/tessera/Runtime/KernelMetadata.h`).
    - Refuses: an MMA that needs more registers than a thread has at the start of the kernel.
    See docs/passes/convert-sm-to-nvvm.md.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // TESSERA_CONVERSION_SMTONVVM_PASSES
