//===- LoadRoles.cpp - Roles that fill rings --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PartitionSteps.h"
#include "RingUse.h"
#include "Roles/ProducerLoads.h"

using namespace tessera;
using namespace tessera::sm;

void sm::cloneLoading(RoleOp role, const RingPlan &plan, ArrayRef<Value> rings,
                      const IsVisible &isVisible) {
  RoleSlice slice(isVisible);
  llvm::DenseMap<Operation *, const FetchGroup *> groupAt;
  for (const FetchGroup &group : plan.groups) {
    if (plan.rings[group.ring].isByThreads == role.getElected())
      continue;
    groupAt[group.getPlace()] = &group;
    for (const RingFetch &fetch : group.fetches)
      if (addFetch(slice, fetch))
        llvm_unreachable("the slice was found when rings were planned");
  }
  IRMapping mapping;
  OpBuilder builder = OpBuilder::atBlockEnd(&role.getBody().front());
  Block &body = role->getParentOfType<KernelOp>().getBody().front();
  slice.clone(body, builder, mapping,
              [&](Operation *op, OpBuilder &at, IRMapping &mapping) {
                if (const FetchGroup *group = groupAt.lookup(op))
                  fillSlot(at, *group, rings[group->ring], mapping);
              });
}
