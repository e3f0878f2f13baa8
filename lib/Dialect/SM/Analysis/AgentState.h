//===- AgentState.h - One role as it runs -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_ANALYSIS_AGENTSTATE_H
#define TESSERA_LIB_DIALECT_SM_ANALYSIS_AGENTSTATE_H

#include "RoleInterpreter.h"

namespace tessera::sm {

/// Lets one agent of a state run.
class AgentState {
public:
  AgentState(RoleInterpreter &machine, MachineState &state, unsigned number)
      : machine(machine), state(state), number(number),
        agent(state.agents[number]) {}

  /// Goes on until the agent waits, asks or ends, or all agents have taken
  /// `mostSteps`. Whether it did anything.
  bool run(int64_t mostSteps);

private:
  bool step();
  /// Does what `op` does to the tokens, if it need not wait.
  bool fire(Operation *op);
  bool fireOnRing(Operation *op);
  bool fireOnQueue(Operation *op);
  bool fireTurn(Operation *op);
  bool meet(Operation *op);

  bool hasEnded(scf::ForOp loop);
  bool testLoop();
  bool endBlock(Operation *terminator);
  bool enter(Operation *op);

  /// The scalar that `value` is.
  ScalarSum evaluate(Value value);
  ScalarSum evaluateOp(OpResult result);
  /// The answer to a question; without one the agent asks.
  std::optional<bool> ask(Question question);
  ScalarSum relateToLoop(const ScalarSum &value);
  std::optional<bool> askCondition(Value condition, Operation *op);

  struct Carried {
    std::optional<ScalarSum> scalar;
    std::optional<std::pair<Value, int64_t>> slot;
  };
  SmallVector<Carried> read(ValueRange values);
  void write(ValueRange values, ArrayRef<Carried> carried);
  void forget(Region &region);

  RoleInterpreter &machine;
  MachineState &state;
  unsigned number;
  Agent &agent;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_ANALYSIS_AGENTSTATE_H
