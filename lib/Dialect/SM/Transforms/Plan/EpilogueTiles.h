//===- EpilogueTiles.h - Tiles that follow products -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile that is loaded after a loop of products, such as a residual, can
// arrive by a tensor copy while the loop ends. It is needed once, so it should
// cost the kernel nothing else.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_EPILOGUETILES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_EPILOGUETILES_H

#include "PlanStores.h"
#include "Roles/ProducerLoads.h"

namespace tessera::sm {

/// Removes from `loads` tiles that follow products and would cost more than
/// they gain as tensor copies. These are tiles that threads would have to clip,
/// and tiles that would exclude sizes which `fetches` and `stores` permit.
/// Where loops write tiles to shared memory, removes all of them. Calls
/// `refuse` for each.
void dropCostlyTiles(SmallVectorImpl<StageableLoad> &loads,
                     ArrayRef<RingFetch> fetches, ArrayRef<StoreChoice> stores,
                     RefuseLoad refuse);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_EPILOGUETILES_H
