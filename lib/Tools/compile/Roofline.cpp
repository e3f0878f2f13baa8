//===- Roofline.cpp - Bounds of a kernel's loops ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A roofline model. Operations and bytes are counted in one walk over the
// regions: branches count their larger side, and loops count one step each.
// Roles in ping-pong run different programs, so only the largest one counts.
// Loops with the same source location are merged by their maximum.
//
//===----------------------------------------------------------------------===//

#include "Roofline.h"
#include "tessera/Dialect/SM/IR/ProductShape.h"

#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::sm;

std::string tools::getPlace(Operation *op) {
  auto loc = op->getLoc()->findInstanceOf<FileLineColLoc>();
  if (!loc)
    return "";
  return llvm::formatv("{0}:{1}:{2}",
                       llvm::sys::path::filename(loc.getFilename().getValue()),
                       loc.getLine(), loc.getColumn());
}

//===----------------------------------------------------------------------===//
// Counting
//===----------------------------------------------------------------------===//

void Work::add(const Work &other) {
  for (auto [type, flops] : other.products)
    products[type] += flops;
  multiplyAdds += other.multiplyAdds;
  read += other.read;
  written += other.written;
}

void Work::raiseTo(const Work &other) {
  for (auto [type, flops] : other.products) {
    int64_t &known = products[type];
    known = std::max(known, flops);
  }
  multiplyAdds = std::max(multiplyAdds, other.multiplyAdds);
  read = std::max(read, other.read);
  written = std::max(written, other.written);
}

static int64_t getBytes(Type type) {
  if (auto smem = dyn_cast<SmemType>(type))
    return smem.getBytes();
  if (auto tile = dyn_cast<RankedTensorType>(type))
    return tile.getNumElements() * getElementBytes(tile.getElementType());
  return getElementBytes(type);
}

/// Returns the operations: a multiplication and an addition for each element of
/// a and column of b.
template <typename OpTy>
static int64_t getFlops(OpTy op) {
  ProductShape shape = ProductShape::get(op);
  return 2 * shape.rows * shape.columns * shape.length;
}

Work Roofline::count(Operation &op) {
  Work work;
  TypeSwitch<Operation *>(&op)
      .Case<MmaOp, MmaIssueOp>([&](auto op) {
        work.products[op.getB().getType().getElementType()] = getFlops(op);
      })
      .Case([&](DotOp op) { work.multiplyAdds = getFlops(op); })
      .Case<LoadOp, FetchOp>(
          [&](auto op) { work.read = getBytes(op.getType()); })
      .Case<FetchStartOp, CopyStartOp, TmaLoadOp>(
          [&](auto op) { work.read = getBytes(op.getTile().getType()); })
      .Case<StoreOp, AtomicOp, CopyStoreOp, TmaStoreOp>(
          [&](auto op) { work.written = getBytes(op.getValue().getType()); });
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    work = count(branch.getThenRegion());
    work.raiseTo(count(branch.getElseRegion()));
    return work;
  }
  bool isLoop = isa<LoopLikeOpInterface>(op);
  if (auto loop = dyn_cast<scf::ForOp>(op))
    isLoop = !isOverPrograms(loop);
  // The outer loop comes first in the list.
  size_t number = loops.size();
  if (isLoop)
    loops.push_back({getPlace(&op), Work()});
  Work inside;
  for (Region &region : op.getRegions())
    inside.add(count(region));
  if (isLoop)
    loops[number].step = std::move(inside);
  else
    work.add(inside);
  return work;
}

Work Roofline::count(Region &region) {
  Work work;
  Work inTurn;
  for (Operation &op : region.getOps())
    if (isa<RoleOp>(op) && llvm::is_contained(pingPongRoles, cast<RoleOp>(op)))
      inTurn.raiseTo(count(op));
    else
      work.add(count(op));
  // Each of these roles runs programs of its own.
  work.add(inTurn);
  return work;
}

Roofline::Roofline(KernelOp kernel) : pingPongRoles(getRolesInTurn(kernel)) {
  program = count(kernel.getBody());
  std::vector<LoopWork> found;
  std::swap(found, loops);
  for (LoopWork &loop : found) {
    auto known = llvm::find_if(loops, [&](const LoopWork &other) {
      return other.place == loop.place;
    });
    if (known != loops.end())
      known->step.raiseTo(loop.step);
    else if (!loop.step.isEmpty())
      loops.push_back(std::move(loop));
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

static std::string describeWork(const Work &work) {
  SmallVector<std::string> parts;
  for (auto [type, flops] : work.products)
    parts.push_back(llvm::formatv("{0} FLOP of {1} on tensor cores", flops,
                                  tile::printType(type)));
  if (work.multiplyAdds)
    parts.push_back(
        llvm::formatv("{0} FLOP of multiply-adds", work.multiplyAdds));
  if (work.read)
    parts.push_back(llvm::formatv("{0} bytes read", work.read));
  if (work.written)
    parts.push_back(llvm::formatv("{0} bytes written", work.written));
  return llvm::join(parts, ", ");
}

/// Returns "85.3 FLOP/byte, where 206.0 balance 989 TFLOP/s and 4.8 TB/s: …"
static std::string describeBound(const Work &work, const GpuTarget &target) {
  double flops = work.multiplyAdds;
  double computing = flops / target.fmaRate;
  for (auto [type, some] : work.products) {
    flops += some;
    computing +=
        double(some) / target.getTensorRate(type.getIntOrFloatBitWidth());
  }
  double bytes = work.read + work.written;
  double moving = bytes / target.memoryBandwidth;
  if (flops == 0 || bytes == 0)
    return "";
  double rate = flops / computing;
  std::string text = llvm::formatv(
      "{0:F1} FLOP/byte, where {1:F1} balance {2:F0} TFLOP/s and {3:F1} TB/s: ",
      flops / bytes, rate / target.memoryBandwidth, rate / 1e12,
      target.memoryBandwidth / 1e12);
  if (moving <= computing)
    return text + "bound by arithmetic";
  return text +
         llvm::formatv("bound by memory at {0:F0} % of that, unless {1:F1}"
                       " CTAs share each byte",
                       100 * computing / moving, moving / computing)
             .str();
}

std::vector<std::string> Roofline::describe(const GpuTarget &target) const {
  std::vector<std::string> lines;
  for (const LoopWork &loop : loops) {
    lines.push_back("per step of the loop" +
                    (loop.place.empty() ? "" : " at " + loop.place) + ": " +
                    describeWork(loop.step));
    if (std::string bound = describeBound(loop.step, target); !bound.empty())
      lines.push_back("  " + bound);
  }
  if (!program.isEmpty())
    lines.push_back("per program" +
                    std::string(loops.empty() ? "" : ", outside of loops") +
                    ": " + describeWork(program));
  if (loops.empty())
    if (std::string bound = describeBound(program, target); !bound.empty())
      lines.push_back("  " + bound);
  return lines;
}
