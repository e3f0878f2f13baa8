//===- SpecializeVariants.cpp - Specialised and plain kernels ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-specialize-variants. The requirements of a kernel are only known
// after specialisation, so a copy is made before and kept where it is needed.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Plan.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/IR/SymbolTable.h"
#include "mlir/Pass/PassManager.h"

namespace tessera::sm {
#define GEN_PASS_DEF_SPECIALIZEVARIANTSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
class SpecializeVariants
    : public sm::impl::SpecializeVariantsPassBase<SpecializeVariants> {
public:
  using SpecializeVariantsPassBase::SpecializeVariantsPassBase;

  LogicalResult initialize(MLIRContext *) override {
    pipeline.addPass(createTmaStoresPass());
    pipeline.addPass(createPartitionPass());
    return success();
  }

  void runOnOperation() override {
    SymbolTable symbols(getOperation());
    for (KernelOp kernel : llvm::to_vector(getOperation().getOps<KernelOp>())) {
      KernelOp plain = kernel.clone();
      dropPlan(plain);
      bool mayBeSpecialized = !kernel->hasAttr(kVariantOfAttrName);
      if (mayBeSpecialized && failed(runPipeline(pipeline, kernel))) {
        plain.erase();
        return signalPassFailure();
      }
      if (!mayBeSpecialized || !kernel.getConditions() ||
          plain.getConditions()) {
        plain.erase();
        continue;
      }
      plain->setAttr(kVariantOfAttrName, kernel.getSymNameAttr());
      plain.setSymName((kernel.getSymName() + "_plain").str());
      symbols.insert(plain, std::next(kernel->getIterator()));
      ++numPlain;
    }
  }

private:
  /// It lives as long as the pass, by whose address times are reported.
  OpPassManager pipeline{KernelOp::getOperationName()};
};
} // namespace
