//===- GridDependency.cpp - Launches that overlap ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programmatic dependent launch: a launch may start while its predecessor ends
// (PTX ISA, "griddepcontrol"). Its CTAs occupy free multiprocessors, set up
// their barriers, and wait before they access global memory. The wait ends when
// the predecessor is complete and its writes are visible. Each kernel permits
// its successor at once: the CTAs of the successor start only after all CTAs of
// this launch have started.
//
// Invariant: no access to global memory moves above the wait. canLoadAsConstant
// therefore decides which loads may be loads of constant memory.
//
//===----------------------------------------------------------------------===//

#include "InlinePTX.h"
#include "Patterns.h"

using namespace tessera;
using namespace tessera::sm;

/// Checks whether `op`, or an op in it, uses a tensor in global memory.
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
