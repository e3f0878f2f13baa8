//===- Frame.cpp - One program while it runs --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Executes blocks and reports defects.
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

FailureOr<SmallVector<RuntimeValue>>
Frame::run(Region &region, ArrayRef<RuntimeValue> arguments) {
  Block &block = region.front();
  for (auto [argument, contents] : llvm::zip(block.getArguments(), arguments))
    set(argument, contents);
  // An empty loop body takes a step as well: a loop cannot hang for free.
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

LogicalResult Frame::takeStep(Operation *op) {
  if (++execution.steps > execution.options.stepLimit)
    return report(op, "the limit of " + Twine(execution.options.stepLimit) +
                          " executed operations is reached");
  return success();
}

LogicalResult Frame::execute(Operation &op) {
  if (failed(takeStep(&op)))
    return failure();
  return (*SemanticsTable::get().lookup(&op))(&op, *this);
}

LogicalResult Frame::report(Operation *op, const Twine &message) {
  InFlightDiagnostic diagnostic = emitError(op->getLoc()) << message;
  tile::KernelOp kernel = execution.launch.getKernel();
  diagnostic.attachNote(kernel.getLoc())
      << "in " << describeProgram() << " of kernel '" << kernel.getSymName()
      << "'";
  return diagnostic;
}

std::string Frame::describeProgram(uint32_t other) const {
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

Tile interp::makeResult(Operation *op, unsigned index) {
  Type type = op->getResult(index).getType();
  if (auto tensor = dyn_cast<RankedTensorType>(type))
    return Tile(*getElementType(tensor.getElementType()), tensor.getShape());
  return Tile(*getElementType(type), {});
}
