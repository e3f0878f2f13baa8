//===- ControlFlow.cpp - Loops and branches ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Structured control flow: the operations of `scf`, which run their regions
// recursively.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Recurrence.h"
#include "tessera/Interpreter/Semantics.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::interp;

static void setResults(Operation *op, ProgramFrame &frame,
                       ArrayRef<RuntimeValue> values) {
  for (auto [result, value] : llvm::zip(op->getResults(), values))
    frame.set(result, value);
}

static SmallVector<RuntimeValue> getAll(ValueRange operands,
                                        ProgramFrame &frame) {
  SmallVector<RuntimeValue> values;
  for (Value operand : operands)
    values.push_back(frame.get(operand));
  return values;
}

FailureOr<LoopRange> LoopRange::get(Operation *loop, Frame &frame) {
  auto op = cast<scf::ForOp>(loop);
  const Tile &lower = frame.getTile(op.getLowerBound());
  LoopRange range;
  ElementType type = range.type = lower.getType();
  int64_t step = asSigned(type, frame.getInteger(op.getStep()));
  bool isUnsigned = op.getUnsignedCmp();
  if (isUnsigned ? step == 0 : step <= 0)
    return frame.report(op, "the step of the loop is " + Twine(step) +
                                "; expected a positive step");

  int64_t start = range.start = lower.getInteger();
  int64_t end = frame.getInteger(op.getUpperBound());
  uint64_t distance;
  if (isUnsigned) {
    uint64_t first = asUnsigned(type, start), last = asUnsigned(type, end);
    distance = first < last ? last - first : 0;
  } else {
    int64_t first = asSigned(type, start), last = asSigned(type, end);
    distance = first < last ? uint64_t(last) - uint64_t(first) : 0;
  }
  uint64_t stride = isUnsigned ? asUnsigned(type, step) : uint64_t(step);
  range.stride = stride;
  range.trips = distance / stride + (distance % stride != 0);
  return range;
}

static LogicalResult runFor(scf::ForOp op, ProgramFrame &frame) {
  FailureOr<LoopRange> range = LoopRange::get(op, frame);
  if (failed(range))
    return failure();
  SmallVector<RuntimeValue> carried = getAll(op.getInitArgs(), frame);
  std::optional<unsigned> runs = tile::findEarlyExit(op);
  bool mayBeWaiting = range->mayWait<tile::AtomicOp>(op);
  bool mayBeEndless = runs && tile::isEndlessIfRepeated(op);
  Recurrence recurrence;
  for (uint64_t trip = 0; trip < range->trips; ++trip) {
    if (runs && !std::get<Tile>(carried[*runs]).getInteger())
      break;
    SmallVector<RuntimeValue> arguments;
    arguments.push_back(range->at(trip));
    arguments.append(std::make_move_iterator(carried.begin()),
                     std::make_move_iterator(carried.end()));
    uint64_t changes = frame.countChanges();
    FailureOr<SmallVector<RuntimeValue>> next =
        frame.run(op.getRegion(), arguments);
    if (failed(next))
      return failure();
    // Programs run one after the other, so no other one changes anything.
    if (mayBeWaiting && changes == frame.countChanges() &&
        llvm::all_of(llvm::zip_equal(ArrayRef(arguments).drop_front(), *next),
                     [](auto pair) {
                       return hasSameBits(std::get<0>(pair), std::get<1>(pair));
                     }))
      return frame.report(op, "deadlock: the loop waits for another program, "
                              "and every program that has started has ended");
    if (mayBeEndless && std::get<Tile>((*next)[*runs]).getInteger() &&
        recurrence.note(*next))
      return frame.report(op, kEndlessLoop, kEndlessLoopAdvice);
    carried = std::move(*next);
  }
  setResults(op, frame, carried);
  return success();
}

/// Runs a region without arguments; its results become those of `op`.
static LogicalResult runInPlace(Operation *op, Region &region,
                                ProgramFrame &frame) {
  if (region.empty())
    return success();
  FailureOr<SmallVector<RuntimeValue>> results = frame.run(region, {});
  if (failed(results))
    return failure();
  setResults(op, frame, *results);
  return success();
}

static LogicalResult runIf(scf::IfOp op, ProgramFrame &frame) {
  return runInPlace(op,
                    frame.getInteger(op.getCondition()) ? op.getThenRegion()
                                                        : op.getElseRegion(),
                    frame);
}

static LogicalResult runExecuteRegion(scf::ExecuteRegionOp op,
                                      ProgramFrame &frame) {
  return runInPlace(op, op.getRegion(), frame);
}

static LogicalResult runIndexSwitch(scf::IndexSwitchOp op,
                                    ProgramFrame &frame) {
  int64_t selector = frame.getInteger(op.getArg());
  for (auto [value, region] : llvm::zip(op.getCases(), op.getCaseRegions()))
    if (value == selector)
      return runInPlace(op, region, frame);
  return runInPlace(op, op.getDefaultRegion(), frame);
}

static LogicalResult runWhile(scf::WhileOp op, ProgramFrame &frame) {
  SmallVector<RuntimeValue> carried = getAll(op.getInits(), frame);
  while (true) {
    FailureOr<SmallVector<RuntimeValue>> before =
        frame.run(op.getBefore(), carried);
    if (failed(before))
      return failure();
    // The first operand of scf.condition is the condition of the loop.
    bool goesOn = std::get<Tile>(before->front()).getInteger();
    ArrayRef<RuntimeValue> passed = ArrayRef(*before).drop_front();
    if (!goesOn) {
      setResults(op, frame, passed);
      return success();
    }
    FailureOr<SmallVector<RuntimeValue>> after =
        frame.run(op.getAfter(), passed);
    if (failed(after))
      return failure();
    carried = std::move(*after);
  }
}

void interp::addControlFlowSemantics(SemanticsTable &table) {
  table.add<scf::ForOp>(runFor);
  table.add<scf::IfOp>(runIf);
  table.add<scf::ExecuteRegionOp>(runExecuteRegion);
  table.add<scf::IndexSwitchOp>(runIndexSwitch);
  table.add<scf::WhileOp>(runWhile);
}
