//===- Behaviours.cpp - Table of the behaviour of sm ops ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The tables of the simulator. An op of the dialect `sm` is looked up by its
// type in one of two tables. One is for the fenced form; in the other one, ops
// imply barriers and fences. Other ops have the semantics of the interpreter,
// except the scalars that machine code computes otherwise.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"

using namespace tessera;
using namespace tessera::sim;

BehaviourTable::BehaviourTable(bool isFenced) : fenced(isFenced) {
  addBarrierBehaviours(*this);
  addRingBehaviours(*this);
  addQueueBehaviours(*this);
  addTileBehaviours(*this);
  addGlobalBehaviours(*this);
  addSharedBehaviours(*this);
  addCopyBehaviours(*this);
  addProductBehaviours(*this);
}

const Behaviour *sim::findBehaviour(Operation *op, bool isFenced) {
  static const BehaviourTable collective(/*isFenced=*/false);
  static const BehaviourTable fenced(/*isFenced=*/true);
  static const Behaviour gridBarrier = makeGridBarrier();
  if (sm::isGridBarrier(op))
    return &gridBarrier;
  return (isFenced ? fenced : collective).lookup(op);
}

const interp::Semantics *sim::findSemantics(Operation *op) {
  static const interp::SemanticsTable table = [] {
    interp::SemanticsTable table;
    addArithIntegerSemantics(table);
    addArithFloatSemantics(table);
    addArithCastSemantics(table);
    addMathSemantics(table);
    addTileAsmSemantics(table);
    addSplatSemantics(table);
    addSizeSemantics(table);
    addMachineScalars(table);
    return table;
  }();
  return table.lookup(op);
}
