//===- Passes.h - Passes on the sm dialect ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From a planned kernel to barriers and addresses. Passes.td has the contract
// of each pass; docs/passes/ has its rules, with examples.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_TRANSFORMS_PASSES_H
#define TESSERA_DIALECT_SM_TRANSFORMS_PASSES_H

#include "tessera/Support/LLVM.h"

#include "mlir/Pass/Pass.h"

namespace tessera::sm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_TRANSFORMS_PASSES_H
