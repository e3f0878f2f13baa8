//===- LowerChecks.cpp - Checks and prints on a GPU -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass tile-lower-checks. Checks and prints are for the interpreter and the
// processor. Code of a GPU has them only on request (ReportLowering.h).
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "Debug/ReportLowering.h"

namespace tessera::tile {
#define GEN_PASS_DEF_LOWERCHECKSPASS
#include "tessera/Dialect/Tile/Transforms/Passes.h.inc"
} // namespace tessera::tile

using namespace tessera;
using namespace tessera::tile;

namespace {
struct LowerChecks : tile::impl::LowerChecksPassBase<LowerChecks> {
  using LowerChecksPassBase::LowerChecksPassBase;

  void runOnOperation() override {
    if (keep)
      return lowerReports(getOperation());
    getOperation().walk([&](Operation *op) {
      if (!isa<CheckOp, PrintOp>(op))
        return;
      ++numRemoved;
      if (remarks)
        op->emitRemark() << (isa<CheckOp>(op) ? "the check" : "the print")
                         << " is removed"
                         << " [check-removed]";
      op->erase();
    });
  }
};
} // namespace
