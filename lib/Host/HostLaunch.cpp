//===- HostLaunch.cpp - Launches on the processor ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Code reads inputs where they are and writes to copies of the other tensors. A
// failed run leaves the launch as it was, and the interpreter repeats it from
// there.
//
//===----------------------------------------------------------------------===//

#include "tessera/Host/HostLaunch.h"

using namespace tessera;
using namespace tessera::host;
using interp::GlobalTensor;
using interp::Tile;

LogicalResult host::run(interp::Launch &launch, const NativeKernel *kernel,
                        const interp::RunOptions &options,
                        interp::RunStatistics *statistics) {
  auto interpret = [&] { return interp::run(launch, options, statistics); };
  if (!kernel)
    return interpret();
  if (failed(interp::verifyArguments(launch)))
    return failure();
  /// The tensors that the kernel writes.
  struct Result {
    GlobalTensor *tensor;
    array::NDArray memory;
    std::vector<uint8_t> written;
  };
  // Arguments point to elements of results.
  std::vector<Result> results;
  results.reserve(launch.getNumArguments());
  SmallVector<HostArgument> arguments;
  for (unsigned i = 0, e = launch.getNumArguments(); i < e; ++i) {
    GlobalTensor *tensor = launch.getTensor(i);
    if (!tensor) {
      const Tile &scalar = launch.getScalar(i);
      arguments.push_back(
          scalar.getType() == array::ElementType::F64
              ? HostArgument::getDouble(scalar.getFloat())
          : scalar.isFloat()
              ? HostArgument::getFloat(static_cast<float>(scalar.getFloat()))
              : HostArgument::getInteger(scalar.getInteger()));
      continue;
    }
    ArrayRef<int64_t> shape = tensor->getShape();
    ArrayRef<int64_t> strides = tensor->getStridesOfBytes();
    if (!NativeKernel::acceptsStrides(shape, strides))
      return interpret();
    HostArgument argument;
    argument.shape.assign(shape.begin(), shape.end());
    argument.strides.assign(strides.begin(), strides.end());
    if (!tensor->isWritable()) {
      // Code does not write to an input.
      argument.data = const_cast<void *>(tensor->getBytes());
    } else {
      Result &result = results.emplace_back(
          Result{tensor, tensor->copyBytes(), /*written=*/{}});
      argument.data = result.memory.getBytes();
      if (tensor->isCreatedPoisoned()) {
        result.written.resize(result.memory.getNumElements());
        argument.written = result.written.data();
      }
    }
    arguments.push_back(std::move(argument));
  }
  HostRunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  runOptions.progress = options.progress;
  HostOutcome outcome = kernel->run(arguments, launch.getSizes(), runOptions);
  if (outcome.kind == HostOutcome::Interrupted)
    return failure();
  if (outcome.kind != HostOutcome::Done)
    return interpret();
  for (Result &result : results)
    result.tensor->takeResults(std::move(result.memory), result.written);
  if (statistics)
    statistics->programs = outcome.programs;
  return success();
}
