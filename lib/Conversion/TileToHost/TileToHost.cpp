//===- TileToHost.cpp - The pass tile-to-host -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Replaces each kernel by its function. The caller's part of the interface
// becomes attributes of the function.
//
//===----------------------------------------------------------------------===//

#include "tessera/Conversion/TileToHost/Passes.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "llvm/Support/MathExtras.h"

namespace tessera::host {
#define GEN_PASS_DEF_TILETOHOSTPASS
#include "tessera/Conversion/TileToHost/Passes.h.inc"
} // namespace tessera::host

using namespace tessera;
using namespace tessera::host;

namespace {
struct TileToHost : host::impl::TileToHostPassBase<TileToHost> {
  using TileToHostPassBase::TileToHostPassBase;

  void runOnOperation() override {
    if (lanes < 1 || lanes > 64 || !llvm::isPowerOf2_64(lanes)) {
      emitError(getOperation().getLoc())
          << "expected the option 'lanes' of tile-to-host to be a power of two "
             "up to 64, got "
          << int64_t(lanes);
      return signalPassFailure();
    }
    for (auto kernel :
         llvm::make_early_inc_range(getOperation().getOps<tile::KernelOp>())) {
      OpBuilder builder(kernel);
      FailureOr<HostFunction> lowered = lowerToHost(kernel, builder, lanes);
      if (failed(lowered))
        continue;
      SmallVector<Attribute> sizes(lowered->sizes.begin(),
                                   lowered->sizes.end());
      mlir::func::FuncOp function = lowered->function;
      function->setAttr("tile.sizes", builder.getArrayAttr(sizes));
      function->setAttr("tile.arena_bytes",
                        builder.getI64IntegerAttr(lowered->arenaBytes));
      if (lowered->isOrdered)
        function->setAttr("tile.ordered", builder.getUnitAttr());
      kernel.erase();
      ++numKernels;
    }
  }
};
} // namespace
