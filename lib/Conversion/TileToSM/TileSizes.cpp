//===- TileSizes.cpp - Tiles that registers hold ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reports a tile that needs too many registers in its default layout, at the
// operation that makes it, with a tile that fits.
//
//===----------------------------------------------------------------------===//

#include "KernelConversion.h"

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/Tile/IR/GpuLimits.h"
#include "tessera/Dialect/Tile/IR/IndexMap.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the registers of a thread for a tile of `type`, or nothing if there
/// is no layout.
static std::optional<int64_t> countRegisters(RankedTensorType type,
                                             int64_t warps) {
  llvm::Expected<layout::Layout> layout = getDefaultLayout(type, warps);
  if (layout)
    return getTileRegisters(type, *layout, NarrowElements::Halves);
  llvm::consumeError(layout.takeError());
  return std::nullopt;
}

/// Returns the smallest tile that fits in registers for all of these numbers of
/// warps, with some extents of `type` rounded up to powers of two; null if none
/// does.
static RankedTensorType findLargerTile(RankedTensorType type,
                                       ArrayRef<int64_t> allWarps) {
  SmallVector<unsigned> odd;
  for (auto [dim, extent] : llvm::enumerate(type.getShape()))
    if (!llvm::isPowerOf2_64(extent))
      odd.push_back(dim);
  RankedTensorType best;
  for (unsigned choice = 1; choice >> odd.size() == 0; ++choice) {
    SmallVector<int64_t> shape(type.getShape());
    for (auto [bit, dim] : llvm::enumerate(odd))
      if (choice >> bit & 1)
        shape[dim] = llvm::PowerOf2Ceil(shape[dim]);
    auto grown = RankedTensorType::get(shape, type.getElementType());
    bool fits = llvm::all_of(allWarps, [&](int64_t warps) {
      std::optional<int64_t> registers = countRegisters(grown, warps);
      return registers && *registers <= cost::kMostTileRegisters;
    });
    if (fits && (!best || grown.getNumElements() < best.getNumElements()))
      best = grown;
  }
  return best;
}

/// Returns the place of `op` in the source. A constant that simplification has
/// made has none, so its first user with a place has it.
static Location findSourcePlace(Operation *op) {
  for (unsigned depth = 0; depth < 8 && isa<UnknownLoc>(op->getLoc());
       ++depth) {
    if (op->use_empty())
      break;
    op = *op->user_begin();
  }
  return op->getLoc();
}

/// Returns the operand of the call that `op` is a step of: `sort` works on keys
/// of another type. Null if the place in the source has no other operation.
static RankedTensorType findOperandOfCall(Operation *op) {
  Location loc = op->getLoc();
  if (isa<UnknownLoc>(loc))
    return {};
  for (unsigned steps = 0; steps < 64; ++steps) {
    auto tile = llvm::find_if(op->getOperands(), [](Value operand) {
      Operation *source = operand.getDefiningOp();
      return isa<RankedTensorType>(operand.getType()) && source &&
             !source->hasTrait<OpTrait::ConstantLike>();
    });
    if (tile == op->operand_end())
      return {};
    Operation *source = (*tile).getDefiningOp();
    if (source->getLoc() != loc)
      return steps ? cast<RankedTensorType>((*tile).getType())
                   : RankedTensorType();
    op = source;
  }
  return {};
}

/// Returns the `reshape` that makes or reads the tile `result`, or null.
static tile::RearrangeOp findReshape(Value result) {
  SmallVector<Operation *> candidates = {result.getDefiningOp()};
  llvm::append_range(candidates, result.getUsers());
  for (Operation *candidate : candidates) {
    auto op = dyn_cast<tile::RearrangeOp>(candidate);
    if (!op || op.getSources().size() != 1)
      continue;
    auto source = cast<RankedTensorType>(op.getSources().front().getType());
    auto type = cast<RankedTensorType>(op.getResult().getType());
    if (op.getOffset() == 0 && op.getToggle() == 0 &&
        source.getNumElements() == type.getNumElements() &&
        op.getStrides() == ArrayRef(tile::getRowStrides(type.getShape())))
      return op;
  }
  return {};
}

/// Reports a tile without a layout for some number of warps.
static void reportLargeTile(OpResult result, int64_t warps,
                            ArrayRef<int64_t> allWarps) {
  Operation *op = result.getOwner();
  auto type = cast<RankedTensorType>(result.getType());
  RankedTensorType larger = findLargerTile(type, allWarps);
  auto error = emitError(findSourcePlace(op))
               << "cannot hold `" << tile::printType(type)
               << "` in registers; use "
               << (larger ? "extents that spread evenly over threads"
                          : "a smaller tile");
  if (larger)
    error << ", such as `" << tile::printType(larger) << "`";
  if (warps < 4)
    error << ", or more `warps`";
  int64_t most = tile::getMaxGpuTileElements(type.getElementType());
  if (std::optional<int64_t> registers = countRegisters(type, warps))
    error << ": each thread would take " << *registers
          << " of 32 bits, expected at most " << cost::kMostTileRegisters;
  else if (type.getNumElements() > most)
    error << ": it has " << type.getNumElements()
          << " elements, expected at most " << most;
  // Rows that are added at the end keep the order of the other elements.
  tile::RearrangeOp reshape =
      larger && larger.getShape().drop_front() == type.getShape().drop_front()
          ? findReshape(result)
          : tile::RearrangeOp();
  if (reshape)
    error.attachNote(reshape.getLoc())
        << "both tiles of this `reshape` have " << larger.getNumElements()
        << " elements then; those of the added rows come last, and a store "
           "masks them";
  RankedTensorType operand = findOperandOfCall(op);
  if (operand && operand.getElementType() != type.getElementType())
    error.attachNote() << "computed here from `" << tile::printType(operand)
                       << "`";
}

/// Returns whether each tile that an operation makes has a layout for all
/// numbers of warps; reports the first one without.
static bool checkResults(Operation *op, ArrayRef<int64_t> allWarps) {
  for (OpResult result : op->getResults()) {
    auto type = dyn_cast<RankedTensorType>(result.getType());
    for (int64_t warps : type ? allWarps : ArrayRef<int64_t>()) {
      std::optional<int64_t> registers = countRegisters(type, warps);
      if (registers && *registers <= cost::kMostTileRegisters)
        continue;
      reportLargeTile(result, warps, allWarps);
      return false;
    }
  }
  return true;
}

LogicalResult sm::checkTileSizes(tile::KernelOp kernel) {
  // Layouts have at most 2^22 elements, far more than an SM holds.
  // A warpgroup has 128 threads. The front end knows the number of elements.
  static_assert(tile::kMaxGpuTileElements == 128 * cost::kMostTileRegisters);
  SmallVector<int64_t> allWarps = getPossibleWarps(kernel);
  // Constants are at the begin of the kernel, and may have another type than
  // the operands of their expression, so they come last.
  for (bool isConstant : {false, true}) {
    WalkResult result = kernel.walk([&](Operation *op) {
      return op->hasTrait<OpTrait::ConstantLike>() != isConstant ||
                     checkResults(op, allWarps)
                 ? WalkResult::advance()
                 : WalkResult::interrupt();
    });
    if (result.wasInterrupted())
      return failure();
  }
  return success();
}
