//===- Effects.h - Asynchronous operations in flight ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The asynchronous operations of a cluster that may take effect: copies in the
// order of issue, and the next product of each warpgroup.
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
  /// Makes operation number `index` take effect.
  LogicalResult take(size_t index);
  LogicalResult takeAll();

  /// Returns the numbers of copies that complete bytes at barriers. Agents can
  /// observe products and other copies only after they have waited for them.
  SmallVector<uint32_t> getSignals() const;
  LogicalResult takeSignal(uint32_t copy);
  /// Returns whether any operation took effect.
  FailureOr<bool> takeAllButSignals();

private:
  void trace(const Cta &cta, uint32_t asyncNumber);

  Cluster &cluster;
};

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_EFFECTS_H
