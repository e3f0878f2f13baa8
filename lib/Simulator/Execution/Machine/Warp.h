//===- Warp.h - One warp while it runs --------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A warp, or the elected thread of an elected role, executes the ops of the
// kernel in order. Its place is an explicit stack, so that it can stop at any
// op. An op that others can see has *stages*; between two of them others may go
// on. A stage either happens as a whole or changes nothing.
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
  Again,   // done, and the warp has said which stage is next
  Blocked, // nothing has changed
  Ready,   // would not be blocked; nothing has changed (Warp::isAsking)
  Failed,  // a defect was reported, and the run is over
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

  /// A stage that may be Blocked. It is, or is Ready, if the warp is asking.
  Stage waits() && {
    isWait = true;
    return std::move(*this);
  }
  /// A stage for which it matters which agents act before it and which after,
  /// even where none of them race: a phase of a barrier may be over, or be
  /// another one. Not so, what only joins clocks or touches memory, or waits
  /// for what lasts.
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

/// What a warp does for an op.
struct Behaviour {
  SmallVector<Stage, 1> stages;
  /// Whether others can see it, so that the warp's turn ends after each stage.
  bool isVisible = false;
};

/// What the warp waits for, for a report.
using Waiting = std::function<std::string()>;

class Warp : public interp::Frame {
public:
  Warp(Cta &cta, unsigned number);

  /// Runs to the end of the next stage that others can see.
  Outcome step();
  bool isFinished() const { return stack.empty(); }

  /// What a step consists of: what nobody else can see, up to where others can,
  /// and the stage there. Before it, whether it would be blocked, and whether
  /// its place among the steps of others matters.
  LogicalResult runPrivateOps();
  Outcome runStage();
  FailureOr<bool> isReady();
  bool isContended();
  /// Whether stages are only to say if they would be blocked.
  bool isAsking() const { return asking; }

  /// The op that it stands at; null if it has finished.
  Operation *getOp() const;

  Cta &getCta() const { return cta; }
  /// In the cluster, in the CTA, and among the warps of its role.
  unsigned getId() const { return id; }
  unsigned getNumber() const { return number; }
  unsigned getRank() const { return number - firstWarp; }
  unsigned getFirstWarp() const { return firstWarp; }
  unsigned getRoleWarps() const { return roleWarps; }
  sm::RoleOp getRole() const { return role; }
  bool isFirstOfRole() const { return number == firstWarp; }
  /// Whether its first thread is the one that acts for its warpgroup.
  bool isFirstOfWarpgroup() const { return getRank() % 4 == 0; }
  unsigned getWarpgroup() const { return getRank() / 4; }
  /// "warp 3 (role 'math')".
  std::string str() const;

  const Fragment &getFragment(Type tile);

  interp::Tile makeOwn(Type type) const override;
  interp::Tile getOwnPart(Type type, const interp::Tile &whole) const override;
  LogicalResult report(Operation *op, const Twine &message) override;
  /// With a note at the other side of the defect.
  LogicalResult report(Operation *op, const Twine &message, Operation *other,
                       StringRef otherSide);

  /// For an op that needs elements of a tile which other warps hold.
  LogicalResult reportNotHeld(Operation *op);
  /// For stages: reports, and is Failed.
  Outcome fail(Operation *op, const Twine &message);
  /// For stages: says what is waited for, and is Blocked.
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
  /// What follows is not known to those who know what was before.
  void advance() { clocks.seen.setStep(id, ++moment); }
  void join(const Clocks &other) { clocks.join(other); }
  void see(uint32_t asyncNumber) { clocks.add(asyncNumber); }
  void seeGeneric(uint32_t asyncNumber) { clocks.addGeneric(asyncNumber); }
  void fence() {
    clocks.fence();
    advance();
  }

  //===--------------------------------------------------------------------===//
  // What stages of one op keep for each other, and ops for later ones
  //===--------------------------------------------------------------------===//

  uint64_t ticket = 0, counter = 0;
  /// Groups of products that this warp issued, and has seen complete.
  int64_t issued = 0, retired = 0;
  /// Copies to global memory that it has started, and has seen complete.
  SmallVector<uint32_t> stores;
  size_t storesSeen = 0;
  /// The same of fetches by threads.
  SmallVector<uint32_t> fetches;
  size_t fetchesSeen = 0;
  /// Those after which threads of the warp arrive at a barrier by themselves.
  size_t fetchesAnnounced = 0;
  /// Slots that were taken, for each end of each ring.
  std::map<std::pair<int64_t, bool>, int64_t> taken;

private:
  struct Activation {
    Block *block;
    Block::iterator next;
    /// Of a loop.
    interp::LoopRange range;
    uint64_t trip = 0;
  };

  Outcome trace(Operation *op, Outcome outcome);
  Outcome runStage(Operation *op, const Behaviour &behaviour);
  /// The stage that it stands at; null at the end of a role.
  const Stage *getStage();
  LogicalResult execute(Operation *op);
  LogicalResult enter(Operation *op);
  void leave(Operation *terminator);
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
};

/// The behaviour of `op`, an op of the dialect `sm`; null for others.
const Behaviour *findBehaviour(Operation *op, bool isFenced);
/// The semantics of an op that concerns the warp alone, as the interpreter has
/// them; null if the simulator does not know it.
const interp::Semantics *findSemantics(Operation *op);
/// Cuts results of type `index` to the 32 bits that they have in the machine.
void cutToMachineWidth(Operation *op, interp::Frame &frame);

/// Waits until all but `leave` of the copies to global memory that the warp has
/// started have read their tiles.
Outcome awaitStores(Warp &warp, size_t leave);

} // namespace tessera::sim

#endif // TESSERA_LIB_SIMULATOR_EXECUTION_MACHINE_WARP_H
