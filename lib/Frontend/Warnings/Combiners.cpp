//===- Combiners.cpp - Functions that are not associative -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A reduction and a scan combine elements in any order. A difference or a
// quotient of the two arguments depends on the order. Other functions are
// assumed to be associative.
//
//===----------------------------------------------------------------------===//

#include "Places.h"
#include "Warnings.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace tessera;
using namespace tessera::frontend;

/// Checks whether a function of two numbers is their difference or quotient.
static bool isDifferenceOrQuotient(Block &combiner) {
  Operation *yield = combiner.getTerminator();
  if (combiner.getNumArguments() != 2 || yield->getNumOperands() != 1)
    return false;
  Operation *op = yield->getOperand(0).getDefiningOp();
  return isa_and_present<arith::SubFOp, arith::SubIOp, arith::DivFOp,
                         arith::FloorDivSIOp, arith::DivUIOp>(op) &&
         isa<BlockArgument>(op->getOperand(0)) &&
         isa<BlockArgument>(op->getOperand(1)) &&
         op->getOperand(0) != op->getOperand(1);
}

void tessera::frontend::warnOfCombiners(KernelContext &context,
                                        tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    if (!isa<tile::ReduceWithOp, tile::ScanWithOp>(op) ||
        !isDifferenceOrQuotient(op->getRegion(0).front()))
      return;
    std::optional<InFlightDiagnostic> diagnostic = warnAt(context, op);
    if (!diagnostic)
      return;
    bool isReduction = isa<tile::ReduceWithOp>(op);
    *diagnostic << "the result of this " << (isReduction ? "reduction" : "scan")
                << " depends on the order of its steps: the function is not "
                   "associative [not-associative]";
    diagnostic->attachNote(findPlace(op->getLoc()))
        << "combine elements by `a + b` or `a * b`, and subtract or divide "
           "the result";
    noteCall(*diagnostic, op);
  });
}
