//===- PartialResults.cpp - What threads add up alone -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartialResults.h"
#include "tessera/Layout/RegisterTile.h"

#include <numeric>

using namespace tessera;
using namespace tessera::tile;
using layout::Digit;
using layout::Layout;

/// Columns of an accumulator that the lanes of a quad hold, two in each.
static constexpr int64_t kAccumulatorColumns = 8;
static constexpr int64_t kMaxVectorBytes = 16;
static constexpr int64_t kWarpsPerWarpgroup = 4;

static int64_t getBytes(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// The elements that one access takes of tiles that `loop` loads with `shape`.
static int64_t getVectorWidth(scf::ForOp loop, RankedTensorType source) {
  int64_t bytes = getBytes(source.getElementType());
  loop.walk([&](LoadOp load) {
    auto type = dyn_cast<RankedTensorType>(load.getType());
    if (type && type.getShape() == source.getShape())
      bytes = std::min(bytes, getBytes(type.getElementType()));
  });
  return std::gcd(kMaxVectorBytes / bytes, source.getShape().back());
}

int64_t tile::countWantedWarps(KernelOp kernel) {
  ScheduleAttr schedule = kernel.getScheduleAttr();
  return kWarpsPerWarpgroup *
         std::max<int64_t>(1, schedule ? schedule.getWarpgroups() : 1);
}

int64_t tile::countPartialResults(scf::ForOp loop, ReduceOp reduce) {
  if (loop.walk([](GemmOp) { return WalkResult::interrupt(); })
          .wasInterrupted())
    return kAccumulatorColumns;
  auto source = cast<RankedTensorType>(reduce.getSource().getType());
  llvm::Expected<Layout> layout =
      layout::getBlocked(source.getShape(), getVectorWidth(loop, source),
                         countWantedWarps(loop->getParentOfType<KernelOp>()));
  if (!layout) {
    llvm::consumeError(layout.takeError());
    return kAccumulatorColumns;
  }
  // Registers hold what is side by side, then lanes and warps the rest of a
  // turn, then registers the other turns.
  unsigned axis = reduce.getAxis();
  std::optional<unsigned> registers = layout->findAxis(layout::kRegister);
  int64_t turn = 1;
  for (const Digit &digit : layout->getDigits())
    if (digit.axis != registers && digit.stride[axis] != 0)
      turn = std::max(turn, digit.stride[axis] * digit.count);
  return turn;
}
