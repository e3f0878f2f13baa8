//===- Behaviours.h - Table of the behaviour of sm ops ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_BEHAVIOURS_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_BEHAVIOURS_H

#include "Machine/Cluster.h"

namespace tessera::sim {

class BehaviourTable {
public:
  explicit BehaviourTable(bool isFenced);

  /// Whether barriers and fences are separate ops, so no op implies them.
  bool isFenced() const { return fenced; }

  /// Adds an op that other agents cannot observe.
  template <typename OpTy>
  void addPrivate(Outcome (*behaviour)(OpTy, Warp &)) {
    table[TypeID::get<OpTy>()] = {{makeStage(behaviour)}, false};
  }
  template <typename OpTy>
  void add(std::initializer_list<SmallVector<Stage, 2>> parts) {
    Behaviour &behaviour = table[TypeID::get<OpTy>()];
    behaviour.isVisible = true;
    for (const SmallVector<Stage, 2> &part : parts)
      llvm::append_range(behaviour.stages, part);
  }
  template <typename OpTy>
  void add(Outcome (*behaviour)(OpTy, Warp &)) {
    add<OpTy>({{makeStage(behaviour)}});
  }

  template <typename OpTy>
  static Stage makeStage(Outcome (*behaviour)(OpTy, Warp &)) {
    return [behaviour](Operation *op, Warp &warp) {
      return behaviour(cast<OpTy>(op), warp);
    };
  }

  const Behaviour *lookup(Operation *op) const {
    auto it = table.find(op->getName().getTypeID());
    return it == table.end() ? nullptr : &it->second;
  }

private:
  bool fenced;
  DenseMap<TypeID, Behaviour> table;
};

/// Condition of Stage::contends: the warp is in a cluster of several CTAs.
bool isInCluster(Operation *op, Warp &warp);

/// Returns the stages of a barrier of the role. `applies` decides for each
/// execution of the op whether there is a barrier.
SmallVector<Stage, 2> meetRole(bool (*applies)(Operation *, Warp &) = nullptr);

/// Returns the stages of a barrier of the role that the op implies; none if
/// barriers are separate ops.
SmallVector<Stage, 2> meetImplied(const BehaviourTable &table);

/// Arrives at a barrier with the warp's threads, and waits for its round.
Outcome arriveAt(Warp &warp, NamedBarrier &meeting);
Outcome waitAt(Warp &warp, NamedBarrier &meeting);

/// Returns the number of the warp's role among the roles in ping-pong, or the
/// number of the next role.
unsigned getTurnNumber(Warp &warp, bool isNext = false);
/// Returns the barrier at which the role with this number waits for its turn.
NamedBarrier &getTurnOfRole(Warp &warp, unsigned number);
/// Waits at the barrier of a turn.
Outcome waitAtTurn(Warp &warp, NamedBarrier &turn, const std::string &whose);

/// Waits for a phase of a memory barrier.
Outcome waitAt(Operation *op, Warp &warp, Mbarrier &barrier, unsigned parity);
/// Arrives at a barrier of a CTA of the cluster. `address` is its address in
/// shared memory; negative if it has none.
Outcome arrive(Operation *op, Warp &warp, Cta &target, int64_t barrier,
               int64_t address = -1);
/// Reports the defect of an arrival or of delivered bytes.
Outcome verify(Operation *op, Warp &warp, Mbarrier &barrier,
               Mbarrier::Defect defect);

/// Replaces functions of the interpreter by those that the machine computes.
void addMachineScalars(interp::SemanticsTable &table);

/// Returns the behaviour at a barrier of the grid.
Behaviour makeGridBarrier();
void addBarrierBehaviours(BehaviourTable &table);
void addRingBehaviours(BehaviourTable &table);
void addQueueBehaviours(BehaviourTable &table);
void addTileBehaviours(BehaviourTable &table);
void addGlobalBehaviours(BehaviourTable &table);
void addSharedBehaviours(BehaviourTable &table);
void addCopyBehaviours(BehaviourTable &table);
void addProductBehaviours(BehaviourTable &table);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_BEHAVIOURS_H
