//===- GlobalTraffic.h - Time of loads and stores by threads ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Device memory and L2 as threads see them. A launch brings each tensor from
// memory once, and a CTA brings its share: the tensor divided by the number of
// CTAs. Further loads repeat own pieces, or bring pieces of other CTAs. Own
// pieces are in L2 as long as the shares of all resident CTAs fit there.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TIMING_GLOBALTRAFFIC_H
#define TESSERA_LIB_TIMING_GLOBALTRAFFIC_H

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Timing/TimingConstants.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/ADT/StringMap.h"

namespace tessera::timing {

/// Cycles of a multiprocessor for an access, and its latency.
struct AccessTime {
  double cycles = 0;
  double latency = 0;
};

/// The bytes that a CTA has loaded of each tensor.
using LoadedBytes = llvm::DenseMap<Value, double>;

class GlobalTraffic {
public:
  /// Of a launch with `residents` CTAs on each multiprocessor.
  GlobalTraffic(sm::KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
                const TimingConstants &constants, int64_t residents);

  /// Returns the time of a load of a tile, and adds it to `loaded`.
  AccessTime load(sm::LoadOp op, LoadedBytes &loaded) const;
  /// Returns the time of a store of a tile.
  AccessTime store(sm::StoreOp op) const;
  /// Return the bytes per cycle of copies of `global` to shared memory by the
  /// copy engine and by threads.
  double getCopyRate(Value global) const;
  double getFetchRate(Value global) const;

private:
  int64_t getRowAlignment(Value global) const;
  double getTileBytes(Value global, ArrayRef<int64_t> dims,
                      RankedTensorType tile) const;
  std::optional<int64_t> evaluate(tile::SizeAttr size) const;

  const llvm::StringMap<int64_t> &sizes;
  const TimingConstants &constants;
  /// By tensor.
  llvm::DenseMap<Value, double> shares;
  /// The part of the loads beyond a share that L2 serves.
  double kept = 1;
};

} // namespace tessera::timing

#endif // TESSERA_LIB_TIMING_GLOBALTRAFFIC_H
