//===- RoleInterpreter.h - Symbolic execution of roles ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the operations of roles on rings, queues, turns and barriers, with
// the control flow around them. Execution ends when each role waits for another
// one, needs an unknown value, or is at its end.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_ANALYSIS_ROLEINTERPRETER_H
#define TESSERA_LIB_DIALECT_SM_ANALYSIS_ROLEINTERPRETER_H

#include "Tokens.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::sm {

/// Whether `value` is negative, or else, for a condition, whether it is true.
struct Question {
  bool isLess = false;
  ScalarSum value;
  /// By how much `value` grows with the iterations of the loop that asks; 0 if
  /// a condition asks.
  ScalarSum step;
  /// `value` with the indices of all loops as atoms.
  ScalarSum asked;
  Operation *op = nullptr;
};

struct Fact {
  Question question;
  bool isTrue;
};

/// A region that an agent is in.
struct Frame {
  Operation *owner;
  /// The next op there; null at the test of a for loop.
  Operation *next;
  /// Of a for loop: the index, the bound and the step.
  ScalarSum index, bound, step;
  /// How often a for loop has run, if it is known how often it may.
  int64_t iterations = 0;
};

struct Agent {
  enum class Status { Ready, Waits, Asks, Done };
  Status status = Status::Ready;
  SmallVector<Frame> frames;
  /// The values that control flow carries, and the rings and numbers of its
  /// slots.
  llvm::MapVector<Value, ScalarSum> scalars;
  llvm::MapVector<Value, std::pair<Value, int64_t>> slots;
  /// Where it waits, or what it asks.
  Operation *at = nullptr;
  /// Whether it has come to a meeting at `at`, and waits for others.
  bool isMeeting = false;
  Question question;
};

struct MachineState {
  std::vector<Agent> agents;
  Tokens tokens;
  SmallVector<Fact> facts;
  /// The last condition that was followed both ways, and whether all such
  /// conditions were loops and tests of sizes, all of them true.
  Operation *fork = nullptr;
  bool isCertain = true;
};

class RoleInterpreter {
public:
  explicit RoleInterpreter(KernelOp kernel);

  MachineState start();

  /// Lets all agents go on as far as they can. False if they come to no end in
  /// the steps that a search may take, as in loops of known length that run too
  /// often to follow each iteration.
  bool run(MachineState &state);

  RoleOp getRole(unsigned agent) const { return roles[agent]; }
  /// Returns the agents that `agent`, which waits, waits for.
  SmallVector<unsigned> getAwaited(const MachineState &state,
                                   unsigned agent) const;
  /// Assumes from now on that the subject of `question` is negative, or true;
  /// or that it is not.
  static void assume(MachineState &state, const Question &question,
                     bool isTrue);

  ScalarAtoms &getAtoms() { return atoms; }
  unsigned getNumber(Operation *op) const { return opNumbers.lookup(op); }
  unsigned getFirstPeer(unsigned agent) const { return peers[agent].first; }
  bool hasSchedule() const { return !scheduledOps.empty(); }

private:
  /// The parts of a run of one agent.
  friend class AgentState;

  /// Follows back what `value` is computed from.
  void collectAsked(Value value);

  RingTokens::User &getUser(MachineState &state, Value ring,
                            unsigned agent) const;

  /// Returns the name of the function that computes `result` from its operands;
  /// printed once.
  StringRef getFunction(OpResult result);

  KernelOp kernel;
  /// By agent, the role and the first agent and number of agents of that role.
  SmallVector<RoleOp> roles;
  SmallVector<std::pair<unsigned, unsigned>> peers;
  /// Agents that take turns as roles, in their order.
  SmallVector<unsigned> inTurn;
  llvm::DenseSet<Value> turnRings;
  llvm::DenseSet<Operation *> scheduledOps;
  llvm::DenseMap<Operation *, unsigned> opNumbers;
  /// Scalars on which it depends where roles go, or what they push.
  llvm::DenseSet<Value> asked;
  llvm::DenseMap<Operation *, int64_t> mostIterations;
  llvm::DenseMap<Value, std::string> functions;
  llvm::DenseMap<Value, ScalarSum> ofKernel;
  ScalarAtoms atoms;
  int64_t numSteps = 0;
};

/// Checks whether `op` waits for other roles or warpgroups, or lets them go on.
bool isNode(Operation *op);

/// Checks whether all warpgroups of a role meet at `op`.
bool isMeeting(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_ANALYSIS_ROLEINTERPRETER_H
