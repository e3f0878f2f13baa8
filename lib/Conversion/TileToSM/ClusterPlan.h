//===- ClusterPlan.h - Checks of clusters -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A schedule may request clusters. The CTAs of a cluster execute neighbouring
// tiles of one axis, including those of the last cluster. If the number of
// tiles may not be a multiple of the cluster size, some CTAs are past the end
// of the axis. All their accesses must then be clipped by it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_TILETOSM_CLUSTERPLAN_H
#define TESSERA_LIB_CONVERSION_TILETOSM_CLUSTERPLAN_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::sm {

struct ClusterPlan {
  unsigned axis = 0;
  int64_t size = 1;

  /// Returns the clusters of `kernel`: of size 1 if its schedule asks for none,
  /// or, with a warning that gives the reason, if its sizes do not permit them.
  /// Clusters that no sizes permit are an error.
  static FailureOr<ClusterPlan> get(tile::KernelOp kernel);
};

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_TILETOSM_CLUSTERPLAN_H
