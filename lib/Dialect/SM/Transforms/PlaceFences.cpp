//===- PlaceFences.cpp - Barriers and fences of shared memory ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-place-fences: for each role, and for what stands outside of
// roles, a walk in the order of execution that carries the accesses which are
// not yet ordered (AccessState.h). Where an op may not follow one of them, a
// barrier is placed in front of it, and a fence in front of that; they count
// from there on, for whatever else waits. So each stands as late as it may.
//
// - A loop is walked until nothing is placed any more and the state at its head
//   is stable. What it needs of what comes before it is placed in front of it,
//   and not where it is first needed, which is in each iteration; what its
//   iterations need of each other is placed inside, and known first.
// - While a warpgroup has its turn, it must not wait for others: what is needed
//   up to `sm.turn.pass` is placed in front of `sm.turn.take`.
// - `sm.clip` has mostly nothing to do, and then needs no barrier: a condition
//   is made of its limit, and a fence and a barrier stand in it.
// - Roles start when nothing is open any more, and count as a write of all of
//   the shared memory for what stands behind them. An elected role is a single
//   thread, whose accesses are ordered by themselves.
//
//===----------------------------------------------------------------------===//

#include "AccessState.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PLACEFENCESPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

namespace {
class Placement {
public:
  explicit Placement(const SharedAccesses &accesses) : accesses(accesses) {}

  /// Walks over what one agent executes.
  LogicalResult placeIn(Block &body);
  /// Makes ops of what was found.
  void materialize(KernelOp kernel, int64_t &numBarriers, int64_t &numFences);

private:
  void runBlock(Block &block, AccessState &state);
  void runOp(Operation &op, AccessState &state);
  void runLoop(Operation *loop, AccessState &state);
  void runIterations(Operation *loop, AccessState &state);
  void runIf(scf::IfOp branch, AccessState &state);
  void takeTurn(TurnTakeOp take, AccessState &state);

  /// What `op` itself needs, of the given state.
  Need getNeed(Operation *op, const AccessState &state);
  void require(Operation *op, Need need, AccessState &state);
  static void apply(Operation *op, Need need, AccessState &state);
  bool fenceLastBarrier(Operation *op, AccessState &state);
  void verifyTurn(Operation *op);
  void report(Operation *op, Twine message, Operation *other, StringRef note);

  static constexpr unsigned kMaxRounds = 8;

  const SharedAccesses &accesses;
  llvm::DenseMap<Operation *, Need> placed;
  llvm::DenseSet<Operation *> knownLoops;
  /// While a loop is only asked what it needs: that.
  Need *asked = nullptr;
  TurnTakeOp turn;
  bool hasFailed = false;
};
} // namespace

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

void Placement::apply(Operation *op, Need need, AccessState &state) {
  if (need == Need::FenceAndBarrier)
    state.addFence();
  if (need != Need::Nothing)
    state.addBarrier(op);
}

/// If all that `op` needs is that a fence stood in front of the barrier before,
/// that is where it goes.
bool Placement::fenceLastBarrier(Operation *op, AccessState &state) {
  Operation *last = state.getLastBarrier();
  if (asked || !last)
    return false;
  AccessState fenced = state;
  fenced.addFenceToLastBarrier();
  if (getNeed(op, fenced) != Need::Nothing)
    return false;
  placed[last] = Need::FenceAndBarrier;
  state = std::move(fenced);
  return true;
}

void Placement::report(Operation *op, Twine message, Operation *other,
                       StringRef note) {
  // Loops are walked several times.
  if (hasFailed)
    return;
  hasFailed = true;
  InFlightDiagnostic error = op->emitOpError() << message;
  error.attachNote(other->getLoc()) << note;
}

void Placement::require(Operation *op, Need need, AccessState &state) {
  auto known = placed.find(op);
  if (known != placed.end()) {
    Need both = std::max(known->second, need);
    if (!asked)
      known->second = both;
    // A fence that would have to be added counts only if it is.
    apply(op, known->second, state);
    if (asked && both != known->second)
      *asked = std::max(*asked, both);
    return;
  }
  if (need == Need::Nothing)
    return;
  if (asked) {
    *asked = std::max(*asked, need);
    return;
  }
  verifyTurn(op);
  placed[op] = need;
  apply(op, need, state);
}

/// Before a barrier at `op`.
void Placement::verifyTurn(Operation *op) {
  if (turn)
    report(
        op,
        "waits for all threads of its role while one warpgroup has its turn, "
        "for which the others wait; expected it in front of the turn",
        turn, "the turn starts here");
}

Need Placement::getNeed(Operation *op, const AccessState &state) {
  if (auto arrive = dyn_cast<MbarrierArriveOp>(op))
    return state.getNeed(arrive);
  if (isa<RoleOp>(op))
    return state.getNeedOfRoles();
  Need need = Need::Nothing;
  Operation *inFlight = nullptr;
  for (unsigned access : accesses.of(op))
    need = std::max(need, state.getNeed(access, inFlight));
  if (inFlight)
    report(op,
           "writes shared memory that an operation in flight may still read; "
           "expected it to be awaited in front",
           inFlight, "started here");
  return hasOwnBarriers(accesses, op) ? Need::Nothing : need;
}

void Placement::runOp(Operation &op, AccessState &state) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return runLoop(&op, state);
  if (auto branch = dyn_cast<scf::IfOp>(op))
    return runIf(branch, state);
  if (auto take = dyn_cast<TurnTakeOp>(op))
    takeTurn(take, state);
  if (isa<TurnPassOp>(op))
    turn = nullptr;
  if (isa<BarrierOp>(op) || hasOwnBarriers(accesses, &op))
    verifyTurn(&op);
  if (isa<BarrierOp>(op))
    state.addBarrier();
  if (isa<FenceOp>(op))
    state.addFence();
  if (auto await = dyn_cast<MmaAwaitOp>(op))
    state.completeProducts(await.getLeave());
  if (auto retire = dyn_cast<MmaRetireOp>(op))
    state.completeProducts(retire.getLeave());
  if (auto wait = dyn_cast<MbarrierWaitOp>(op))
    state.waitForStage(wait);
  // What is placed already.
  require(&op, Need::Nothing, state);
  Need need = getNeed(&op, state);
  if (need != Need::FenceAndBarrier || !fenceLastBarrier(&op, state))
    require(&op, need, state);
  state.perform(&op);
}

void Placement::takeTurn(TurnTakeOp take, AccessState &state) {
  Need need = Need::Nothing;
  for (Operation *op = take->getNextNode(); op && !isa<TurnPassOp>(op);
       op = op->getNextNode())
    op->walk([&](Operation *inner) {
      need = std::max(need, getNeed(inner, state));
    });
  require(take, need, state);
  turn = take;
}

//===----------------------------------------------------------------------===//
// Control flow
//===----------------------------------------------------------------------===//

void Placement::runBlock(Block &block, AccessState &state) {
  for (Operation &op : block)
    runOp(op, state);
}

void Placement::runIf(scf::IfOp branch, AccessState &state) {
  AccessState other = state;
  runBlock(*branch.thenBlock(), state);
  if (Block *block = branch.elseBlock())
    runBlock(*block, other);
  state.join(other);
}

/// From the state in front of `loop` to that behind it.
void Placement::runIterations(Operation *loop, AccessState &state) {
  AccessState head = state;
  unsigned rounds = 0;
  for (bool isStable = false; !isStable;) {
    AccessState end = head, exit = head;
    for (Region &region : loop->getRegions())
      end.startIteration(region);
    if (auto whileLoop = dyn_cast<scf::WhileOp>(loop)) {
      runBlock(*whileLoop.getBeforeBody(), end);
      exit = end;
      runBlock(*whileLoop.getAfterBody(), end);
    } else {
      runBlock(*cast<scf::ForOp>(loop).getBody(), end);
    }
    end.join(state);
    // What is placed makes states smaller, so that they may go either way.
    if (++rounds > kMaxRounds)
      end.join(head);
    isStable = end == head;
    head = std::move(end);
    if (isStable)
      state = std::move(exit);
  }
}

void Placement::runLoop(Operation *loop, AccessState &state) {
  require(loop, Need::Nothing, state);
  if (asked)
    return runIterations(loop, state);
  if (knownLoops.insert(loop).second) {
    AccessState nothing(accesses);
    runIterations(loop, nothing);
  }
  Need need = Need::Nothing;
  if (!state.empty()) {
    AccessState entry = state;
    asked = &need;
    runIterations(loop, entry);
    asked = nullptr;
  }
  require(loop, need, state);
  runIterations(loop, state);
}

LogicalResult Placement::placeIn(Block &body) {
  AccessState state(accesses);
  runBlock(body, state);
  return failure(hasFailed);
}

//===----------------------------------------------------------------------===//
// The pass
//===----------------------------------------------------------------------===//

void Placement::materialize(KernelOp kernel, int64_t &numBarriers,
                            int64_t &numFences) {
  kernel.getBody().walk([&](Operation *op) {
    Need need = placed.lookup(op);
    OpBuilder builder(op);
    if (need == Need::FenceAndBarrier) {
      FenceOp::create(builder, op->getLoc());
      ++numFences;
    }
    if (need != Need::Nothing) {
      BarrierOp::create(builder, op->getLoc());
      ++numBarriers;
    }
  });
}

/// Of two barriers with nothing between them, one is enough.
static void eraseDoubled(KernelOp kernel) {
  SmallVector<Operation *> doubled;
  kernel.getBody().walk([&](BarrierOp barrier) {
    Operation *next = barrier->getNextNode();
    while (next && isPure(next))
      next = next->getNextNode();
    if (isa_and_present<BarrierOp>(next))
      doubled.push_back(barrier);
  });
  for (Operation *barrier : doubled)
    barrier->erase();
}

/// Lets `clip` and what must follow it run only where there is something to do.
static void guard(ClipOp clip) {
  OpBuilder builder(clip);
  Location loc = clip.getLoc();
  int64_t extent = clip.getTile().getType().getShape()[clip.getAxis()];
  Value limit = arith::ConstantIndexOp::create(builder, loc, extent);
  Value isBelow = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::slt,
                                        clip.getLimit(), limit);
  auto branch = scf::IfOp::create(builder, loc, isBelow,
                                  /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  clip->moveBefore(branch.thenBlock()->getTerminator());
  FenceOp::create(inner, loc);
  BarrierOp::create(inner, loc);
}

/// Whether all of `kernel` can be followed.
static LogicalResult verifyForm(KernelOp kernel) {
  if (kernel.getForm() != Form::Planned && kernel.getForm() != Form::Expanded)
    return kernel.emitOpError()
           << "is in the " << stringifyForm(kernel.getForm())
           << " form, expected the expanded one, of sm-allocate-smem";
  WalkResult result = kernel.getBody().walk([](Operation *op) -> WalkResult {
    if (isa<RingAllocOp>(op))
      return op->emitOpError()
             << "expected no rings; run 'sm-expand-rings' first";
    if (op->getNumRegions() == 0 ||
        isa<RoleOp, scf::ForOp, scf::IfOp, scf::WhileOp>(op))
      return success();
    return op->emitOpError()
           << "cannot be followed to place barriers; expected "
              "loops and conditions of scf only";
  });
  return failure(result.wasInterrupted());
}

namespace {
struct PlaceFences : sm::impl::PlaceFencesPassBase<PlaceFences> {
  using PlaceFencesPassBase::PlaceFencesPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    if (failed(place(kernel)))
      return signalPassFailure();
    kernel.setForm(Form::Fenced);
  }

private:
  LogicalResult place(KernelOp kernel) {
    if (failed(verifyForm(kernel)))
      return failure();
    SmallVector<ClipOp> clips;
    kernel.getBody().walk([&](ClipOp clip) { clips.push_back(clip); });
    llvm::for_each(clips, guard);
    eraseDoubled(kernel);
    FailureOr<SharedAccesses> accesses = SharedAccesses::get(kernel);
    if (failed(accesses))
      return failure();
    Placement placement(*accesses);
    LogicalResult result = placement.placeIn(kernel.getBody().front());
    for (RoleOp role : kernel.getBody().getOps<RoleOp>())
      if (!role.getElected() && succeeded(result))
        result = placement.placeIn(role.getBody().front());
    if (failed(result))
      return failure();
    int64_t barriers = 0, fences = 0;
    placement.materialize(kernel, barriers, fences);
    numBarriers += barriers;
    numFences += fences;
    return success();
  }
};
} // namespace
