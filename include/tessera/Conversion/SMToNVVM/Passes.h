//===- Passes.h - Lowering of the sm dialect --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_CONVERSION_SMTONVVM_PASSES_H
#define TESSERA_CONVERSION_SMTONVVM_PASSES_H

#include "tessera/Support/LLVM.h"

#include "mlir/Pass/Pass.h"

namespace tessera::sm {

#define GEN_PASS_DECL
#define GEN_PASS_REGISTRATION
#include "tessera/Conversion/SMToNVVM/Passes.h.inc"

} // namespace tessera::sm

#endif // TESSERA_CONVERSION_SMTONVVM_PASSES_H
