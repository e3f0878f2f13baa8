//===- PlannedLoop.cpp - A loop with its ops in place -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits a software-pipelined loop from the stages and the order of its ops.
// With everything in stage 0, the ops of the body change places. Otherwise, if
// the loop runs at all:
//
//   prologue: stage 0 of the first iteration
//   steady state, i from the second on: stage 0 of i and stage 1 of i - 1
//   epilogue: stage 1 of the last iteration
//
// Invariant: the loop carries each value of stage 0 that stage 1 uses, and the
// induction variable of stage 1.
//
//===----------------------------------------------------------------------===//

#include "PlannedLoop.h"
#include "tessera/Dialect/SM/Analysis/TripCount.h"
#include "tessera/Dialect/SM/IR/BufferNumber.h"
#include "tessera/Dialect/SM/IR/ProductGroups.h"

#include "mlir/IR/IRMapping.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// A product in flight: its op in the body, and the iteration it belongs to.
using Issue = std::pair<Operation *, int64_t>;

/// Products in the order in which they are issued.
using Issues = SmallVector<Issue>;

class PlannedLoop {
public:
  explicit PlannedLoop(const DependenceGraph &graph);

  void rewrite();

private:
  void reorder();
  SmallVector<Value> pipeline(OpBuilder &builder);
  void numberBuffers();
  void findCarried();
  int64_t getStage(Value value);
  Value getCarried(unsigned number);
  bool awaitResults(OpBuilder &builder, MutableArrayRef<Value> results);
  void emit(OpBuilder &builder, ArrayRef<int64_t> stages, int64_t iteration,
            bool isComplete = false);

  scf::ForOp loop;
  /// The op right after the loop that passes its rings on to another role, if
  /// there is one and results of the loop are pending.
  RingPassOp pass;
  /// The ops of the body in the order of their schedules.
  SmallVector<Operation *> ops;
  /// Values of stage 0 that stage 1 takes from the iteration before.
  llvm::SetVector<Value> handedOn;
  /// The values that stage 0 and stage 1 use for those of the body.
  IRMapping values[kLastStage + 1];
  Issues issues;
};
} // namespace

static int64_t getStageOf(Operation *op) { return getSchedule(op).getStage(); }

PlannedLoop::PlannedLoop(const DependenceGraph &graph)
    : loop(graph.getLoop()), ops(graph.getOps()) {
  llvm::sort(ops, [](Operation *a, Operation *b) {
    return getSchedule(a).getOrder() < getSchedule(b).getOrder();
  });
}

//===----------------------------------------------------------------------===//
// Products in flight
//===----------------------------------------------------------------------===//

/// Returns the products that `completion` waits for: its own, or all that the
/// body has before a retire.
static SmallVector<Operation *> getProducts(Operation *completion) {
  if (auto await = dyn_cast<MmaAwaitOp>(completion))
    return {await.getPending().getDefiningOp()};
  SmallVector<Operation *> products;
  for (Operation *op = completion; op; op = op->getPrevNode())
    if (isa<MmaIssueOp>(op))
      products.push_back(op);
  return products;
}

/// How many products were issued after all of these.
static int64_t countLater(const Issues &issues, ArrayRef<Operation *> products,
                          int64_t iteration) {
  int64_t later = products.empty() ? 0 : issues.size();
  for (Operation *product : products) {
    auto *at = llvm::find(issues, Issue(product, iteration));
    later = std::min(later, at == issues.end() ? 0 : issues.end() - at - 1);
  }
  return later;
}

/// Makes `completion` wait until at most `later` products are in flight, up to
/// the limit of the instruction.
static void setLeave(Operation *completion, int64_t later) {
  auto attribute =
      Builder(completion).getI64IntegerAttr(std::min(later, kMostGroupsLeft));
  if (auto await = dyn_cast<MmaAwaitOp>(completion))
    await.setLeaveAttr(attribute);
  else
    cast<MmaRetireOp>(completion).setLeaveAttr(attribute);
}

//===----------------------------------------------------------------------===//
// Everything in its own iteration
//===----------------------------------------------------------------------===//

void PlannedLoop::reorder() {
  // Before ops move, retires follow their products.
  llvm::DenseMap<Operation *, SmallVector<Operation *>> products;
  for (Operation *op : ops)
    if (isa<MmaAwaitOp, MmaRetireOp>(op))
      products[op] = getProducts(op);
  Operation *end = loop.getBody()->getTerminator();
  for (Operation *op : ops) {
    op->moveBefore(end);
    op->removeAttr(kOpScheduleAttrName);
    if (isa<MmaIssueOp>(op))
      issues.push_back({op, 0});
    if (isa<MmaAwaitOp, MmaRetireOp>(op))
      setLeave(op, countLater(issues, products[op], 0));
  }
}

//===----------------------------------------------------------------------===//
// Some an iteration late
//===----------------------------------------------------------------------===//

/// Returns the stage of what computes `value`; 0 for what no op of the body
/// does.
int64_t PlannedLoop::getStage(Value value) {
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == loop.getBody() ? getStageOf(op) : 0;
}

/// Returns the value that an iteration hands to the next one: the pending value
/// if the result is awaited after the loop.
Value PlannedLoop::getCarried(unsigned number) {
  Value value = loop.getYieldedValues()[number];
  Operation *op = value.getDefiningOp();
  return op && op->getBlock() == loop.getBody() && runsAfterLoop(op)
             ? Value(cast<MmaAwaitOp>(op).getPending())
             : value;
}

void PlannedLoop::findCarried() {
  for (Operation *op : ops)
    if (getStageOf(op) == kLastStage)
      op->walk([&](Operation *inner) {
        // The accumulator of a product comes before its factors.
        for (Value operand : llvm::reverse(inner->getOperands())) {
          if (operand.getParentBlock() != loop.getBody())
            continue;
          // A carried value has the stage of the op that yields it.
          auto argument = dyn_cast<BlockArgument>(operand);
          bool isCarried = argument && operand != loop.getInductionVar();
          Value source =
              isCarried ? getCarried(argument.getArgNumber() - 1) : operand;
          if (getStage(source) == 0)
            handedOn.insert(operand);
        }
      });
  Value position = loop.getInductionVar();
  if (handedOn.remove(position))
    handedOn.insert(position);
}

/// Numbers the buffers that the body writes. All iterations write the same one,
/// also those of the prologue and of the epilogue.
void PlannedLoop::numberBuffers() {
  Builder builder(loop.getContext());
  int64_t next = 0;
  loop->getParentOfType<KernelOp>().walk([&](SmemStoreOp op) {
    if (auto known = op->getAttrOfType<IntegerAttr>(kBufferNumberAttrName))
      next = std::max(next, known.getInt() + 1);
  });
  loop.walk([&](SmemStoreOp op) {
    if (!op->hasAttr(kBufferNumberAttrName))
      op->setAttr(kBufferNumberAttrName, builder.getI64IntegerAttr(next++));
  });
}

/// Clones the ops of these stages in their order, where stage 0 is that of
/// `iteration`. No product is left to retire if all are complete.
void PlannedLoop::emit(OpBuilder &builder, ArrayRef<int64_t> stages,
                       int64_t iteration, bool isComplete) {
  for (Operation *op : ops) {
    int64_t stage = getStageOf(op);
    if (!llvm::is_contained(stages, stage))
      continue;
    if (isComplete && isa<MmaRetireOp>(op))
      continue;
    // Before and after the loop, no other warpgroup waits for a turn.
    if (stages.size() == 1 && isa<PingPongWaitOp, PingPongPassOp>(op))
      continue;
    // Arguments of regions that a mapping knows would not be cloned again.
    IRMapping mapping = values[stage];
    Operation *clone = builder.clone(*op, mapping);
    values[stage].map(op->getResults(), clone->getResults());
    clone->removeAttr(kOpScheduleAttrName);
    if (isa<MmaIssueOp>(op))
      issues.push_back({op, iteration - stage});
    if (isa<MmaAwaitOp, MmaRetireOp>(op))
      setLeave(clone, countLater(issues, getProducts(op), iteration - stage));
    // From here on, stage 0 takes what a late op yields.
    if (stage == 0)
      continue;
    for (BlockArgument argument : loop.getRegionIterArgs()) {
      Value value = getCarried(argument.getArgNumber() - 1);
      if (value.getDefiningOp() == op)
        values[0].map(argument, values[stage].lookup(value));
    }
  }
}

SmallVector<Value> PlannedLoop::pipeline(OpBuilder &builder) {
  Location loc = loop.getLoc();
  numberBuffers();
  findCarried();
  unsigned count = loop.getNumRegionIterArgs();
  auto yields = llvm::map_to_vector(
      llvm::seq(count), [&](unsigned number) { return getCarried(number); });

  values[0].map(loop.getInductionVar(), loop.getLowerBound());
  values[0].map(loop.getRegionIterArgs(), loop.getInitArgs());
  emit(builder, {0}, /*iteration=*/0);

  // The initial values of the new loop. For values of stage 0 these are the
  // results of the first iteration, for those of stage 1 the initial values of
  // the old loop. The values that stage 0 passes to stage 1 follow.
  auto getNext = [&] {
    SmallVector<Value> next;
    for (Value value : yields)
      next.push_back(values[getStage(value)].lookupOrDefault(value));
    for (Value value : handedOn)
      next.push_back(values[0].lookup(value));
    return next;
  };
  SmallVector<Value> start = getNext();
  for (auto [index, value] : llvm::enumerate(yields))
    if (getStage(value) == kLastStage)
      start[index] = loop.getInitArgs()[index];
  auto take = [&](ValueRange carried) {
    for (auto [index, value] : llvm::enumerate(yields)) {
      // Late ops take what the iteration before their own has yielded.
      if (getStage(value) == kLastStage)
        values[kLastStage].map(loop.getRegionIterArg(index), carried[index]);
      else
        values[0].map(loop.getRegionIterArg(index), carried[index]);
    }
    values[kLastStage].map(handedOn.getArrayRef(), carried.drop_front(count));
  };

  Value second =
      arith::AddIOp::create(builder, loc, loop.getLowerBound(), loop.getStep());
  auto rest = scf::ForOp::create(
      builder, loc, second, loop.getUpperBound(), loop.getStep(), start,
      [&](OpBuilder &inner, Location where, Value position,
          ValueRange carried) {
        take(carried);
        values[0].map(loop.getInductionVar(), position);
        emit(inner, {0, kLastStage}, /*iteration=*/1);
        scf::YieldOp::create(inner, where, getNext());
      },
      loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());

  take(rest.getResults());
  SmallVector<Value> results(rest.getResults().take_front(count));
  bool isComplete = awaitResults(builder, results);
  emit(builder, {kLastStage}, /*iteration=*/2, isComplete);
  for (auto [index, value] : llvm::enumerate(yields))
    if (getStage(value) == kLastStage)
      results[index] = values[kLastStage].lookup(value);
  return results;
}

/// Awaits what is pending at the end, if anything is.
bool PlannedLoop::awaitResults(OpBuilder &builder,
                               MutableArrayRef<Value> results) {
  bool isAny = false;
  for (Value &result : results) {
    auto pending = dyn_cast<PendingType>(result.getType());
    if (!pending)
      continue;
    // The products of the next role may queue up after the last one.
    if (pass && !isAny)
      builder.clone(*pass);
    isAny = true;
    result = MmaAwaitOp::create(builder, loop.getLoc(), pending.getTensor(),
                                result, /*leave=*/0);
  }
  return isAny;
}

void PlannedLoop::rewrite() {
  bool isPending =
      llvm::any_of(loop.getBody()->getOps<MmaAwaitOp>(),
                   [](MmaAwaitOp op) { return runsAfterLoop(op); });
  if (!isPending &&
      llvm::all_of(ops, [](Operation *op) { return getStageOf(op) == 0; }))
    return reorder();
  if (isPending)
    pass = dyn_cast_or_null<RingPassOp>(loop->getNextNode());
  scf::IfOp branch =
      replaceIfRun(loop, [&](OpBuilder &builder) { return pipeline(builder); });
  if (pass && branch)
    pass->moveBefore(branch.elseBlock()->getTerminator());
  else if (pass)
    pass.erase();
}

void sm::applySchedule(const DependenceGraph &graph) {
  PlannedLoop(graph).rewrite();
}
