//===- MachinePatterns.cpp - Shared memory, products, copies ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Patterns.h"

using namespace tessera;
using namespace tessera::sm;

std::optional<rt::TensorMapRecipe> sm::getTensorMapRecipe(Operation *op) {
  return std::nullopt;
}

void sm::populateMachinePatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {}

LogicalResult sm::lowerRoles(LoweringContext &context) { return success(); }
