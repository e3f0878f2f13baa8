//===- Variants.h - The variant of a kernel to simulate ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_HOST_VARIANTS_H
#define TESSERA_TOOLS_HOST_VARIANTS_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Interpreter/SizeBinding.h"
#include "tessera/Pipelines/Phases.h"

#include "mlir/IR/BuiltinOps.h"

namespace tessera::tools {

/// Returns the last phase whose kernels the simulator executes.
const Phase &getLastSimulatedPhase();

/// Returns all kernels of the `sm` level.
SmallVector<sm::KernelOp> getVariants(ModuleOp module);

/// Returns the first of the variants of one kernel whose conditions hold, as a
/// launch chooses it. `bind` binds the sizes of the first variant; all variants
/// have the same parameters.
llvm::Expected<sm::KernelOp> chooseVariant(
    ArrayRef<sm::KernelOp> variants,
    function_ref<llvm::Expected<interp::SizeBinding>(sm::KernelOp)> bind);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_HOST_VARIANTS_H
