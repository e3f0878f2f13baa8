//===- SplitLoop.cpp - A loop with split MMAs -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "SplitLoop.h"

using namespace tessera;
using namespace tessera::sm;

MmaAwaitOp sm::splitProduct(MmaOp product) {
  OpBuilder builder(product);
  Location loc = product.getLoc();
  Value issued = MmaIssueOp::create(
      builder, loc, PendingType::get(builder.getContext(), product.getType()),
      product.getA(), product.getB(), product.getAccumulator(),
      product.getTransposeA(), product.getTransposeB());
  auto await = MmaAwaitOp::create(builder, loc, product.getType(), issued,
                                  /*leave=*/0);
  product.replaceAllUsesWith(await.getResult());
  product.erase();
  return await;
}

MmaAwaitOp sm::getAwait(MmaIssueOp issue) {
  return cast<MmaAwaitOp>(*issue->user_begin());
}

SplitLoop::SplitLoop(scf::ForOp loop) : loop(loop) {
  for (MmaOp product :
       llvm::make_early_inc_range(loop.getBody()->getOps<MmaOp>()))
    products.push_back(
        splitProduct(product).getPending().getDefiningOp<MmaIssueOp>());
}

OrReason<DependenceGraph> SplitLoop::getGraph() const {
  Reason reason = Reason::none();
  FailureOr<DependenceGraph> graph = DependenceGraph::get(
      loop, [&](Operation *, Twine text) { reason = "a product " + text; });
  if (failed(graph))
    return reason;
  return std::move(*graph);
}

OrReason<MmaRetireOp> SplitLoop::retireLate(ArrayRef<MmaIssueOp> products) {
  Operation *yield = loop.getBody()->getTerminator();
  OpBuilder builder(loop.getContext());
  for (MmaIssueOp product : products) {
    // A product without an await passes its sum to the next product.
    auto await = dyn_cast<MmaAwaitOp>(*product->user_begin());
    if (!await)
      continue;
    if (!llvm::all_of(await->getUsers(),
                      [yield](Operation *user) { return user == yield; }))
      return "the iteration uses a product that is awaited late";
    await->setAttr(kAfterLoopAttrName, builder.getUnitAttr());
  }
  MmaIssueOp last = products.back();
  builder.setInsertionPointAfter(last);
  return MmaRetireOp::create(builder, last.getLoc(), /*leave=*/0);
}
