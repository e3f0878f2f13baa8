//===- Lockstep.cpp - Programs that meet at barriers ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Bulk-synchronous execution. Operations without a barrier of the grid run in
// one program after the other. The programs enter loops and branches that
// contain such a barrier together, so all must agree on conditions and bounds.
//
// A barrier orders all accesses of before it, so tensors forget them.
//
//===----------------------------------------------------------------------===//

#include "Lockstep.h"

#include "tessera/Dialect/Tile/IR/EarlyExit.h"
#include "tessera/Interpreter/Semantics.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace tessera;
using namespace tessera::interp;

static bool isGridBarrier(Operation *op) {
  auto barrier = dyn_cast<tile::BarrierOp>(op);
  return barrier && barrier.getGrid();
}

bool Lockstep::isNeeded(tile::KernelOp kernel) {
  WalkResult walk = kernel.walk([](tile::BarrierOp barrier) {
    return barrier.getGrid() ? WalkResult::interrupt() : WalkResult::advance();
  });
  return walk.wasInterrupted();
}

void Lockstep::addProgram(uint32_t program, ArrayRef<RuntimeValue> arguments) {
  frames.push_back(std::make_unique<ProgramFrame>(execution, program));
  kernelArguments.emplace_back(arguments);
}

LogicalResult Lockstep::run(tile::KernelOp kernel) {
  if (frames.empty())
    return success();
  kernel.walk([&](tile::BarrierOp barrier) {
    if (!barrier.getGrid())
      return;
    for (Operation *op = barrier; op != kernel; op = op->getParentOp())
      containers.insert(op);
  });
  return run(kernel.getBody().front(), kernelArguments);
}

LogicalResult Lockstep::run(Block &block, Lists &arguments) {
  for (auto [frame, values] : llvm::zip_equal(frames, arguments)) {
    for (auto [argument, value] : llvm::zip(block.getArguments(), values))
      frame->set(argument, std::move(value));
    if (failed(frame->takeStep(block.getTerminator())))
      return failure();
  }
  Block::iterator end = block.getTerminator()->getIterator();
  for (Block::iterator next = block.begin(); next != end;) {
    if (containers.contains(&*next)) {
      if (failed(execute(&*next++)))
        return failure();
      continue;
    }
    Block::iterator partEnd = std::find_if(
        next, end, [&](Operation &op) { return containers.contains(&op); });
    for (const std::unique_ptr<ProgramFrame> &frame : frames)
      for (Operation &op : llvm::make_range(next, partEnd))
        if (failed(frame->execute(op)))
          return failure();
    next = partEnd;
  }
  return success();
}

Lockstep::Lists Lockstep::getAll(ValueRange operands) const {
  Lists lists;
  for (const std::unique_ptr<ProgramFrame> &frame : frames) {
    Values &values = lists.emplace_back();
    for (Value operand : operands)
      values.push_back(frame->get(operand));
  }
  return lists;
}

void Lockstep::setResults(Operation *op, Lists &lists) {
  for (auto [frame, values] : llvm::zip_equal(frames, lists))
    for (auto [result, value] : llvm::zip_equal(op->getResults(), values))
      frame->set(result, std::move(value));
}

FailureOr<int64_t> Lockstep::agree(Operation *op,
                                   function_ref<int64_t(size_t)> get) {
  int64_t first = get(0);
  for (size_t i = 1, e = frames.size(); i < e; ++i)
    if (get(i) != first)
      return frames[i]->report(
          op, "this program and " + frames[0]->describeProgram() +
                  " do not come to the same barriers of the grid");
  return first;
}

LogicalResult Lockstep::execute(Operation *op) {
  if (isGridBarrier(op))
    return meet(op);
  for (const std::unique_ptr<ProgramFrame> &frame : frames)
    if (failed(frame->takeStep(op)))
      return failure();
  if (isa<scf::ForOp>(op))
    return executeLoop(op);
  if (isa<scf::WhileOp>(op))
    return executeWhile(op);
  auto branch = dyn_cast<scf::IfOp>(op);
  if (!branch)
    return frames[0]->report(op, "the interpreter knows no barrier of the grid "
                                 "inside of this operation");
  FailureOr<int64_t> condition = agree(op, [&](size_t i) {
    return frames[i]->getInteger(branch.getCondition());
  });
  if (failed(condition))
    return failure();
  Region &region = *condition ? branch.getThenRegion() : branch.getElseRegion();
  if (region.empty())
    return success();
  Lists none(frames.size());
  if (failed(run(region.front(), none)))
    return failure();
  Lists results = getAll(region.front().getTerminator()->getOperands());
  setResults(op, results);
  return success();
}

LogicalResult Lockstep::executeLoop(Operation *op) {
  auto loop = cast<scf::ForOp>(op);
  std::vector<LoopRange> ranges;
  for (const std::unique_ptr<ProgramFrame> &frame : frames) {
    FailureOr<LoopRange> range = LoopRange::get(loop, *frame);
    if (failed(range))
      return failure();
    ranges.push_back(*range);
  }
  if (failed(agree(op, [&](size_t i) { return ranges[i].trips; })))
    return failure();
  Lists carried = getAll(loop.getInitArgs());
  std::optional<unsigned> runs = tile::findEarlyExit(loop);
  for (uint64_t trip = 0; trip < ranges[0].trips; ++trip) {
    if (runs) {
      FailureOr<int64_t> goesOn = agree(op, [&](size_t i) {
        return std::get<Tile>(carried[i][*runs]).getInteger();
      });
      if (failed(goesOn))
        return failure();
      if (!*goesOn)
        break;
    }
    for (auto [values, range] : llvm::zip_equal(carried, ranges))
      values.insert(values.begin(), range.at(trip));
    if (failed(run(*loop.getBody(), carried)))
      return failure();
    carried = getAll(loop.getYieldedValues());
  }
  setResults(op, carried);
  return success();
}

LogicalResult Lockstep::executeWhile(Operation *op) {
  auto loop = cast<scf::WhileOp>(op);
  Lists carried = getAll(loop.getInits());
  while (true) {
    if (failed(run(*loop.getBeforeBody(), carried)))
      return failure();
    FailureOr<int64_t> goesOn = agree(op, [&](size_t i) {
      return frames[i]->getInteger(loop.getConditionOp().getCondition());
    });
    if (failed(goesOn))
      return failure();
    carried = getAll(loop.getConditionOp().getArgs());
    if (!*goesOn)
      break;
    if (failed(run(*loop.getAfterBody(), carried)))
      return failure();
    carried = getAll(loop.getYieldOp().getOperands());
  }
  setResults(op, carried);
  return success();
}

LogicalResult Lockstep::meet(Operation *barrier) {
  for (const std::unique_ptr<ProgramFrame> &frame : frames) {
    if (failed(frame->takeStep(barrier)))
      return failure();
    frame->passBarrier();
  }
  execution.forgetAccesses();
  return success();
}
