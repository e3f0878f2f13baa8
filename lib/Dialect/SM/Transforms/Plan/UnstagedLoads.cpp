//===- UnstagedLoads.cpp - Loads that are waited for ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "UnstagedLoads.h"
#include "Roles/GatheredLoads.h"
#include "Roles/ProducerLoads.h"

using namespace tessera;
using namespace tessera::sm;

void sm::sayUnstaged(LoadOp load, const Twine &why, bool remarks) {
  auto tile = cast<RankedTensorType>(load.getType());
  bool isLarge = tile.getRank() > 1 || getGathered(load.getIndices());
  if (isLarge && !isBesideProducts(load)) {
    load.emitWarning() << "kernel '"
                       << load->getParentOfType<KernelOp>().getSymName()
                       << "' is likely to be slow: its products wait for this "
                          "load in each step of their loop, since "
                       << why << " [unstaged-load]";
    return;
  }
  if (remarks)
    load.emitRemark() << "no other role runs ahead with this load: " << why
                      << " [load-in-place]";
}
