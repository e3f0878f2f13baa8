//===- EarlyExit.h - Loops whose last iterations do nothing -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A loop with a `break` carries a condition, and its body is inside of an `if`
// on the condition. Once the condition is false, it stays false, and no
// iteration changes anything. So an executor may leave the loop.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_EARLYEXIT_H
#define TESSERA_DIALECT_TILE_IR_EARLYEXIT_H

#include "mlir/Dialect/SCF/IR/SCF.h"

#include <optional>

namespace tessera::tile {

/// Returns the number of the carried value that is true while the iterations of
/// the loop have an effect; nothing if there is none.
std::optional<unsigned> findEarlyExit(mlir::scf::ForOp loop);

/// Checks whether `loop` has no bound of its own, as a `while` has none.
bool isUnbounded(mlir::scf::ForOp loop);

/// Checks whether `loop` never ends if the values that it carries recur. Such a
/// loop is unbounded, and an iteration depends on nothing else that changes.
bool isEndlessIfRepeated(mlir::scf::ForOp loop);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_EARLYEXIT_H
