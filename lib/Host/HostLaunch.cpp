//===- HostLaunch.cpp - Launches on the processor ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The interpreter holds narrow elements as f32 and integers as 64 bits, so
// tensors are copied to their form in memory and back. A failed run leaves the
// launch as it was, and the interpreter repeats it from there.
//
//===----------------------------------------------------------------------===//

#include "tessera/Host/HostLaunch.h"

using namespace tessera;
using namespace tessera::host;
using array::ElementType;
using interp::GlobalTensor;
using interp::Tile;

namespace {
/// The memory of a tensor during a run.
struct Memory {
  /// For f32, which tiles hold as in memory.
  Tile tile;
  /// For other types.
  std::vector<uint8_t> bytes;
  std::vector<uint8_t> written;
};
} // namespace

/// Calls `function` with a number of the type that elements of `tile` have in
/// memory.
template <typename Function>
static void withStorage(const Tile &tile, Function function) {
  switch (array::getByteSize(tile.getType())) {
  case 1:
    return function(uint8_t());
  case 2:
    return function(uint16_t());
  case 4:
    return function(uint32_t());
  default:
    return function(uint64_t());
  }
}

static std::vector<uint8_t> encode(const Tile &tile) {
  std::vector<uint8_t> bytes;
  withStorage(tile, [&](auto element) {
    using T = decltype(element);
    bytes.resize(tile.getNumElements() * sizeof(T));
    T *out = reinterpret_cast<T *>(bytes.data());
    for (int64_t i = 0, e = tile.getNumElements(); i < e; ++i)
      out[i] = T(tile.getBits(i));
  });
  return bytes;
}

static Tile decode(const Tile &like, ArrayRef<uint8_t> bytes) {
  Tile tile(like.getType(), like.getShape());
  withStorage(tile, [&](auto element) {
    auto *in = reinterpret_cast<const decltype(element) *>(bytes.data());
    for (int64_t i = 0, e = tile.getNumElements(); i < e; ++i)
      tile.setBits(i, in[i]);
  });
  return tile;
}

LogicalResult host::run(interp::Launch &launch, const NativeKernel *kernel,
                        const interp::RunOptions &options,
                        interp::RunStatistics *statistics) {
  auto interpret = [&] { return interp::run(launch, options, statistics); };
  if (!kernel)
    return interpret();
  if (failed(interp::verifyArguments(launch)))
    return failure();
  std::vector<Memory> memories(launch.getNumArguments());
  SmallVector<HostArgument> arguments;
  for (auto [i, memory] : llvm::enumerate(memories)) {
    GlobalTensor *tensor = launch.getTensor(i);
    if (!tensor) {
      const Tile &scalar = launch.getScalar(i);
      arguments.push_back(scalar.isFloat()
                              ? HostArgument::getFloat(scalar.getFloat())
                              : HostArgument::getInteger(scalar.getInteger()));
      continue;
    }
    if (!NativeKernel::acceptsStrides(tensor->getShape(), tensor->getStrides()))
      return interpret();
    HostArgument argument;
    if (tensor->getType() == ElementType::F32) {
      memory.tile = tensor->getMemory();
      // Code does not write to an input; other tensors are copied.
      argument.data = tensor->hasShadow()
                          ? memory.tile.mutableFloats().data()
                          : const_cast<float *>(memory.tile.floats().data());
    } else {
      memory.bytes = encode(tensor->getMemory());
      argument.data = memory.bytes.data();
    }
    if (tensor->isCreatedPoisoned())
      memory.written.resize(tensor->getMemory().getNumElements());
    argument.shape.assign(tensor->getShape().begin(), tensor->getShape().end());
    argument.strides.assign(tensor->getStrides().begin(),
                            tensor->getStrides().end());
    argument.written = memory.written.empty() ? nullptr : memory.written.data();
    arguments.push_back(std::move(argument));
  }
  HostRunOptions runOptions;
  runOptions.stepLimit = options.stepLimit;
  runOptions.progress = options.progress;
  HostOutcome outcome = kernel->run(arguments, launch.getSizes(), runOptions);
  if (outcome.kind != HostOutcome::Done)
    return interpret();
  for (auto [i, memory] : llvm::enumerate(memories)) {
    GlobalTensor *tensor = launch.getTensor(i);
    if (!tensor || !tensor->hasShadow())
      continue;
    tensor->takeResults(tensor->getType() == ElementType::F32
                            ? std::move(memory.tile)
                            : decode(tensor->getMemory(), memory.bytes),
                        memory.written);
  }
  if (statistics)
    statistics->programs = outcome.programs;
  return success();
}
