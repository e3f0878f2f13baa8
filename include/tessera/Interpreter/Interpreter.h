//===- Interpreter.h - Runs kernels of the tile dialect ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The reference interpreter: what a kernel of the tile dialect means, as code.
//
//   SizeBinding sizes = …;            // named sizes from the arguments
//   Launch launch(kernel, sizes);
//   launch.addTensor(GlobalTensor(…)); launch.addScalar(Tile::getFloat(…));
//   if (failed(run(launch, options))) …
//   launch.getTensor(i)->toArray();
//
// Programs of the grid run one after the other. What a correct kernel may not
// do is reported as an error at the operation, with a note that names the
// program: division by zero, a loop step below 1, a `full` range or an
// `in_bounds` access that is not, accesses whose order the memory model leaves
// open, and more steps than the limit.
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
  /// The tensor of a parameter, or null if it is a scalar.
  GlobalTensor *getTensor(unsigned index) {
    return arguments[index].tensor.get();
  }
  const Tile &getScalar(unsigned index) const {
    return arguments[index].scalar;
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
  /// Operations that the whole launch may execute; a bound against hangs.
  uint64_t stepLimit = 1000000000;
  /// If set, the programs of the grid run in a random order of this seed.
  std::optional<uint64_t> orderSeed;
  /// Hears of the programs; may be empty.
  ProgressHandler progress;
};

struct RunStatistics {
  uint64_t programs = 0;
  uint64_t steps = 0;
};

/// Checks that the interpreter knows every operation and type of `kernel`, with
/// an error at the first that it does not.
LogicalResult verifyExecutable(tile::KernelOp kernel);

/// Checks that the arguments of `launch` are those that the parameters ask for.
LogicalResult verifyArguments(Launch &launch);

/// The extents of the grid in programs; fails with a diagnostic if a size has
/// no value or there are too many.
FailureOr<array::Shape> getGridExtents(Launch &launch);

/// Runs every program of the grid, whose kernel is one of the tile dialect.
/// Fails after the first defect, which has been reported as a diagnostic.
LogicalResult run(Launch &launch, const RunOptions &options = {},
                  RunStatistics *statistics = nullptr);

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_INTERPRETER_H
