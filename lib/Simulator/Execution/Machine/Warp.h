//===- Warp.h - One warp while it runs --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp, or the elected thread of an elected role, executes the ops of the
// kernel in order. Its position is an explicit stack, so it can stop at any op.
// An op that other agents can observe has *stages*: other agents may run
// between two stages. A stage happens completely or changes nothing.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WARP_H
#define TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WARP_H

#include "Fragments.h"

#include "tessera/Interpreter/Frame.h"
#include "tessera/Interpreter/Semantics.h"
#include "tessera/Simulator/Clock.h"

namespace tessera::sim {

class Cta;
class Warp;

enum class Outcome {
  Done,
  Again,   // done; the warp has set the next stage
  Blocked, // nothing has changed
  Ready,   // would not block; unchanged (isAsking)
  Failed,  // a defect was reported; the run ends
};

class Stage {
public:
  template <typename Function,
            std::enable_if_t<
                !std::is_same_v<std::decay_t<Function>, Stage> &&
                std::is_invocable_r_v<Outcome, Function, Operation *, Warp &>>
                * = nullptr>
  Stage(Function act) : act(std::move(act)) {}

  Outcome operator()(Operation *op, Warp &warp) const { return act(op, warp); }

  /// Marks a stage that may be Blocked. While the warp is asking, it returns
  /// Blocked or Ready.
  Stage waits() && {
    isWait = true;
    return std::move(*this);
  }
  /// Marks a stage whose order among the steps of other agents matters even
  /// without a race: a phase of a barrier may be over, or may have changed.
  /// Stages that only join clocks, access memory, or wait for a lasting event
  /// are not marked.
  Stage contends(bool (*condition)(Operation *, Warp &) = nullptr) && {
    isContending = true;
    contention = condition;
    return std::move(*this);
  }

  bool mayWait() const { return isWait; }
  bool isContended(Operation *op, Warp &warp) const {
    return isContending && (!contention || contention(op, warp));
  }

private:
  std::function<Outcome(Operation *, Warp &)> act;
  bool isWait = false, isContending = false;
  bool (*contention)(Operation *, Warp &) = nullptr;
};

/// The behaviour of a warp at an op.
struct Behaviour {
  SmallVector<Stage, 1> stages;
  /// Whether other agents can observe the op: a step then ends after each
  /// stage.
  bool isVisible = false;
};

/// Describes the event that the warp waits for, for a report.
using Waiting = std::function<std::string()>;

class Warp : public interp::Frame {
public:
  Warp(Cta &cta, unsigned number);

  /// Runs to the end of the next visible stage.
  Outcome step();
  bool isFinished() const { return stack.empty(); }

  /// The parts of a step: the ops that no other agent can observe, then one
  /// visible stage. `isReady` checks whether that stage would not block.
  LogicalResult runPrivateOps();
  Outcome runStage();
  FailureOr<bool> isReady();
  bool isContended();
  /// Whether the warp waits, and repeats its last iterations of a loop until
  /// something changes (Waits.cpp).
  bool isStuck() const;
  /// Whether stages only return whether they would block.
  bool isAsking() const { return asking; }

  /// The op at the warp's position; null if the warp has ended.
  Operation *getOp() const;

  Cta &getCta() const { return cta; }
  /// Number in the cluster, in the CTA, and among the warps of the role.
  unsigned getId() const { return id; }
  unsigned getNumber() const { return number; }
  unsigned getRank() const { return number - firstWarp; }
  unsigned getFirstWarp() const { return firstWarp; }
  unsigned getRoleWarps() const { return roleWarps; }
  sm::RoleOp getRole() const { return role; }
  bool isFirstOfRole() const { return number == firstWarp; }
  /// Whether the first thread of this warp acts for the warpgroup.
  bool isFirstOfWarpgroup() const { return getRank() % 4 == 0; }
  unsigned getWarpgroup() const { return getRank() / 4; }
  /// "warp 3 (role 'math')".
  std::string str() const;

  const Fragment &getFragment(Type tile);

  interp::Tile makeOwn(Type type) const override;
  interp::Tile getOwnPart(Type type, const interp::Tile &whole) const override;
  LogicalResult report(Operation *op, const Twine &message) override;
  /// Reports a defect with notes at other ops.
  struct Note {
    Operation *op;
    std::string text;
  };
  LogicalResult report(Operation *op, const Twine &message,
                       ArrayRef<Note> notes);

  /// Reports that the op needs elements of a tile that other warps hold.
  LogicalResult reportNotHeld(Operation *op);
  /// Reports a defect and returns Failed, for stages.
  Outcome fail(Operation *op, const Twine &message);
  /// Stores the reason and returns Blocked, for stages.
  Outcome block(Waiting reason);
  std::string describeWaiting() const { return waiting ? waiting() : ""; }
  void startRole(sm::RoleOp op);
  Outcome goTo(unsigned next) {
    stage = next;
    return Outcome::Again;
  }

  //===--------------------------------------------------------------------===//
  // Time
  //===--------------------------------------------------------------------===//

  Moment now() const { return Moment::step(id, moment); }
  const Clocks &getClocks() const { return clocks; }
  /// Begins a new step: agents that know the steps before do not know the later
  /// ones.
  void advance() { clocks.seen.setStep(id, ++moment); }
  void join(const Clocks &other) { clocks.join(other); }
  void see(uint32_t asyncNumber) { clocks.add(asyncNumber); }
  void seeGeneric(uint32_t asyncNumber) { clocks.addGeneric(asyncNumber); }
  void fence() {
    clocks.fence();
    advance();
  }

  //===--------------------------------------------------------------------===//
  // State of one op between its stages, and of ops for later ops
  //===--------------------------------------------------------------------===//

  uint64_t ticket = 0, counter = 0;
  /// Number of products that this warp has issued, and has seen complete.
  int64_t issued = 0, retired = 0;
  /// Copies to global memory that the warp has started, and the number that it
  /// has seen complete.
  SmallVector<uint32_t> stores;
  size_t storesSeen = 0;
  /// Fetches that the warp has started, and the number that it has seen
  /// complete.
  SmallVector<uint32_t> fetches;
  size_t fetchesSeen = 0;
  /// Number of fetches with an arrival of the warp's threads at a barrier.
  size_t fetchesAnnounced = 0;
  /// Number of slots taken, for each ring and end (true: the producer's).
  std::map<std::pair<int64_t, bool>, int64_t> taken;

private:
  struct Activation {
    Block *block;
    Block::iterator next;
    /// State of a loop.
    interp::LoopRange range;
    uint64_t trip = 0;
    /// The carried value that is true until the loop may be left.
    std::optional<unsigned> runs;
    /// Whether an iteration depends on memory and carried values alone.
    bool mayWait = false;
    /// `Simulation::changes` at the start of the iteration.
    uint64_t changes = 0;
    /// Number of iterations since then without a change.
    unsigned repeated = 0;
  };

  Outcome trace(Operation *op, Outcome outcome);
  Outcome runStage(Operation *op, const Behaviour &behaviour);
  /// The stage at the warp's position; null at the end of a role.
  const Stage *getStage();
  LogicalResult execute(Operation *op);
  LogicalResult enter(Operation *op);
  LogicalResult leave(Operation *terminator);
  /// Compares the values at the end of an iteration with those at its start,
  /// and reports a deadlock if no warp of the cluster can make a change.
  LogicalResult noteIteration(Operation *loop,
                              ArrayRef<interp::RuntimeValue> values);
  void push(Region &region, ArrayRef<interp::RuntimeValue> arguments);
  void finish(Operation *op, ArrayRef<interp::RuntimeValue> values);
  SmallVector<interp::RuntimeValue> getAll(ValueRange values);
  Outcome endRole();

  Cta &cta;
  unsigned id, number, firstWarp = 0, roleWarps;
  sm::RoleOp role;
  Clocks clocks;
  uint32_t moment = 1;
  std::vector<Activation> stack;
  unsigned stage = 0;
  bool asking = false;
  Waiting waiting;
  /// `Simulation::changes` when the warp last could not continue, other than at
  /// a barrier of its role.
  std::optional<uint64_t> blockedAt;
  /// `Simulation::changes` when the warp last repeated iterations of a loop.
  std::optional<uint64_t> repeatedAt;
};

/// Returns the behaviour of `op`, an op of the dialect `sm`; null for other
/// ops.
const Behaviour *findBehaviour(Operation *op, bool isFenced);
/// Returns the interpreter's semantics of an op that only concerns the warp
/// itself; null if the simulator does not support the op.
const interp::Semantics *findSemantics(Operation *op);
/// Truncates results of type `index` to 32 bits, as in machine code.
void cutToMachineWidth(Operation *op, interp::Frame &frame);

/// Waits until all but `leave` of the warp's copies to global memory have read
/// their tiles.
Outcome awaitStores(Warp &warp, size_t leave);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WARP_H
