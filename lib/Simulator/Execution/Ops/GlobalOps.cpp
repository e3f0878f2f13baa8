//===- GlobalOps.cpp - Tiles in global memory, by threads -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Behaviour of loads, stores and atomic additions by threads. A warp accesses
// the elements of its fragment through a Box, which masks by limits and records
// the access. If several places hold an element, the first one writes it.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "Tiles/Box.h"

using namespace tessera;
using namespace tessera::sim;
using interp::Tile;

namespace {
/// The part of a tile, or the scalar, that a warp moves.
struct Moved {
  Moved(Type type, Warp &warp) {
    if (auto tensor = dyn_cast<RankedTensorType>(type)) {
      shape = tensor.getShape();
      fragment = &warp.getFragment(type);
      elements = fragment->elements;
    } else {
      elements = warp.getCta().getSimulation().tables.getAllElements(1);
    }
  }

  ArrayRef<int64_t> shape;
  const Fragment *fragment = nullptr;
  ArrayRef<int32_t> elements;
};
} // namespace

static Outcome runLoad(sm::LoadOp op, Warp &warp) {
  Moved moved(op.getType(), warp);
  FailureOr<Box> box = Box::get(op, BoxOperands::get(op), moved.shape, warp,
                                Box::Clip::ByLimits);
  if (failed(box))
    return Outcome::Failed;
  Tile result = warp.makeResult(op);
  fillWith(result, op.getFillAttr());
  if (failed(box->read(op, warp, moved.elements, result)))
    return Outcome::Failed;
  warp.set(op.getResult(), std::move(result));
  return Outcome::Done;
}

template <typename OpTy>
static Outcome runWrite(OpTy op, Warp &warp,
                        std::optional<Box::Replacement> replacement) {
  Moved moved(op.getValue().getType(), warp);
  FailureOr<Box> box = Box::get(op, BoxOperands::get(op), moved.shape, warp,
                                Box::Clip::ByLimits);
  // One of several holders of an element writes it.
  auto isFirst = [&](size_t place) {
    return moved.fragment ? moved.fragment->isFirst[place]
                          : warp.isFirstOfRole();
  };
  if (failed(box) ||
      failed(box->write(op, warp, moved.elements, warp.getTile(op.getValue()),
                        replacement, isFirst)))
    return Outcome::Failed;
  return Outcome::Done;
}

static Outcome runStore(sm::StoreOp op, Warp &warp) {
  return runWrite(op, warp, std::nullopt);
}

static Outcome runAtomic(sm::AtomicOp op, Warp &warp) {
  Box::Replacement replacement{op.getKind(), op.getOrder()};
  if (op.getExpected())
    replacement.expected = &warp.getTile(op.getExpected());
  Tile old;
  if (op.getOld()) {
    old = warp.makeResult(op);
    replacement.old = &old;
  }
  Outcome outcome = runWrite(op, warp, replacement);
  if (outcome == Outcome::Done && op.getOld())
    warp.set(op.getOld(), std::move(old));
  return outcome;
}

void sim::addGlobalBehaviours(BehaviourTable &table) {
  table.add<sm::LoadOp>(runLoad);
  table.add<sm::StoreOp>(runStore);
  table.add<sm::AtomicOp>(runAtomic);
}
