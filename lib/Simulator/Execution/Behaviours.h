//===- Behaviours.h - The table of what ops of the sm dialect do *- C++ -*-===//
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

  /// Whether ops contain no barriers and fences for what others use.
  bool isFenced() const { return fenced; }

  /// What others cannot see.
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

/// For which warps a stage contends (Stage::contends).
bool isInCluster(Operation *op, Warp &warp);

/// The stages of meeting the warps of the role; `applies` says for an op
/// whether there is a meeting at all.
SmallVector<Stage, 2> meetRole(bool (*applies)(Operation *, Warp &) = nullptr);

/// The stages of a meeting that the op implies; none if barriers stand as ops.
SmallVector<Stage, 2> meetImplied(const BehaviourTable &table);

/// Arrives at a barrier with the warp's threads, and waits for its round.
Outcome arriveAt(Warp &warp, NamedBarrier &meeting);
Outcome waitAt(Warp &warp, NamedBarrier &meeting);

/// The number of the warp's role among those that take turns as a whole, or
/// that of the role after it.
unsigned getTurnNumber(Warp &warp, bool isNext = false);
/// Where the role of that number waits for its turn.
NamedBarrier &getTurnOfRole(Warp &warp, unsigned number);
/// Waits there.
Outcome waitAtTurn(Warp &warp, NamedBarrier &turn, const std::string &whose);

/// Waits for a phase of a memory barrier.
Outcome waitAt(Operation *op, Warp &warp, Mbarrier &barrier, unsigned parity);
/// Arrives at a barrier of a CTA of the cluster, which lies at `address` in
/// shared memory (nowhere, if that is negative).
Outcome arrive(Operation *op, Warp &warp, Cta &target, int64_t barrier,
               int64_t address = -1);
/// Reports what a barrier cannot take.
Outcome verify(Operation *op, Warp &warp, Mbarrier &barrier,
               Mbarrier::Defect defect);

/// Functions as the machine computes them, in the place of the interpreter's.
void addMachineScalars(interp::SemanticsTable &table);

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
