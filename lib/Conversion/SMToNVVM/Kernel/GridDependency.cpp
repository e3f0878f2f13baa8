//===- GridDependency.cpp - Launches that overlap ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch may start while the one before it ends (PTX ISA, "griddepcontrol").
// Its CTAs take the multiprocessors that become free, set up their barriers and
// wait before they touch global memory. The wait ends when the other launch is
// complete and its writes are visible. Each kernel permits that to the launch
// after it at once: CTAs of that launch start only after all CTAs of this one
// have started. canLoadAsConstant therefore decides which loads must not be
// taken for loads of constant memory.
//
//===----------------------------------------------------------------------===//

#include "InlinePTX.h"
#include "Patterns.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether `op` or an op in it has to do with a tensor in global memory.
static bool touchesGlobalMemory(Operation &op) {
  auto isGlobal = [](Type type) { return isa<tile::GlobalType>(type); };
  return op
      .walk([&](Operation *inner) {
        return llvm::any_of(inner->getOperandTypes(), isGlobal)
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

void sm::emitGridDependency(LoweringContext &context) {
  Block &entry = context.getFunction().getBody().front();
  OpBuilder builder(&entry, entry.begin());
  emitLaunchOfDependents(builder, context.getFunction().getLoc());
  for (Operation &op : entry) {
    if (!touchesGlobalMemory(op) && !op.hasTrait<OpTrait::IsTerminator>())
      continue;
    builder.setInsertionPoint(&op);
    emitDependencyWait(builder, op.getLoc());
    return;
  }
}
