//===- RegisterPressure.cpp - Registers that tiles take ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Computes live ranges of tiles: one backward walk over each block, from its
// end to its beginning, with the set of live values. Control flow is
// structured. Values that are live after a loop or branch are live in its body
// as well. In a loop, so is every outer value that an iteration reads. The
// pressure at an op is the sum of the registers of the live values.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/RegisterPressure.h"

#include "tessera/Dialect/SM/IR/ByteArithmetic.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Layout/RegisterTile.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/TypeUtilities.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/SaveAndRestore.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Roles and their budgets
//===----------------------------------------------------------------------===//

SmallVector<Operation *> sm::getRegisterScopes(KernelOp kernel) {
  auto roles = llvm::to_vector_of<Operation *>(kernel.getOps<RoleOp>());
  return roles.empty() ? SmallVector<Operation *>{kernel} : roles;
}

int64_t sm::getRegisterBudget(Operation *scope) {
  auto role = dyn_cast<RoleOp>(scope);
  if (role && role.getRegisters())
    return *role.getRegisters();
  KernelOp kernel =
      role ? role->getParentOfType<KernelOp>() : cast<KernelOp>(scope);
  const GpuTarget &target = getTarget(scope);
  return std::min(target.registersPerThread,
                  target.getRegistersAtEntry(kernel.getThreads() *
                                             getBlocksToBound(kernel)));
}

//===----------------------------------------------------------------------===//
// Values
//===----------------------------------------------------------------------===//

int64_t sm::getValueRegisters(Type type) {
  if (auto pending = dyn_cast<PendingType>(type))
    type = pending.getTensor();
  auto tile = dyn_cast<RankedTensorType>(type);
  if (!tile || tile.getElementType().isInteger(1))
    return 0;
  return getTileRegisters(tile);
}

int64_t sm::getValueRegisters(Value value) {
  int64_t registers = getValueRegisters(value.getType());
  return isHeldInWords(value) ? registers / kBytesOfWord : registers;
}

/// Returns the source of a view; `value` itself if it is none.
static Value getRoot(Value value) {
  while (Operation *op = value.getDefiningOp()) {
    if (!isa<ExpandDimsOp, BroadcastOp, TransposeOp>(op))
      break;
    value = op->getOperand(0);
  }
  return value;
}

bool RegisterPressure::isFree(Value value) const {
  Operation *op = value.getDefiningOp();
  return getValueRegisters(value.getType()) == 0 ||
         (op && (repeatsValues(op) || isa<IndicesOp>(op))) ||
         ofPositions.contains(value);
}

void RegisterPressure::findPositions(Operation *scope) {
  scope->walk([&](Operation *op) {
    if (isa<arith::ArithDialect>(op->getDialect()) &&
        getElementTypeOrSelf(op->getResult(0)).isIntOrIndex() &&
        llvm::all_of(op->getOperands(),
                     [&](Value operand) { return isFree(getRoot(operand)); }))
      ofPositions.insert(op->getResult(0));
  });
}

void RegisterPressure::want(Values &values, Value value) const {
  Value root = getRoot(value);
  // With products, a widened tile waits for them as a whole. Without products,
  // only its source is held.
  if (mostOfProduct == 0)
    if (auto widened = root.getDefiningOp<arith::ExtFOp>())
      root = getRoot(widened.getIn());
  if (!isFree(root))
    values.insert(root);
  if (!isa<PendingType>(value.getType()))
    return;
  auto issue = value.getDefiningOp<MmaIssueOp>();
  for (; issue; issue = issue.getAccumulator().getDefiningOp<MmaIssueOp>())
    if (Value root = getRoot(issue.getA()); !isFree(root))
      values.insert(root);
}

void RegisterPressure::wantCaptured(Values &values, Operation *op) const {
  for (Region &region : op->getRegions())
    region.walk([&](Operation *nested) {
      for (Value operand : nested->getOperands())
        if (!op->isAncestor(operand.getParentBlock()->getParentOp()))
          want(values, operand);
    });
}

/// Checks whether registers of the results can take the place of those of the
/// operands one by one.
static bool goesBySlices(Operation *op) {
  return tile::isArithmetic(op) ||
         isa<tensor::TensorDialect>(op->getDialect()) ||
         isa<ExpandDimsOp, BroadcastOp, TransposeOp, IndicesOp, SmemLoadOp,
             StoreOp, AtomicOp>(op);
}

/// Checks whether `op` takes or makes tiles. Arithmetic moves freely past what
/// does not, such as arrivals, so what is wanted there need not be held there.
static bool hasTiles(Operation *op) {
  auto isTile = [](Type type) { return getValueRegisters(type) != 0; };
  return !isa<MbarrierArriveOp>(op) &&
         (op->getNumRegions() != 0 ||
          llvm::any_of(op->getOperandTypes(), isTile) ||
          llvm::any_of(op->getResultTypes(), isTile));
}

/// Checks whether `op` runs before its place in the block: a reduction, as soon
/// as its source is computed, if that is in the same block.
static bool isSoon(Operation *op) {
  auto reduce = dyn_cast<ReduceOp>(op);
  return reduce && reduce.getSource().getDefiningOp() &&
         reduce.getSource().getParentBlock() == op->getBlock();
}

int64_t RegisterPressure::countAddresses(const Values &values) const {
  int64_t registers = 0;
  if (mostOfProduct == 0)
    for (Value value : values)
      registers += ofAddresses.lookup(value);
  return registers;
}

bool RegisterPressure::arrivesWithOthers(Operation *op) const {
  auto load = dyn_cast<LoadOp>(op);
  return load && mostOfProduct == 0 && isa<scf::ForOp>(op->getParentOp()) &&
         countVectorsOfChunks(load) == 0 &&
         llvm::none_of(load->getOperandTypes(),
                       llvm::IsaPred<RankedTensorType>);
}

//===----------------------------------------------------------------------===//
// The walk
//===----------------------------------------------------------------------===//

RegisterPressure::RegisterPressure(Operation *scope) {
  auto role = dyn_cast<RoleOp>(scope);
  int64_t warps = role ? role.getWarps() : cast<KernelOp>(scope).getWarps();
  threads = warps * getTarget(scope).warpSize;
  findPositions(scope);
  findBeside(scope);
  for (Region &region : scope->getRegions())
    for (Block &block : region)
      walk(block, Values());
}

static int64_t count(const RegisterPressure::Values &values) {
  int64_t registers = 0;
  for (Value value : values)
    registers += getValueRegisters(value);
  return registers;
}

/// How much the line of `op` tells about what takes registers.
static int getInterest(Operation *op) {
  if (isa<MmaOp, MmaIssueOp>(op))
    return 2;
  return op->getNumRegions() == 0 && !op->hasTrait<OpTrait::IsTerminator>();
}

void RegisterPressure::consider(Operation *op, const Values &values) {
  int64_t registers = count(values);
  most = std::max(most, registers);
  if (!isa<LoadOp>(op))
    mostWithoutLoads = std::max(mostWithoutLoads, registers);
  Values all = values;
  all.insert(arriving.begin(), arriving.end());
  registers = count(all);
  if (registers != 0)
    consider(op, all, registers + getBeside(registers) + countAddresses(all));
}

void RegisterPressure::consider(Operation *op, const Values &values,
                                int64_t needed) {
  if (needed < mostNeeded ||
      (needed == mostNeeded && getInterest(op) <= getInterest(peak)))
    return;
  mostNeeded = needed;
  peak = op;
  held.clear();
  for (Value value : values)
    held.insert(llvm::upper_bound(held, value,
                                  [](Value a, Value b) {
                                    return getValueRegisters(a) >
                                           getValueRegisters(b);
                                  }),
                value);
}

void RegisterPressure::walk(Block &block, const Values &outer) {
  Values live = outer;
  llvm::SaveAndRestore ofBlock(arriving, Values());
  for (Operation &op : llvm::reverse(block)) {
    // A reduction has to be complete before what it has reduced is used again;
    // else that comes and goes by slices.
    auto reduce = dyn_cast<ReduceOp>(op);
    bool isWhole = reduce ? live.contains(getRoot(reduce.getSource()))
                          : !goesBySlices(&op) && hasTiles(&op);
    if (isWhole)
      consider(&op, live);
    // Steps of a scan read what others have not written yet.
    if (auto scan = dyn_cast<ScanOp>(op)) {
      Values both = live;
      want(both, scan.getSource());
      consider(&op, both);
    }
    for (Value result : op.getResults()) {
      live.remove(result);
      if (arrivesWithOthers(&op) && !isFree(result))
        arriving.insert(result);
    }
    if (auto load = dyn_cast<LoadOp>(op))
      if (int64_t vectors = countVectorsOfChunks(load))
        consider(&op, live,
                 count(live) + vectors * cost::kChunkRegisters +
                     cost::kElementScalars);
    Values inner = live;
    if (isa<LoopLikeOpInterface>(op))
      wantCaptured(inner, &op);
    for (Region &region : op.getRegions())
      for (Block &nested : region)
        walk(nested, inner);
    wantCaptured(live, &op);
    // An arrival looks at few elements, and as soon as they are loaded.
    if (!isSoon(&op) && !isa<MbarrierArriveOp>(op))
      for (Value operand : op.getOperands())
        want(live, operand);
    before[&op] = count(live);
    if (isWhole && !isa<ReduceOp, AnyOp>(op))
      consider(&op, live);
  }
}

//===----------------------------------------------------------------------===//
// Other registers
//===----------------------------------------------------------------------===//

int64_t sm::getProductNeed(Operation *product) {
  Type type = product->getResult(0).getType();
  if (auto pending = dyn_cast<PendingType>(type))
    type = pending.getTensor();
  const GpuTarget &target = getTarget(product);
  auto sums = cast<RankedTensorType>(type);
  layout::ProductSplit split = layout::getProductSplit(
      sums.getDimSize(0), getWarps(product) / target.warpsPerWarpgroup);
  int64_t columns = target.getWgmmaColumns(sums.getDimSize(1) / split.columns,
                                           sums.getElementType().isInteger());
  bool fromRegisters = !isa<SmemType>(product->getOperand(0).getType());
  return columns / 2 + cost::kMmaRegisters +
         (fromRegisters ? cost::kFragmentRegisters : 0);
}

void RegisterPressure::findBeside(Operation *scope) {
  struct Fetches {
    int64_t tiles = 0, bytes = 0;
  };
  llvm::SmallDenseMap<Block *, Fetches> fetches;
  int64_t aligned = 0, unaligned = 0;
  scope->walk([&](Operation *op) {
    if (isa<LoadOp, StoreOp>(op)) {
      Value value = isa<LoadOp>(op) ? op->getResult(0) : op->getOperand(0);
      int64_t &most = op->hasAttr(kAlignedAttrName) ? aligned : unaligned;
      most = std::max(most, getValueRegisters(value.getType()));
    }
    auto load = dyn_cast<LoadOp>(op);
    if (load && !isa<scf::ForOp>(load->getParentOp()))
      if (int64_t rows = countRowsApart(load); rows > 1)
        ofAddresses[load.getResult()] = rows * cost::kAddressRegisters;
    if (isa<MmaOp, MmaIssueOp>(op))
      mostOfProduct = std::max(mostOfProduct, getProductNeed(op));
    SmemType tile;
    if (auto fetch = dyn_cast<FetchOp>(op))
      tile = fetch.getType();
    if (auto start = dyn_cast<FetchStartOp>(op))
      tile = start.getTile().getType();
    if (!tile)
      return;
    Fetches &ofBlock = fetches[op->getBlock()];
    ++ofBlock.tiles;
    ofBlock.bytes += tile.getBytes();
  });
  for (auto [block, ofBlock] : fetches) {
    int64_t words =
        llvm::divideCeil(ofBlock.bytes, cost::kCopyWordBytes * threads);
    int64_t need = (mostOfProduct ? ofBlock.tiles * cost::kCopyRegisters : 0) +
                   words * cost::kCopyPercentPerWord / 100;
    needOfFetches = std::max(needOfFetches, need);
  }
  rowsAreAligned = aligned > unaligned;
}

int64_t RegisterPressure::getBeside(int64_t registers) const {
  if (mostOfProduct)
    return cost::kMathScalars + needOfFetches;
  if (rowsAreAligned)
    return cost::kElementScalars + needOfFetches;
  return registers * cost::kElementScalarPercent / 100 + cost::kElementScalars +
         needOfFetches;
}

int64_t RegisterPressure::getNeed() const {
  return std::max(mostNeeded,
                  mostOfProduct ? mostOfProduct + needOfFetches : 0);
}

int64_t RegisterPressure::getRoomForTiles(int64_t registers) const {
  return registers - cost::kMathScalars - needOfFetches;
}

int64_t RegisterPressure::getLeastNeed() const {
  if (!mostOfProduct)
    return mostWithoutLoads + cost::kElementScalars;
  return std::max(most + cost::kMathScalars, mostOfProduct) + needOfFetches;
}
