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
  let summary = "roles, layouts and the order of work on a streaming multiprocessor";
  let description = [{
    A kernel of this dialect is the code of one CTA. Tiles in registers have a layout, tiles
    in shared memory a swizzle. Roles are groups of warps with a register budget. Each
    asynchronous operation is an op, and its result in flight has a type of its own.
    Elementwise work uses `arith` and `math` on tensors, control flow uses `scf`. The
    rationale, the forms of a kernel and the memory model are in `dialects/SM/README.md`.

    Three attributes may be on ops of several kinds or dialects:

    - `sm.target` on a module: the GPU that its kernels are compiled for, an `#sm.target`. The
      default is the first GPU of the table.
    - `sm.variant_of` on a kernel: the name of the kernel in the source.
    - `sm.scratch_address` on a conversion, a reduction, a scan or a tensor store: the start
      of its scratch memory, an i64. It is a multiple of 16 bytes within the shared memory of
      the kernel.
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
