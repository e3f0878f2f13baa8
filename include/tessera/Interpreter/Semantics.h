//===- Semantics.h - Table of operation semantics ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of semantics, from each operation to a function. Every family of
// operations registers its own functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_SEMANTICS_H
#define TESSERA_INTERPRETER_SEMANTICS_H

#include "tessera/Interpreter/Frame.h"

#include <functional>

namespace tessera::interp {

/// Executes one operation: reads its operands and sets its results.
using Semantics = std::function<LogicalResult(Operation *, Frame &)>;

/// The values of the induction variable of an `scf.for`.
struct LoopRange {
  ElementType type = ElementType::I64;
  int64_t start = 0;
  uint64_t stride = 1, trips = 0;

  /// Counts the iterations first, so that the last addition cannot overflow.
  /// Fails with a report if the step is not positive.
  static FailureOr<LoopRange> get(Operation *loop, Frame &frame);

  Tile at(uint64_t trip) const {
    return Tile::getInteger(
        type, wrap(type, int64_t(uint64_t(start) + trip * stride)));
  }

  /// Checks whether an iteration of `loop`, which has no bound, depends on
  /// memory and carried values alone, as one that waits for a lock by
  /// `AtomicOp`.
  template <typename AtomicOp>
  bool mayWait(Operation *loop) const {
    constexpr uint64_t unbounded = uint64_t(1) << 62;
    if (trips < unbounded || !loop->getRegion(0).getArgument(0).use_empty())
      return false;
    WalkResult walk =
        loop->walk([](AtomicOp) { return WalkResult::interrupt(); });
    return walk.wasInterrupted();
  }
};

class SemanticsTable {
public:
  /// Returns the table of the interpreter.
  static const SemanticsTable &get();

  template <typename OpTy>
  void add(Semantics semantics) {
    table[TypeID::get<OpTy>()] = std::move(semantics);
  }

  /// Adds semantics that take the operation by its class.
  template <typename OpTy>
  void add(LogicalResult (*semantics)(OpTy, Frame &)) {
    table[TypeID::get<OpTy>()] = [semantics](Operation *op, Frame &frame) {
      return semantics(cast<OpTy>(op), frame);
    };
  }

  /// Adds semantics that need a program of the grid; only the interpreter's
  /// table has them.
  template <typename OpTy>
  void add(LogicalResult (*semantics)(OpTy, ProgramFrame &)) {
    table[TypeID::get<OpTy>()] = [semantics](Operation *op, Frame &frame) {
      return semantics(cast<OpTy>(op), static_cast<ProgramFrame &>(frame));
    };
  }

  /// Returns the semantics of `op`, or null.
  const Semantics *lookup(Operation *op) const {
    auto it = table.find(op->getName().getTypeID());
    return it == table.end() ? nullptr : &it->second;
  }

private:
  DenseMap<TypeID, Semantics> table;
};

void addArithIntegerSemantics(SemanticsTable &table);
void addArithFloatSemantics(SemanticsTable &table);
void addArithCastSemantics(SemanticsTable &table);
void addMathSemantics(SemanticsTable &table);
void addControlFlowSemantics(SemanticsTable &table);
void addSplatSemantics(SemanticsTable &table);
void addTensorSemantics(SemanticsTable &table);
void addSizeSemantics(SemanticsTable &table);
void addTileRangeSemantics(SemanticsTable &table);
void addTileMemorySemantics(SemanticsTable &table);
void addTileComputeSemantics(SemanticsTable &table);
void addTileAsmSemantics(SemanticsTable &table);
void addTileDebugSemantics(SemanticsTable &table);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_SEMANTICS_H
