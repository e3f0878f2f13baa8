//===- PartialResults.cpp - Partial results per thread ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Predicts the layout of a tile: that of the accumulator of a product, else the
// blocked layout of wide loads. The number of partial results is the number of
// positions along the axis that different threads hold; each thread combines
// the rest alone.
//
//===----------------------------------------------------------------------===//

#include "PartialResults.h"
#include "tessera/Layout/RegisterTile.h"

#include <numeric>

using namespace tessera;
using namespace tessera::tile;
using layout::Digit;
using layout::Layout;

/// Columns of an accumulator that the four lanes of a quad hold, two in each
/// lane.
static constexpr int64_t kAccumulatorColumns = 8;
static constexpr int64_t kMaxVectorBytes = 16;
static constexpr int64_t kWarpsPerWarpgroup = 4;

static int64_t getBytes(Type element) {
  return std::max<int64_t>(1, element.getIntOrFloatBitWidth() / 8);
}

/// Returns the number of elements per access of tiles that `loop` loads with
/// the shape of `source`.
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
  if (schedule && schedule.getWarps())
    return schedule.getWarps();
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
  // The layout assigns neighbours to registers, then the rest of a period to
  // lanes and warps, then further periods to registers.
  unsigned axis = reduce.getAxis();
  std::optional<unsigned> registers = layout->findAxis(layout::kRegister);
  int64_t turn = 1;
  for (const Digit &digit : layout->getDigits())
    if (digit.axis != registers && digit.stride[axis] != 0)
      turn = std::max(turn, digit.stride[axis] * digit.count);
  return turn;
}
