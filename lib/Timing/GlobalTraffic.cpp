//===- GlobalTraffic.cpp - Time of loads and stores by threads ------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "GlobalTraffic.h"

#include "tessera/Dialect/SM/IR/Target.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

/// The pieces in which L2 is read, and those of cp.async.
static constexpr int64_t kSectorBytes = 32, kVectorBytes = 16;

std::optional<int64_t> GlobalTraffic::evaluate(tile::SizeAttr size) const {
  return size.evaluate([&](StringRef name) { return lookupSize(sizes, name); });
}

GlobalTraffic::GlobalTraffic(KernelOp kernel,
                             const llvm::StringMap<int64_t> &sizes,
                             const TimingConstants &constants,
                             int64_t residents)
    : sizes(sizes), constants(constants) {
  int64_t multiprocessors = getTarget(kernel).multiprocessors;
  int64_t ctas = kernel.getClusterSize();
  for (tile::SizeAttr size : kernel.getProgramCounts())
    ctas *= evaluate(size).value_or(1);
  if (kernel.getPersistent())
    ctas = std::min(ctas, multiprocessors * residents);
  ctas = std::max<int64_t>(ctas, 1);
  double resident = 0;
  for (Value param : kernel.getParams()) {
    auto tensor = dyn_cast<tile::GlobalType>(param.getType());
    if (!tensor)
      continue;
    double bytes = getElementBytes(tensor.getElementType());
    for (tile::SizeAttr size : tensor.getShape())
      bytes *= evaluate(size).value_or(0);
    shares[param] = bytes / ctas;
    resident +=
        bytes / ctas * std::min<double>(ctas, multiprocessors * residents);
  }
  if (resident > 0)
    kept = std::min(1.0, constants.l2Bytes / resident);
}

/// Returns the bytes of `tile` within the tensor.
double GlobalTraffic::getTileBytes(Value global, ArrayRef<int64_t> dims,
                                   RankedTensorType tile) const {
  auto tensor = cast<tile::GlobalType>(global.getType());
  double bytes = getElementBytes(tile.getElementType());
  for (auto [axis, extent] : llvm::enumerate(tile.getShape())) {
    std::optional<int64_t> size = axis < dims.size()
                                      ? evaluate(tensor.getShape()[dims[axis]])
                                      : std::nullopt;
    bytes *= size ? std::min(extent, *size) : extent;
  }
  return bytes;
}

AccessTime GlobalTraffic::load(LoadOp op, LoadedBytes &loaded) const {
  Value global = op.getGlobal();
  auto tile = cast<RankedTensorType>(op.getType());
  double bytes = getTileBytes(global, op.getDims(), tile);
  double share = shares.lookup(global);
  double &before = loaded[global];
  double fromMemory = std::clamp(share - before, 0.0, bytes);
  before += bytes;
  // A CTA with a share of less than a tile loads the same pieces as others.
  double rest = bytes - fromMemory;
  bool isOwn = share >= bytes;
  double fromL2 = isOwn ? kept * rest : rest;
  AccessTime time;
  time.cycles = (fromMemory + rest - fromL2) / constants.memoryRate +
                fromL2 / (isOwn ? constants.ownRate : constants.threadRate);
  time.latency = fromMemory + rest > fromL2 ? constants.memoryLatency
                                            : constants.loadLatency;
  return time;
}

/// Returns the largest number of bytes that divides the distance of any two
/// rows; 0 for one row.
int64_t GlobalTraffic::getRowAlignment(Value global) const {
  auto tensor = cast<tile::GlobalType>(global.getType());
  int64_t distance = getElementBytes(tensor.getElementType());
  int64_t alignment = 0;
  for (tile::SizeAttr size : llvm::reverse(tensor.getShape().drop_front())) {
    distance *= evaluate(size).value_or(0);
    alignment = std::gcd(alignment, distance);
  }
  return alignment;
}

double GlobalTraffic::getCopyRate(Value global) const {
  return getRowAlignment(global) % kSectorBytes == 0
             ? constants.copyRate
             : constants.shiftedCopyRate;
}

double GlobalTraffic::getFetchRate(Value global) const {
  return getRowAlignment(global) % kVectorBytes == 0
             ? constants.fetchRate
             : constants.shiftedFetchRate;
}

AccessTime GlobalTraffic::store(StoreOp op) const {
  auto tile = cast<RankedTensorType>(op.getValue().getType());
  double bytes = getTileBytes(op.getGlobal(), op.getDims(), tile);
  return {bytes / constants.writeRate, 0};
}
