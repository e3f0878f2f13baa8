//===- SMDialect.td - The sm dialect -----------------------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMDIALECT
#define TESSERA_DIALECTS_SM_IR_SMDIALECT

include "mlir/IR/DialectBase.td"

def SM_Dialect : Dialect {
  let name = "sm";
  let cppNamespace = "::tessera::sm";
  let summary = "who computes a tile on a streaming multiprocessor, and when";
  let description = [{
    What one CTA executes: tiles in registers carry a layout, tiles in shared memory a
    swizzle; agents are roles with register budgets; every asynchronous act is an op, and
    what is in flight is a type. Elementwise work stays `arith` and `math` on tensors,
    control flow stays `scf`. The rationale, the forms of a kernel and the memory model
    stand in `dialects/SM/README.md`.

    Three attributes are of no op alone: `sm.target` on a module is the GPU that its kernels
    are compiled for, an `#sm.target`; a module without one is for the first GPU of the
    table, so that kernels written by hand need not name it. `sm.variant_of` on a kernel is
    the name of the kernel of the source that it is a variant of; `sm.scratch_address` on a conversion, a
    reduction, a scan or a tensor store is where its scratch memory begins, an i64 in
    multiples of 16 bytes within the shared memory of its kernel.
  }];
  let dependentDialects = [
    "::mlir::arith::ArithDialect", "::mlir::math::MathDialect",
    "::mlir::scf::SCFDialect", "::mlir::tensor::TensorDialect",
    "::tessera::tile::TileDialect"
  ];
  let useDefaultAttributePrinterParser = 1;
  let useDefaultTypePrinterParser = 1;
  let hasConstantMaterializer = 1;
  let hasOperationAttrVerify = 1;
}

#endif // TESSERA_DIALECTS_SM_IR_SMDIALECT
