//===- Interpreter.h - Runs kernels of the tile dialect ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpreter: the executable semantics of the tile dialect.
//
//   SizeBinding sizes = …;            // named sizes from the arguments
//   Launch launch(kernel, sizes);
//   launch.addTensor(GlobalTensor(…)); launch.addScalar(Tile::getFloat(…));
//   if (failed(run(launch, options))) …
//   launch.getTensor(i)->toArray();
//
// Programs of the grid run one after the other. A defect of the kernel is an
// error at the operation, with a note that names the program. Defects are
// division by zero, a loop step below 1, and a `full` range or an `in_bounds`
// access that is out of bounds. Others are accesses whose order the memory
// model does not define, and more steps than the limit.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_INTERPRETER_H
#define TESSERA_INTERPRETER_INTERPRETER_H

#include "tessera/Interpreter/GlobalTensor.h"
#include "tessera/Interpreter/RuntimeValue.h"
#include "tessera/Interpreter/SizeBinding.h"
#include "tessera/Support/Progress.h"

namespace tessera::interp {

/// A kernel, of the tile or the sm dialect, with its arguments.
class Launch {
public:
  Launch(KernelView kernel, SizeBinding sizes)
      : kernel(std::move(kernel)), sizes(std::move(sizes)) {}

  const KernelView &getKernel() const { return kernel; }
  const SizeBinding &getSizes() const { return sizes; }

  /// Adds the argument of the next parameter.
  void addTensor(GlobalTensor tensor) {
    arguments.push_back(
        {std::make_unique<GlobalTensor>(std::move(tensor)), Tile()});
  }
  void addScalar(Tile scalar) { arguments.push_back({nullptr, scalar}); }

  unsigned getNumArguments() const { return arguments.size(); }
  /// Returns the tensor of a parameter, or null if it is a scalar.
  GlobalTensor *getTensor(unsigned index) {
    return arguments[index].tensor.get();
  }
  const Tile &getScalar(unsigned index) const {
    return arguments[index].scalar;
  }
  /// Lets all tensors forget their accesses, at a barrier of the grid.
  void forgetAccesses() {
    for (Argument &argument : arguments)
      if (argument.tensor)
        argument.tensor->forgetAccesses();
  }

private:
  struct Argument {
    std::unique_ptr<GlobalTensor> tensor;
    Tile scalar;
  };

  KernelView kernel;
  SizeBinding sizes;
  std::vector<Argument> arguments;
};

struct RunOptions {
  /// Maximum number of operations of the whole launch; a bound against hangs.
  StepLimit stepLimit = kDefaultOperationLimit;
  /// Seed of a random order of the programs of the grid, if set.
  std::optional<uint64_t> orderSeed;
  /// Called for each program; may be empty.
  ProgressHandler progress;
  /// Takes the lines that the kernel prints; if empty, they go to standard
  /// error.
  std::function<void(StringRef)> print;
};

struct RunStatistics {
  uint64_t programs = 0;
  uint64_t steps = 0;
};

/// Checks that the interpreter supports every operation and type of `kernel`.
/// Reports an error at the first that it does not support.
LogicalResult verifyExecutable(tile::KernelOp kernel);

/// Checks whether a kernel inside of `op` has checks or prints.
bool hasReports(Operation *op);

/// Checks that the arguments of `launch` match the parameters.
LogicalResult verifyArguments(Launch &launch);

/// Returns the extents of the grid in programs. Fails with a diagnostic if a
/// size has no value or there are too many programs.
FailureOr<array::Shape> getGridExtents(Launch &launch);

/// Runs every program of the grid of a kernel of the tile dialect. Fails after
/// the first defect, which has been reported as a diagnostic.
LogicalResult run(Launch &launch, const RunOptions &options = {},
                  RunStatistics *statistics = nullptr);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_INTERPRETER_H
