//===- OwnStores.cpp - Accesses after stores without a barrier --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load sees earlier stores of its program after a `barrier();`, and the later
// of two stores to one element takes effect after one. This file finds accesses
// that follow a store to the same tensor without a barrier. Each region has a
// summary, as in interprocedural dataflow: its accesses before the first
// barrier, and its stores after the last one. A loop meets itself: its stores
// meet its accesses of a later iteration.
//
// Two stores that are both conditional may exclude each other.
// Disjoint accesses are left out (Distances.h).
//
//===----------------------------------------------------------------------===//

#include "Distances.h"
#include "Places.h"
#include "ProgramSlices.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the tensor of an access.
static Value getGlobal(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getGlobal();
  if (auto store = dyn_cast<tile::StoreOp>(access))
    return store.getGlobal();
  return cast<tile::AtomicOp>(access).getGlobal();
}

static OperandRange getIndices(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getIndices();
  if (auto store = dyn_cast<tile::StoreOp>(access))
    return store.getIndices();
  return cast<tile::AtomicOp>(access).getIndices();
}

namespace {
/// The accesses of a region that others may meet.
struct Summary {
  /// All of them, and those that write.
  SmallVector<Operation *> accesses, writes;
  bool hasBarrier = false;
};

class OwnStores {
public:
  explicit OwnStores(KernelContext &context) : context(context) {}

  Summary visit(Block &block);

private:
  Summary visit(Operation *op);
  /// Warns of accesses in `region` that follow one of `writes`; in a later
  /// iteration of `loop` if there is one.
  void meet(ArrayRef<Operation *> writes, ArrayRef<Operation *> accesses,
            Region &region, scf::ForOp loop);
  void warn(Operation *write, Operation *access, bool isLater);

  KernelContext &context;
  /// Stores with a warning.
  llvm::SmallPtrSet<Operation *, 8> reported;
  /// Bounds the time of this file for kernels of thousands of accesses.
  unsigned comparisons = 1 << 16;
};
} // namespace

/// Checks whether an operation of `region` runs under a condition there.
static bool isConditional(Operation *op, Region &region) {
  for (; op->getParentRegion() != &region; op = op->getParentOp())
    if (isa<scf::IfOp>(op->getParentOp()))
      return true;
  return false;
}

void OwnStores::meet(ArrayRef<Operation *> writes,
                     ArrayRef<Operation *> accesses, Region &region,
                     scf::ForOp loop) {
  for (Operation *access : accesses)
    for (Operation *write : writes) {
      if (getGlobal(access) != getGlobal(write) ||
          (isa<tile::AtomicOp>(access) && isa<tile::AtomicOp>(write)))
        continue;
      if (comparisons == 0)
        return;
      --comparisons;
      if (!isa<tile::LoadOp>(access) && isConditional(access, region) &&
          isConditional(write, region))
        continue;
      bool disjoint =
          areDisjoint(getIndices(write), getIndices(access), region, loop);
      // One barrier also orders what follows the access.
      if (disjoint || !reported.insert(write).second)
        continue;
      warn(write, access, static_cast<bool>(loop));
      break;
    }
}

void OwnStores::warn(Operation *write, Operation *access, bool isLater) {
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, access);
  if (!diagnostic)
    return;
  bool isLoad = isa<tile::LoadOp>(access);
  *diagnostic << "this "
              << (isLoad                       ? "load from "
                  : isa<tile::StoreOp>(access) ? "store to "
                                               : "addition to ")
              << getTensorName(context, getGlobal(access))
              << " may come before an earlier store of the same program"
              << (isLater ? ", in the iteration before" : "")
              << (isLoad ? " [unordered-load]" : " [unordered-store]");
  Diagnostic &note = diagnostic->attachNote(findPlace(write->getLoc()));
  note << "the store is here; ";
  auto kernel = access->getParentOfType<tile::KernelOp>();
  SmallVector<GridAxis> axes =
      getRepeatedAxes(context, access, getIndices(access));
  // Only this program waits at its barriers.
  if (!axes.empty() && !hasOrderedPrograms(kernel))
    note << "programs along `" << axes.front().axis->name.text
         << "` access the same elements, and `barrier();` orders only the "
            "accesses of one program; store the first values before the "
            "launch, or put `barrier(grid);` between";
  else
    note << "put `barrier();` between, or use positions with a known distance, "
            "such as `y[i]` and `y[i + 1]`";
  noteCall(*diagnostic, access);
}

Summary OwnStores::visit(Block &block) {
  Summary all;
  for (Operation &op : block) {
    Summary next = visit(&op);
    meet(all.writes, next.accesses, *block.getParent(), /*loop=*/nullptr);
    if (!all.hasBarrier)
      llvm::append_range(all.accesses, next.accesses);
    if (next.hasBarrier)
      all.writes.clear();
    llvm::append_range(all.writes, next.writes);
    all.hasBarrier |= next.hasBarrier;
  }
  return all;
}

Summary OwnStores::visit(Operation *op) {
  if (isa<tile::BarrierOp>(op))
    return {{}, {}, /*hasBarrier=*/true};
  if (isa<tile::LoadOp>(op))
    return {{op}, {}};
  if (isa<tile::StoreOp, tile::AtomicOp>(op))
    return {{op}, {op}};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Summary body = visit(*loop.getBody());
    meet(body.writes, body.accesses, loop.getRegion(), loop);
    return body;
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return {};
  Summary all = visit(*branch.thenBlock()), other;
  if (branch.elseBlock())
    other = visit(*branch.elseBlock());
  llvm::append_range(all.accesses, other.accesses);
  llvm::append_range(all.writes, other.writes);
  all.hasBarrier &= other.hasBarrier;
  return all;
}

void tessera::frontend::warnOfOwnStores(KernelContext &context,
                                        tile::KernelOp kernel) {
  OwnStores(context).visit(kernel.getBody().front());
}
