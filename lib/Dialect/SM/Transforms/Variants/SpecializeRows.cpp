//===- SpecializeRows.cpp - Variants for rows that fit ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-specialize-rows. Of a kernel without products it makes a variant
// for tensors whose vectors are aligned, and one for rows that are one tile.
// The kernel itself becomes the first that a launch is to try.
//
//===----------------------------------------------------------------------===//

#include "AlignedVectors.h"
#include "WholeRows.h"

#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Transforms/Passes.h"

namespace tessera::sm {
#define GEN_PASS_DEF_SPECIALIZEROWSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// Kernels that multiply have variants of their own, and are bound by other
/// things than the accesses of threads.
static bool isOfRows(KernelOp kernel) {
  if (kernel->hasAttr(kVariantOfAttrName) || kernel.getConditions() ||
      kernel.getPlanAttr())
    return false;
  return !kernel
              .walk([](Operation *op) {
                return isa<RoleOp, MmaOp, DotOp, FetchOp>(op)
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

namespace {
class SpecializeRows : public sm::impl::SpecializeRowsPassBase<SpecializeRows> {
public:
  using SpecializeRowsPassBase::SpecializeRowsPassBase;

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>()))
      if (isOfRows(kernel) && failed(specialize(kernel, symbols)))
        return signalPassFailure();
  }

private:
  LogicalResult specialize(KernelOp kernel, SymbolTable &symbols) {
    OwningOpRef<KernelOp> plain = kernel.clone();
    if (alignVectors(kernel) == 0)
      return success();
    ++numAligned;
    OwningOpRef<KernelOp> aligned = kernel.clone();
    FailureOr<bool> isWhole = keepRows(kernel);
    if (failed(isWhole))
      return failure();
    if (*isWhole) {
      ++numWhole;
      addVariant(kernel, std::move(aligned), "_aligned", symbols);
    }
    addVariant(kernel, std::move(plain), "_plain", symbols);
    return success();
  }

  /// Checks whether rows of one tile stay in registers, as `kernel` is then.
  /// Else it stays as it is.
  FailureOr<bool> keepRows(KernelOp kernel) {
    std::optional<WalkedSize> walked = findWalkedSize(kernel);
    if (!walked)
      return false;
    // In the module, as passes need it.
    OpBuilder builder(kernel);
    auto whole = cast<KernelOp>(builder.clone(*kernel));
    fixSize(whole, *walked);
    OpPassManager pipeline(KernelOp::getOperationName());
    pipeline.addPass(createCanonicalizerPass());
    LogicalResult result = runPipeline(pipeline, whole);
    markInBounds(whole);
    bool isKept = succeeded(result) && mergeLoads(whole) != 0;
    if (isKept) {
      kernel.setConditionsAttr(whole.getConditionsAttr());
      kernel.getBodyRegion().takeBody(whole.getBodyRegion());
    }
    whole.erase();
    if (failed(result))
      return failure();
    return isKept;
  }

  /// Adds `variant` after `kernel` and its variants.
  static void addVariant(KernelOp kernel, OwningOpRef<KernelOp> variant,
                         StringRef suffix, SymbolTable &symbols) {
    (*variant)->setAttr(kVariantOfAttrName, kernel.getSymNameAttr());
    (*variant).setSymName((kernel.getSymName() + suffix).str());
    Operation *last = kernel;
    for (Operation *next = last->getNextNode(); next;
         next = next->getNextNode()) {
      auto other = dyn_cast<KernelOp>(next);
      if (!other || getSourceName(other) != kernel.getSymName())
        break;
      last = next;
    }
    symbols.insert(variant.release(), std::next(last->getIterator()));
  }
};
} // namespace
