//===- RingCursors.h - Positions of a role in its rings ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A side of a ring or queue is two numbers, the index of the next slot and the
// parity of its phase. They are values of the role that has this side. Loops
// and conditions carry them next to their own values: each operation that
// changes the positions within its regions is replaced by one with more
// operands and results.
//
// Two sides share one position if their rings have equally many slots and
// advance equally often between loops and conditions. They are then at the same
// slot wherever a loop or condition begins and ends.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGCURSORS_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGCURSORS_H

#include "ExpandedRing.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// One side of a ring: that which fills it, or else that which uses it.
struct RingSide {
  Value ring;
  bool fills = false;

  bool operator==(const RingSide &other) const {
    return ring == other.ring && fills == other.fills;
  }
  bool operator!=(const RingSide &other) const { return !(*this == other); }
};

/// How far one side of a ring has come.
struct Position {
  Value index, parity;
};

/// The positions of one role at a place of it, which moves in program order.
class RingCursors {
public:
  using Machines = llvm::MapVector<Value, ExpandedRing>;
  /// Expands a block while its positions are the present ones.
  using BlockExpansion = llvm::function_ref<void(Block &)>;

  /// `landing` is the key of the barrier of copies that a role waits for.
  RingCursors(const Machines &machines, Value landing)
      : machines(machines), landing(landing) {}

  Position &operator[](RingSide side) {
    return positions[side.fills][side.ring];
  }
  const ExpandedRing &getMachine(Value ring) const {
    return machines.find(ring)->second;
  }

  /// Begins with the first slot on all sides that `role` has.
  void start(OpBuilder &builder, RoleOp role, const RingTurns &turns);

  /// The values that advance a side of a ring: 1, and the parity of the phase
  /// that is not the present one.
  struct Step {
    Value one, flipped;
  };
  Step makeStep(OpBuilder &builder, Location loc, RingSide side);
  /// Goes on to the next slot, whose phase is another one where the ring
  /// begins again.
  void advance(OpBuilder &builder, Location loc, RingSide side,
               const Step &step);

  /// Lets the loop or condition carry the positions that change in it, expands
  /// its blocks, and goes on after it.
  void carryThrough(scf::ForOp loop, BlockExpansion expand);
  void carryThrough(scf::IfOp op, BlockExpansion expand);
  void carryThrough(scf::WhileOp loop, BlockExpansion expand);

private:
  /// Returns the sides of rings or queues on which `op` goes on to another slot
  /// or phase.
  SmallVector<RingSide> getAdvanced(Operation *op) const;
  /// Finds the sides of `role` that advance together. Sides of rings that roles
  /// use alternately are excluded, since they also advance elsewhere.
  void findLeaders(RoleOp role, ArrayRef<RingSide> sides,
                   const RingTurns &turns);
  RingSide getLeader(RingSide side) const {
    return leaders[side.fills].lookup(side.ring);
  }
  /// Sides whose positions change within `op`.
  SmallVector<RingSide> getSidesIn(Operation *op) const;
  SmallVector<Value> getValues(ArrayRef<RingSide> sides);
  void setValues(ArrayRef<RingSide> sides, ValueRange values);
  void appendValues(ArrayRef<RingSide> sides, Operation *terminator);

  const Machines &machines;
  Value landing;
  /// Of the sides that use, and of those that fill.
  llvm::DenseMap<Value, Position> positions[2];
  /// The first of the sides that a side goes on together with.
  llvm::DenseMap<Value, RingSide> leaders[2];
};

/// Makes a constant as the machine counts slots and phases.
Value makeInteger(OpBuilder &builder, Location loc, int64_t value);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_RINGS_RINGCURSORS_H
