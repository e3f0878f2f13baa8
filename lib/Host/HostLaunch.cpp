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

template <typename T>
static void encodeAll(const Tile &tile, std::vector<uint8_t> &bytes) {
  bytes.resize(tile.getNumElements() * sizeof(T));
  T *out = reinterpret_cast<T *>(bytes.data());
  for (int64_t i = 0, e = tile.getNumElements(); i < e; ++i)
    out[i] = T(tile.getBits(i));
}

static std::vector<uint8_t> encode(const Tile &tile) {
  std::vector<uint8_t> bytes;
  switch (array::getByteSize(tile.getType())) {
  case 1:
    encodeAll<uint8_t>(tile, bytes);
    break;
  case 2:
    encodeAll<uint16_t>(tile, bytes);
    break;
  case 4:
    encodeAll<uint32_t>(tile, bytes);
    break;
  default:
    encodeAll<uint64_t>(tile, bytes);
    break;
  }
  return bytes;
}

template <typename T>
static void decodeAll(ArrayRef<uint8_t> bytes, Tile &tile) {
  const T *in = reinterpret_cast<const T *>(bytes.data());
  for (int64_t i = 0, e = tile.getNumElements(); i < e; ++i)
    tile.setBits(i, in[i]);
}

static Tile decode(const Tile &like, ArrayRef<uint8_t> bytes) {
  Tile tile(like.getType(), like.getShape());
  switch (array::getByteSize(tile.getType())) {
  case 1:
    decodeAll<uint8_t>(bytes, tile);
    break;
  case 2:
    decodeAll<uint16_t>(bytes, tile);
    break;
  case 4:
    decodeAll<uint32_t>(bytes, tile);
    break;
  default:
    decodeAll<uint64_t>(bytes, tile);
    break;
  }
  return tile;
}

LogicalResult host::run(interp::Launch &launch, const HostKernel *kernel,
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
    if (!HostKernel::acceptsStrides(tensor->getShape(), tensor->getStrides()))
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
