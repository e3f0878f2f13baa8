//===- MostIterations.h - Upper bounds of iterations ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_ANALYSIS_MOSTITERATIONS_H
#define TESSERA_DIALECT_SM_ANALYSIS_MOSTITERATIONS_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "tessera/Support/LLVM.h"

namespace tessera::sm {

/// How often `loop` runs at most, if that is known though its bounds are not:
/// ranges start from multiples of the step, from where little may be left.
std::optional<int64_t> getMostIterations(scf::ForOp loop);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_ANALYSIS_MOSTITERATIONS_H
