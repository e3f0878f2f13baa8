//===- Interpreter.cpp - Executes kernels of the tile dialect ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Checks that the interpreter supports all operations and types of a kernel,
// and that the arguments match the parameters. It then executes the programs of
// the grid one after the other, in ascending order or in a random order. The
// first defect ends the launch.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Interpreter.h"

#include "Lockstep.h"

#include "tessera/Array/Limits.h"

#include "tessera/Array/Generator.h"
#include "tessera/Dialect/Tile/IR/GpuLimits.h"
#include "tessera/Interpreter/Semantics.h"

#include "mlir/IR/Diagnostics.h"
#include "llvm/Support/MathExtras.h"

#include <numeric>

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;

const SemanticsTable &SemanticsTable::get() {
  static const SemanticsTable table = [] {
    SemanticsTable table;
    addArithIntegerSemantics(table);
    addArithFloatSemantics(table);
    addArithCastSemantics(table);
    addMathSemantics(table);
    addControlFlowSemantics(table);
    addTensorSemantics(table);
    addTileRangeSemantics(table);
    addTileMemorySemantics(table);
    addTileComputeSemantics(table);
    addTileAsmSemantics(table);
    addTileDebugSemantics(table);
    return table;
  }();
  return table;
}

/// Checks whether the interpreter can hold a value of `type`.
static bool isRepresentable(Type type) {
  if (isa<RangeType, GlobalType>(type) || getElementType(type))
    return true;
  auto tensor = dyn_cast<RankedTensorType>(type);
  if (!tensor || !tensor.hasStaticShape() ||
      !getElementType(tensor.getElementType()))
    return false;
  int64_t count = 1;
  for (int64_t extent : tensor.getShape()) {
    if (llvm::MulOverflow(count, extent, count) || count > kMaxTileElements)
      return false;
  }
  return true;
}

LogicalResult interp::verifyExecutable(KernelOp kernel) {
  WalkResult result = kernel.getBody().walk([&](Operation *op) {
    if (!op->hasTrait<OpTrait::IsTerminator>() &&
        !SemanticsTable::get().lookup(op)) {
      op->emitError("the interpreter does not know the operation '")
          << op->getName() << "'";
      return WalkResult::interrupt();
    }
    auto check = [&](Type type) {
      if (isRepresentable(type))
        return success();
      return LogicalResult(
          op->emitError("the interpreter does not know values of type ")
          << type);
    };
    for (Type type : op->getResultTypes())
      if (failed(check(type)))
        return WalkResult::interrupt();
    for (Region &region : op->getRegions()) {
      if (!region.empty() && !region.hasOneBlock()) {
        op->emitError("the interpreter does not know regions of several "
                      "blocks");
        return WalkResult::interrupt();
      }
      for (BlockArgument argument : region.getArguments())
        if (failed(check(argument.getType())))
          return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return failure(result.wasInterrupted());
}

LogicalResult interp::verifyArguments(Launch &launch) {
  const KernelView &kernel = launch.getKernel();
  if (launch.getNumArguments() != kernel.getNumParams())
    return kernel.emitError("expected ")
           << kernel.getNumParams() << " arguments for this launch, got "
           << launch.getNumArguments();
  for (auto [i, parameter] : llvm::enumerate(kernel.getParams())) {
    auto type = dyn_cast<GlobalType>(parameter.getType());
    GlobalTensor *tensor = launch.getTensor(i);
    bool fits = bool(type) == bool(tensor);
    if (fits && type)
      fits = getElementType(type.getElementType()) == tensor->getType() &&
             type.getRank() == int64_t(tensor->getShape().size()) &&
             (!type.isWritable() || tensor->isWritable());
    else if (fits)
      fits = getElementType(parameter.getType()) ==
                 launch.getScalar(i).getType() &&
             launch.getScalar(i).getNumElements() == 1;
    if (!fits)
      return kernel.emitError("the argument for parameter '")
             << kernel.getParamName(i) << "' has another type, rank or access";
  }
  return success();
}

FailureOr<array::Shape> interp::getGridExtents(Launch &launch) {
  array::Shape extents;
  int64_t programs = 1;
  for (AxisAttr axis : launch.getKernel().getAxes()) {
    std::optional<int64_t> size = launch.getSizes().evaluate(axis.getSize());
    if (!size || *size < 0 || *size > array::kMaxSize) {
      InFlightDiagnostic diagnostic =
          launch.getKernel().emitError("grid axis '")
          << axis.getName().getValue() << "' has the size "
          << axis.getSize().str() << ", which ";
      if (size)
        diagnostic << "is " << *size << "; sizes are from 0 to "
                   << array::kMaxSizeText;
      else
        diagnostic << "has no value in this launch";
      return failure();
    }
    extents.push_back(
        axis.isTiled() ? llvm::divideCeil(*size, axis.getTileExtent()) : *size);
    if (llvm::MulOverflow(programs, extents.back(), programs) ||
        programs >= std::numeric_limits<uint32_t>::max()) {
      launch.getKernel().emitError("the grid has more than 2^32 - 2 programs");
      return failure();
    }
  }
  return extents;
}

/// Returns the arguments of the kernel's body in the program at `coordinates`.
static SmallVector<RuntimeValue> getArguments(Launch &launch,
                                              ArrayRef<int64_t> coordinates) {
  SmallVector<RuntimeValue> arguments;
  for (unsigned i = 0, e = launch.getNumArguments(); i < e; ++i) {
    if (GlobalTensor *tensor = launch.getTensor(i))
      arguments.push_back(tensor);
    else
      arguments.push_back(launch.getScalar(i));
  }
  for (auto [axis, coordinate] :
       llvm::zip(launch.getKernel().getAxes(), coordinates)) {
    if (!axis.isTiled()) {
      arguments.push_back(Tile::getInteger(ElementType::I64, coordinate));
      continue;
    }
    int64_t extent = axis.getTileExtent();
    arguments.push_back(
        IndexRange{coordinate * extent, extent,
                   *launch.getSizes().evaluate(axis.getSize())});
  }
  return arguments;
}

LogicalResult interp::run(Launch &launch, const RunOptions &options,
                          RunStatistics *statistics) {
  auto kernel = dyn_cast<KernelOp>(launch.getKernel().getOperation());
  if (!kernel)
    return launch.getKernel().emitError(
        "the interpreter runs kernels of the tile dialect only");
  if (failed(verifyExecutable(kernel)) || failed(verifyArguments(launch)))
    return failure();
  FailureOr<array::Shape> extents = getGridExtents(launch);
  if (failed(extents))
    return failure();

  Execution execution(launch, options, *extents);
  kernel.getBody().walk([&](AtomicOp op) {
    if (op.getOrder() != AtomicOrder::Relaxed && !execution.order)
      execution.order = std::make_unique<sim::ProgramOrder>();
  });
  uint64_t programs = 1;
  for (int64_t extent : *extents)
    programs *= extent;
  std::vector<uint32_t> order;
  if (options.orderSeed) {
    order.resize(programs);
    std::iota(order.begin(), order.end(), 0);
    array::Generator generator(*options.orderSeed, "grid order");
    for (uint64_t i = programs; i > 1; --i)
      std::swap(order[i - 1], order[generator.nextInteger(0, i)]);
  }
  bool isJoint = Lockstep::isNeeded(kernel);
  if (isJoint && programs > tile::kMaxResidentPrograms)
    return kernel.emitError("the grid has ")
           << programs << " programs, but `barrier(grid)` needs all of them to "
           << "run at the same time, and GPUs run at most "
           << tile::kMaxResidentPrograms;
  Lockstep joint(execution);
  for (uint64_t i = 0; i < programs; ++i) {
    uint32_t program = order.empty() ? i : order[i];
    SmallVector<RuntimeValue> arguments =
        getArguments(launch, execution.getCoordinates(program));
    if (isJoint) {
      joint.addProgram(program, arguments);
      continue;
    }
    ProgramFrame frame(execution, program);
    if (failed(frame.run(kernel.getBody(), arguments)))
      return failure();
    if (options.progress)
      options.progress(i + 1, programs);
  }
  if (isJoint && failed(joint.run(kernel)))
    return failure();
  if (statistics) {
    statistics->programs = programs;
    statistics->steps = execution.steps;
  }
  return success();
}
