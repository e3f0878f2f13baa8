//===- Frame.cpp - Values while a kernel runs -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes the blocks of a program recursively: operations in order, each by
// its function in the table of semantics. Each operation counts as a step
// against the limit of the launch. Defects are reported with a note that names
// the program.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Frame.h"

#include "tessera/Interpreter/Semantics.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::interp;

array::Shape Execution::getCoordinates(uint32_t program) const {
  array::Shape coordinates;
  uint64_t rest = program;
  for (int64_t extent : gridExtents) {
    coordinates.push_back(rest % extent);
    rest /= extent;
  }
  return coordinates;
}

void Execution::forgetAccesses() {
  launch.forgetAccesses();
  if (order)
    order->forgetAccesses();
}

FailureOr<SmallVector<RuntimeValue>>
ProgramFrame::run(Region &region, ArrayRef<RuntimeValue> arguments) {
  Block &block = region.front();
  for (auto [argument, contents] : llvm::zip(block.getArguments(), arguments))
    set(argument, contents);
  // An empty loop body takes a step as well, so that no loop hangs.
  if (failed(takeStep(block.getTerminator())))
    return failure();
  for (Operation &op : block.without_terminator())
    if (failed(execute(op)))
      return failure();
  SmallVector<RuntimeValue> results;
  for (Value operand : block.getTerminator()->getOperands())
    results.push_back(get(operand));
  return results;
}

AccessStamp ProgramFrame::beginAccess() {
  AccessStamp stamp{program, ++execution.time, barrier};
  if (!execution.order)
    return stamp;
  clocks.seen.setStep(0, stamp.time);
  stamp.order = execution.order.get();
  stamp.when = sim::Moment::step(0, stamp.time);
  stamp.clocks = &clocks;
  return stamp;
}

void ProgramFrame::passBarrier() {
  barrier = ++execution.time;
  if (!execution.order)
    return;
  clocks.seen.setStep(0, barrier);
  clocks.others.join(acquired);
  clocksAtBarrier = clocks;
}

void ProgramFrame::synchronize(const GlobalTensor &tensor, int64_t offset,
                               tile::AtomicOrder order, bool changes) {
  if (execution.order)
    execution.order->synchronize(&tensor, offset,
                                 {tile::acquires(order), tile::releases(order)},
                                 changes, program, clocksAtBarrier, acquired);
}

LogicalResult ProgramFrame::takeStep(Operation *op) {
  if (execution.options.stepLimit.isReached(++execution.steps))
    return report(op, execution.options.stepLimit.describe("operations"));
  return success();
}

LogicalResult ProgramFrame::execute(Operation &op) {
  if (failed(takeStep(&op)))
    return failure();
  return (*SemanticsTable::get().lookup(&op))(&op, *this);
}

LogicalResult ProgramFrame::report(Operation *op, const Twine &message,
                                   StringRef advice) {
  InFlightDiagnostic diagnostic = emitError(op->getLoc()) << message;
  const KernelView &kernel = getLaunch().getKernel();
  diagnostic.attachNote(kernel.getLoc())
      << "in " << describeProgram() << " of kernel '" << kernel.getSymName()
      << "'";
  if (!advice.empty())
    diagnostic.attachNote(op->getLoc()) << advice;
  return diagnostic;
}

void ProgramFrame::print(Operation *op, StringRef text) {
  std::string line;
  llvm::raw_string_ostream os(line);
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>())
    os << place.getFilename().getValue() << ":" << place.getLine() << ": ";
  os << describeProgram() << ": " << text;
  if (execution.options.print)
    execution.options.print(line);
  else
    llvm::errs() << line << "\n";
}

std::string ProgramFrame::describeProgram(uint32_t other) const {
  if (execution.gridExtents.empty())
    return "the only program";
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "program (";
  array::Shape coordinates = execution.getCoordinates(other);
  SmallVector<tile::AxisAttr> axes = execution.launch.getKernel().getAxes();
  llvm::interleaveComma(llvm::zip(axes, coordinates), os, [&](auto item) {
    os << std::get<0>(item).getName().getValue() << " = " << std::get<1>(item);
  });
  os << ")";
  return text;
}

Frame::~Frame() = default;

Tile Frame::makeWhole(Type type) {
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return Tile(*getElementType(tensor.getElementType()), tensor.getShape());
  return Tile(*getElementType(type), {});
}
