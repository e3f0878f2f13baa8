//===- Variants.cpp - The variant of a kernel to simulate -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/host/Variants.h"

using namespace tessera;
using namespace tessera::tools;

const Phase &tools::getLastSimulatedPhase() {
  const Phase *last = nullptr;
  for (const Phase &phase : getPhases())
    if (phase.level == Level::SM)
      last = &phase;
  return *last;
}

SmallVector<sm::KernelOp> tools::getVariants(ModuleOp module) {
  return llvm::to_vector(module.getOps<sm::KernelOp>());
}

llvm::Expected<sm::KernelOp> tools::chooseVariant(
    ArrayRef<sm::KernelOp> variants,
    function_ref<llvm::Expected<interp::SizeBinding>(sm::KernelOp)> bind) {
  sm::KernelOp first = variants.front();
  llvm::Expected<interp::SizeBinding> sizes = bind(first);
  if (!sizes)
    return sizes.takeError();
  std::string unmet;
  for (sm::KernelOp variant : variants) {
    unmet.clear();
    if (ArrayAttr conditions = variant.getConditionsAttr())
      for (auto condition : conditions.getAsRange<tile::SizeAttr>())
        if (sizes->evaluate(condition) != 0)
          unmet = condition.str();
    if (unmet.empty())
      return variant;
  }
  return array::makeError("kernel '" + sm::getSourceName(first) +
                          "' has no variant for these sizes: expected " +
                          unmet + " to be 0");
}
