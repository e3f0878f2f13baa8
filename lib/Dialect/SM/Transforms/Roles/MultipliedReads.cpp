//===- MultipliedReads.cpp - Products of reads of slots ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "MultipliedReads.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/DenseSet.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// The values that are computed from all of a value.
class Computed {
public:
  explicit Computed(Value start) { values.insert(start); }

  bool contains(Value value) const { return values.contains(value); }

  /// Adds the results of `op` that belong to it.
  void follow(Operation &op);

private:
  llvm::DenseSet<Value> values;
};
} // namespace

void Computed::follow(Operation &op) {
  if (auto branch = dyn_cast<scf::IfOp>(op)) {
    if (branch.getElseRegion().empty())
      return;
    for (Region *region : branch.getRegions())
      for (Operation &inner : region->front().without_terminator())
        follow(inner);
    for (OpResult result : branch->getResults()) {
      unsigned index = result.getResultNumber();
      if (contains(branch.thenYield().getOperand(index)) &&
          contains(branch.elseYield().getOperand(index)))
        values.insert(result);
    }
    return;
  }
  // Each of these needs all registers of its operand.
  if ((OpTrait::hasElementwiseMappableTraits(&op) ||
       isa<ExpandDimsOp, BroadcastOp, ConvertOp>(op)) &&
      llvm::any_of(op.getOperands(),
                   [&](Value operand) { return contains(operand); }))
    values.insert_range(op.getResults());
}

/// Returns the left operand of `op`, if it is a product.
static Value getMultiplied(Operation &op) {
  if (auto issue = dyn_cast<MmaIssueOp>(op))
    return issue.getA();
  if (auto product = dyn_cast<MmaOp>(op))
    return product.getA();
  return nullptr;
}

SmallVector<Operation *> sm::findProductsOf(Value values) {
  SmallVector<Operation *> products;
  Computed computed(values);
  for (Operation *op = values.getDefiningOp()->getNextNode(); op;
       op = op->getNextNode()) {
    Value multiplied = getMultiplied(*op);
    if (multiplied && computed.contains(multiplied))
      products.push_back(op);
    computed.follow(*op);
  }
  return products;
}

Operation *sm::findReleasing(SmemLoadOp read) {
  if (llvm::none_of(*read->getBlock(), llvm::IsaPred<SmemStoreOp, SlotStoreOp>))
    return nullptr;
  SmallVector<Operation *> products = findProductsOf(read.getResult());
  return products.empty() ? nullptr : products.front();
}
