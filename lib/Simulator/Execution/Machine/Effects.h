//===- Effects.h - What is in flight and may happen -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous operations of a cluster that may have their effect: copies
// in the order of their issue, and of each warpgroup the product that is next.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_EFFECTS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_EFFECTS_H

#include "Cluster.h"

namespace tessera::sim {

class Effects {
public:
  explicit Effects(Cluster &cluster) : cluster(cluster) {}

  size_t count() const;
  /// The effect of number `index` of them.
  LogicalResult take(size_t index);
  LogicalResult takeAll();

  /// Copies that complete bytes at barriers, by their numbers; the others and
  /// products can be seen by nobody who has not waited for them.
  SmallVector<uint32_t> getSignals() const;
  LogicalResult takeSignal(uint32_t copy);
  /// Says whether there was any.
  FailureOr<bool> takeAllButSignals();

private:
  void trace(const Cta &cta, uint32_t asyncNumber);

  Cluster &cluster;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_EFFECTS_H
