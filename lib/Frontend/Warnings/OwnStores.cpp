//===- OwnStores.cpp - Loads of own stores without a barrier ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A load sees earlier stores of its program after a `barrier();`. This file
// finds loads that follow a store to the same tensor without one. Each region
// has a summary, as in interprocedural dataflow: its reads before the first
// barrier, and its writes after the last one. A loop meets itself: its writes
// meet its reads of a later iteration.
//
// Two accesses are disjoint if a constant separates their positions along some
// dimension.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Dialect/Utils/StaticValueUtils.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

#include "llvm/ADT/SmallPtrSet.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the tensor of an access.
static Value getGlobal(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getGlobal();
  if (auto store = dyn_cast<tile::StoreOp>(access))
    return store.getGlobal();
  return cast<tile::AtomicAddOp>(access).getGlobal();
}

static OperandRange getIndices(Operation *access) {
  if (auto load = dyn_cast<tile::LoadOp>(access))
    return load.getIndices();
  if (auto store = dyn_cast<tile::StoreOp>(access))
    return store.getIndices();
  return cast<tile::AtomicAddOp>(access).getIndices();
}

namespace {
/// The positions of an access along one dimension.
struct Positions {
  tile::LinearExpr start;
  int64_t extent;
};

/// The accesses of a region that others may meet.
struct Summary {
  SmallVector<Operation *> reads, writes;
  bool hasBarrier = false;
};

class OwnStores {
public:
  explicit OwnStores(KernelContext &context) : context(context) {}

  Summary visit(Block &block);

private:
  Summary visit(Operation *op);
  /// Warns of reads that follow one of `writes`; in a later iteration of `loop`
  /// if there is one.
  void meet(ArrayRef<Operation *> writes, ArrayRef<Operation *> reads,
            scf::ForOp loop);
  void warn(Operation *write, Operation *read, bool isLater);

  KernelContext &context;
  /// Bounds the time of this file for kernels of thousands of accesses.
  unsigned comparisons = 1 << 16;
};
} // namespace

/// Returns the positions of an index; nothing for a gather.
static std::optional<Positions> getPositions(Value index) {
  if (auto range = dyn_cast<tile::RangeType>(index.getType()))
    return Positions{tile::LinearExpr::getStart(index), range.getExtent()};
  if (index.getType().isIndex())
    return Positions{tile::LinearExpr::get(index), 1};
  return std::nullopt;
}

/// Checks whether a value is the same in all iterations of a loop.
static bool isInvariant(Value value, scf::ForOp loop) {
  SmallVector<Value> open = {value};
  llvm::SmallPtrSet<Operation *, 8> visited;
  while (!open.empty()) {
    Value current = open.pop_back_val();
    if (!loop.getRegion().isAncestor(current.getParentRegion()))
      continue;
    Operation *op = current.getDefiningOp();
    auto load = dyn_cast_if_present<tile::LoadOp>(op);
    bool isFixed =
        op && op->getNumRegions() == 0 &&
        (load ? !load.getGlobalType().isWritable() : isMemoryEffectFree(op));
    if (!isFixed)
      return false;
    if (visited.insert(op).second)
      llvm::append_range(open, op->getOperands());
  }
  return true;
}

/// Returns how far the positions of `read` are from those of `write`; in
/// `loop`, with the iteration after that of `write`. Nothing if the distance is
/// not constant, or not the same in all pairs of iterations. `growth` is the
/// change with each further iteration.
static std::optional<int64_t> getDistance(const tile::LinearExpr &write,
                                          const tile::LinearExpr &read,
                                          scf::ForOp loop, int64_t &growth) {
  growth = 0;
  tile::LinearExpr distance = read - write;
  if (!distance.isConstant())
    return std::nullopt;
  if (!loop)
    return distance.getConstant();
  for (auto [atom, coefficient] : write.getTerms()) {
    if (atom == loop.getInductionVar()) {
      std::optional<int64_t> step = getConstantIntValue(loop.getStep());
      if (!step || llvm::MulOverflow(coefficient, *step, growth))
        return std::nullopt;
    } else if (!isInvariant(atom, loop)) {
      return std::nullopt;
    }
  }
  int64_t sum;
  if (llvm::AddOverflow(distance.getConstant(), growth, sum))
    return std::nullopt;
  return sum;
}

/// Checks whether the positions along one dimension have none in common.
static bool areDisjoint(Value write, Value read, scf::ForOp loop) {
  std::optional<Positions> written = getPositions(write),
                           readAt = getPositions(read);
  if (!written || !readAt)
    return false;
  int64_t growth;
  std::optional<int64_t> distance =
      getDistance(written->start, readAt->start, loop, growth);
  return distance && ((*distance >= written->extent && growth >= 0) ||
                      (*distance <= -readAt->extent && growth <= 0));
}

void OwnStores::meet(ArrayRef<Operation *> writes, ArrayRef<Operation *> reads,
                     scf::ForOp loop) {
  for (Operation *read : reads)
    for (Operation *write : writes) {
      if (getGlobal(read) != getGlobal(write) ||
          (isa<tile::AtomicAddOp>(read) && isa<tile::AtomicAddOp>(write)))
        continue;
      if (comparisons == 0)
        return;
      --comparisons;
      bool disjoint = llvm::any_of(
          llvm::zip_equal(getIndices(write), getIndices(read)), [&](auto pair) {
            return areDisjoint(std::get<0>(pair), std::get<1>(pair), loop);
          });
      if (disjoint)
        continue;
      warn(write, read, static_cast<bool>(loop));
      break;
    }
}

void OwnStores::warn(Operation *write, Operation *read, bool isLater) {
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, read);
  if (!diagnostic)
    return;
  bool isLoad = isa<tile::LoadOp>(read);
  *diagnostic << "this " << (isLoad ? "load from " : "addition to ")
              << getTensorName(context, getGlobal(read))
              << " may come before an earlier store of the same program"
              << (isLater ? ", in the iteration before" : "")
              << " [unordered-load]";
  diagnostic->attachNote(findPlace(write->getLoc()))
      << "the store is here; put `barrier();` between, or use positions with a "
         "known distance, such as `y[i]` and `y[i + 1]`";
  noteCall(*diagnostic, read);
}

Summary OwnStores::visit(Block &block) {
  Summary all;
  for (Operation &op : block) {
    Summary next = visit(&op);
    meet(all.writes, next.reads, /*loop=*/nullptr);
    if (!all.hasBarrier)
      llvm::append_range(all.reads, next.reads);
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
  if (isa<tile::StoreOp>(op))
    return {{}, {op}};
  if (isa<tile::AtomicAddOp>(op))
    return {{op}, {op}};
  if (auto loop = dyn_cast<scf::ForOp>(op)) {
    Summary body = visit(*loop.getBody());
    meet(body.writes, body.reads, loop);
    return body;
  }
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return {};
  Summary all = visit(*branch.thenBlock()), other;
  if (branch.elseBlock())
    other = visit(*branch.elseBlock());
  llvm::append_range(all.reads, other.reads);
  llvm::append_range(all.writes, other.writes);
  all.hasBarrier &= other.hasBarrier;
  return all;
}

void tessera::frontend::warnOfOwnStores(KernelContext &context,
                                        tile::KernelOp kernel) {
  OwnStores(context).visit(kernel.getBody().front());
}
