//===- CompilePackage.cpp - From a kernel to its machine code ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The place at which the compiler joins `tile-run --device cuda`; it is not
// there yet, and what is here says so. Everything behind it, from the package
// to the compared results, is what packages in files go through too.
//
//===----------------------------------------------------------------------===//

#include "CompilePackage.h"

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/IR/BuiltinOps.h"

using namespace tessera;

FailureOr<rt::KernelPackage> tools::compilePackage(ModuleOp module) {
  auto kernels = module.getOps<tile::KernelOp>();
  Location loc =
      kernels.empty() ? module.getLoc() : (*kernels.begin()).getLoc();
  return emitError(loc) << "cannot compile for cuda yet; run the kernel with "
                           "--device cpu, or a package of machine code";
}
