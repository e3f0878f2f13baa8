//===- RegisterPressure.h - Registers that tiles take -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// How many registers of a thread the tiles of a role, or of a kernel without
// roles, take at an op; for the scheduled form and those after it.
//
// Only registers that ptxas cannot avoid are counted:
//
// - A tile takes its registers from its definition to its last use, and through
//   a whole loop if the loop uses it.
// - An accumulator stays where it is: a product and what it is added to are
//   one. A product in flight holds its left operand, if that is in registers.
// - Views (splats, broadcasts, other shapes) share the registers of their
//   source; constants and masks take none.
// - Reads of shared memory, arithmetic by elements and stores go by slices: of
//   what they read and write, a thread needs the larger of both. So registers
//   are counted only at ops that need whole tiles: loads, products, awaits,
//   reductions, loops and branches.
// - Without products, tiles are widened at their uses and held in their narrow
//   type.
// - Rows of global tensors may start anywhere. A load then holds both aligned
//   chunks in which each vector lies (GlobalVectors.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_REGISTERPRESSURE_H
#define TESSERA_DIALECT_SM_IR_REGISTERPRESSURE_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/DenseSet.h"
#include "llvm/ADT/SetVector.h"

namespace tessera::sm {

/// Returns the registers of a thread that hold a value: those of a tile,
/// pending or not, and none for other types. Values that threads only unpack
/// are held packed.
int64_t getValueRegisters(Type type);
int64_t getValueRegisters(Value value);

/// Returns the ops with registers of their own: the roles of `kernel`, or the
/// kernel itself if it has none.
SmallVector<Operation *> getRegisterScopes(KernelOp kernel);

/// Registers that each thread of a role, or of a kernel without roles, may use.
int64_t getRegisterBudget(Operation *scope);

/// Registers of a thread that one wgmma of the product needs.
int64_t getProductNeed(Operation *product);

class RegisterPressure {
public:
  using Values = llvm::SetVector<Value>;

  /// Of a role, or of a kernel without roles. Ops must not be added or moved
  /// while the object is in use.
  explicit RegisterPressure(Operation *scope);

  /// Registers of tiles that a thread holds when `op` begins: its operands,
  /// and what is wanted after it. Its results are not among them.
  int64_t at(Operation *op) const { return before.lookup(op); }

  /// Registers that a thread is likely to need: what tiles take at the peak,
  /// and what else there is.
  int64_t getNeed() const;
  /// Returns the certain part of that need: chunks of rows may come a few at a
  /// time, and without products, loads may go by slices.
  int64_t getLeastNeed() const;
  /// Returns the registers that remain for tiles of a role with products if its
  /// threads have `registers`: addresses, positions of rings and masks are
  /// subtracted.
  int64_t getRoomForTiles(int64_t registers) const;
  /// Returns the op at which most is needed, or null if there are no tiles, and
  /// the values that are held there, the largest first.
  Operation *getPeak() const { return peak; }
  llvm::ArrayRef<Value> getHeld() const { return held; }

private:
  /// Checks whether what is no view takes no registers.
  bool isFree(Value value) const;
  /// Finds arithmetic on positions alone: what it yields is made anew for each
  /// slice.
  void findPositions(Operation *scope);
  /// Adds `value`, and what a product in flight reads.
  void want(Values &values, Value value) const;
  /// Adds what ops within `op` read and is defined outside of it.
  void wantCaptured(Values &values, Operation *op) const;
  /// Checks whether the tile that `op` loads arrives with others: ptxas starts
  /// all loads of an iteration before it waits for the first. In kernels with
  /// products sm-hoist-loads places the loads, and they stay there.
  bool arrivesWithOthers(Operation *op) const;
  /// Registers for addresses of `values`, where nothing is multiplied.
  int64_t countAddresses(const Values &values) const;
  void walk(Block &block, const Values &outer);
  void consider(Operation *op, const Values &values);
  /// The same where that needs `needed` registers with all that is no tile.
  void consider(Operation *op, const Values &values, int64_t needed);
  /// Finds what products need, and threads that copy tiles to shared memory.
  void findBeside(Operation *scope);
  /// Returns the other registers where tiles take `registers`.
  int64_t getBeside(int64_t registers) const;

  llvm::DenseSet<Value> ofPositions;
  /// Registers for addresses of tiles that are loaded outside of loops, from
  /// rows whose distance only the launch knows: ptxas computes all before the
  /// first load. In loops it adds to those it has.
  llvm::DenseMap<Value, int64_t> ofAddresses;
  /// Where the walk is: what is loaded further down in the block, and on its
  /// way already.
  Values arriving;
  llvm::DenseMap<Operation *, int64_t> before;
  /// The peak registers of tiles, and the same without those that are counted
  /// at loads.
  int64_t most = 0, mostWithoutLoads = 0;
  /// The need at the peak.
  int64_t mostNeeded = 0;
  Operation *peak = nullptr;
  SmallVector<Value> held;
  int64_t threads = 0;
  /// Whether the largest tile that is loaded or stored has aligned rows.
  bool rowsAreAligned = false;
  /// The greatest need of a product.
  int64_t mostOfProduct = 0;
  /// The greatest need, over all blocks of the IR, of threads that copy tiles
  /// to shared memory in the block.
  int64_t needOfFetches = 0;
};

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_REGISTERPRESSURE_H
