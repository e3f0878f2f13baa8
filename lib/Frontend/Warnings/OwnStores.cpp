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
// Two accesses are disjoint if a constant separates their positions along some
// dimension.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
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
/// The positions of an access along one dimension.
struct Positions {
  tile::LinearExpr start;
  int64_t extent;
};

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

static std::optional<int64_t> getGrowth(arith::FloorDivSIOp quotient,
                                        scf::ForOp loop, unsigned depth);

/// Returns the change of an expression from an iteration of `loop` to the next,
/// if it is the same constant for all iterations.
static std::optional<int64_t> getGrowth(const tile::LinearExpr &expr,
                                        scf::ForOp loop,
                                        unsigned depth = tile::kMaxDepth) {
  int64_t growth = 0;
  for (auto [atom, coefficient] : expr.getTerms()) {
    std::optional<int64_t> ofAtom;
    if (atom == loop.getInductionVar())
      ofAtom = getConstantIntValue(loop.getStep());
    else if (isInvariant(atom, loop))
      continue;
    else if (auto quotient = atom.getDefiningOp<arith::FloorDivSIOp>())
      ofAtom = getGrowth(quotient, loop, depth);
    int64_t product;
    if (!ofAtom || llvm::MulOverflow(coefficient, *ofAtom, product) ||
        llvm::AddOverflow(growth, product, growth))
      return std::nullopt;
  }
  return growth;
}

/// Returns the growth of a quotient whose dividend grows by a multiple of a
/// constant divisor.
static std::optional<int64_t> getGrowth(arith::FloorDivSIOp quotient,
                                        scf::ForOp loop, unsigned depth) {
  std::optional<int64_t> divisor = getConstantIntValue(quotient.getRhs());
  if (depth == 0 || !divisor || *divisor <= 0)
    return std::nullopt;
  std::optional<int64_t> growth =
      getGrowth(tile::LinearExpr::get(quotient.getLhs()), loop, depth - 1);
  if (!growth || *growth % *divisor != 0)
    return std::nullopt;
  return *growth / *divisor;
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
  std::optional<int64_t> ofWrite = getGrowth(write, loop);
  int64_t sum;
  if (!ofWrite || llvm::AddOverflow(distance.getConstant(), *ofWrite, sum))
    return std::nullopt;
  growth = *ofWrite;
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
      bool disjoint = llvm::any_of(
          llvm::zip_equal(getIndices(write), getIndices(access)),
          [&](auto pair) {
            return areDisjoint(std::get<0>(pair), std::get<1>(pair), loop);
          });
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
  diagnostic->attachNote(findPlace(write->getLoc()))
      << "the store is here; put `barrier();` between, or use positions with a "
         "known distance, such as `y[i]` and `y[i + 1]`";
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
