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
    Makes an `llvm.func` of every `sm.kernel`: a tile becomes the registers that one thread
    holds of it, as its layout says; what threads exchange goes through shuffles and shared
    memory; `index` is 32 bits wide, addresses in global memory 64.

    The arguments of the function are: the address of each tensor that is read or written
    by other means than tensor copies; the scalars; each expression of `tile.size` as i32;
    each stride that is not a constant as i64; one tensor map for each combination of
    tensor, box and swizzle. What a launch must know of the kernel is the JSON text in its
    attribute `sm.metadata` (`include/tessera/Runtime/KernelMetadata.h`).

    Requires: the fenced form (`sm-place-fences`). Establishes: only `llvm` and `nvvm` in kernels.
  }];
  let dependentDialects = [
    "::mlir::LLVM::LLVMDialect", "::mlir::NVVM::NVVMDialect",
    "::mlir::cf::ControlFlowDialect", "::mlir::scf::SCFDialect"
  ];
}

#endif // TESSERA_CONVERSION_SMTONVVM_PASSES
