//===- PreparedLaunch.cpp - Queueing a checked launch -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the driver for a LaunchPlan. The machine code contains the shape
// of a cluster (`.reqnctapercluster`), so the launch does not set it.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Launcher.h"

#include "tessera/Runtime/ReportBuffer.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

// CUlaunchAttributeID: "programmatic stream serialization" (CUDA Programming
// Guide, "Programmatic Dependent Launch").
static constexpr int kOverlapsPrevious = 6, kCooperative = 2;
/// CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE
static constexpr CUresult kCooperativeLaunchTooLarge = 720;
// CUtensorMapL2promotion: lines of 128 bytes. Boxes whose rows start within a
// line touch two lines in any case; with 256 bytes they would fetch four.
static constexpr int kPromoteTo128Bytes = 2;

Launcher::Prepared::Prepared(const Launcher &launcher, unsigned variant,
                             LaunchPlan plan, llvm::ArrayRef<Argument> given,
                             const llvm::StringMap<int64_t> &sizes)
    : launcher(&launcher), variant(variant), plan(std::move(plan)),
      arguments(given.begin(), given.end()), sizes(sizes) {
  for (Argument &argument : arguments) {
    auto *tensor = std::get_if<TensorArgument>(&argument);
    if (tensor)
      completeStrides(*tensor);
    addresses.push_back(tensor ? tensor->address : 0);
  }
  ranges = TensorRanges(getMetadata(), arguments);
  maps.resize(this->plan.tensorMaps.size());
  moved = std::make_unique<MovedMaps>(maps.size());
}

const KernelMetadata &Launcher::Prepared::getMetadata() const {
  return launcher->variants[variant].metadata;
}

Error Launcher::Prepared::encodeMap(size_t index, uint64_t address,
                                    TensorMap &encoded) const {
  const TensorMapArguments &map = plan.tensorMaps[index];
  if (map.memory != TensorMapArguments::Memory::Argument) {
    Expected<CUdeviceptr> standIn = launcher->getStandIn(map.memory);
    if (!standIn)
      return standIn.takeError();
    address = *standIn;
  }
  TESSERA_DRIVER_CALL(
      launcher->device->getDriver(), cuTensorMapEncodeTiled, &encoded, map.type,
      map.dims.size(), reinterpret_cast<void *>(address), map.dims.data(),
      map.strides.data(), map.box.data(), map.elementStrides.data(),
      /*interleave=*/0, map.swizzle, kPromoteTo128Bytes, /*fill=*/0);
  return Error::success();
}

Error Launcher::Prepared::queue(llvm::ArrayRef<TensorMap> encoded,
                                llvm::ArrayRef<uint64_t> places,
                                CUstream stream) const {
  const auto &[function, metadata, blocks] = launcher->variants[variant];
  // The driver copies the values to which the pointers point, and takes mutable
  // pointers.
  CUdeviceptr counter = 0, reportWords = 0;
  std::optional<ReportBuffer> reports;
  llvm::SmallVector<void *, 16> parameters;
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    const ArgumentInfo &info = metadata.arguments[i];
    const void *bytes = plan.arguments[i].data();
    if (info.kind == ArgumentInfo::Kind::TensorMap) {
      bytes = encoded[info.index].bytes;
    } else if (info.kind == ArgumentInfo::Kind::Address) {
      bytes = &places[info.index];
    } else if (info.kind == ArgumentInfo::Kind::Counter) {
      Expected<CUdeviceptr> found = launcher->counters->get(stream);
      if (!found)
        return found.takeError();
      counter = *found;
      bytes = &counter;
    } else if (info.kind == ArgumentInfo::Kind::Reports) {
      Expected<ReportBuffer> buffer = ReportBuffer::create(
          launcher->getDevice(), metadata, plan.sizes, stream);
      if (!buffer)
        return buffer.takeError();
      reports = std::move(*buffer);
      reportWords = reports->get();
      bytes = &reportWords;
    }
    parameters.push_back(const_cast<void *>(bytes));
  }
  // A cooperative kernel does not overlap the previous launch.
  CUlaunchAttribute attribute = {
      metadata.cooperative ? kCooperative : kOverlapsPrevious, {}, {}};
  attribute.value.enabled = 1;
  bool hasAttribute = metadata.cooperative || plan.overlapsPrevious;
  CUlaunchConfig config = {{plan.grid[0], plan.grid[1], plan.grid[2]},
                           {static_cast<unsigned>(metadata.threads), 1, 1},
                           static_cast<unsigned>(metadata.sharedMemory),
                           stream,
                           &attribute,
                           hasAttribute ? 1u : 0u};
  const Driver &driver = launcher->device->getDriver();
  CUresult result =
      driver.cuLaunchKernelEx(&config, function, parameters.data(), nullptr);
  if (result == kCooperativeLaunchTooLarge)
    return createStringError(
        "kernel '" + metadata.name + "': the grid has " + Twine(plan.grid[0]) +
        " programs, but `barrier(grid)` needs all of them to run at the same "
        "time, and '" +
        launcher->device->getName() + "' does not run as many of " +
        Twine(metadata.threads) + " threads and " +
        Twine(metadata.sharedMemory) +
        " bytes of shared memory; let each program do more");
  if (Error error = driver.check(result, "cuLaunchKernelEx"))
    return error;
  return reports ? reports->read(stream, llvm::errs()) : Error::success();
}

Error Launcher::Prepared::launch(CUstream stream) const {
  if (plan.isEmpty())
    return Error::success();
  return queue(maps, addresses, stream);
}

/// Checks whether code and maps for one address are valid for the other.
static bool isAlignedAlike(const ParameterInfo &parameter, uint64_t one,
                           uint64_t other) {
  // Tensor maps and copies of threads require at most 16 bytes.
  uint64_t most = std::max<uint64_t>(16, parameter.alignment);
  return one % most == other % most;
}

Error Launcher::Prepared::findMaps(
    llvm::ArrayRef<uint64_t> places,
    llvm::SmallVectorImpl<TensorMap> &encoded) const {
  encoded.resize_for_overwrite(plan.tensorMaps.size());
  std::lock_guard<std::mutex> lock(moved->mutex);
  for (size_t i = 0; i < encoded.size(); ++i) {
    uint64_t address = places[getMetadata().tensorMaps[i].parameter];
    if (const TensorMap *known = moved->maps.find(i, address)) {
      encoded[i] = *known;
      continue;
    }
    if (Error error = encodeMap(i, address, encoded[i]))
      return error;
    moved->maps.keep(i, address, encoded[i]);
  }
  return Error::success();
}

/// Plans and checks a launch again, and queues it.
Error Launcher::Prepared::launchAnew(llvm::ArrayRef<uint64_t> places,
                                     CUstream stream) const {
  std::vector<Argument> placed = arguments;
  for (size_t i = 0; i < placed.size(); ++i)
    if (auto *tensor = std::get_if<TensorArgument>(&placed[i]))
      tensor->address = places[i];
  Expected<Prepared> again = launcher->prepare(placed, sizes);
  if (!again)
    return again.takeError();
  return again->launch(stream);
}

Error Launcher::Prepared::launchAt(llvm::ArrayRef<uint64_t> given,
                                   CUstream stream) const {
  const KernelMetadata &metadata = getMetadata();
  llvm::SmallVector<uint64_t, 8> places(arguments.size(), 0);
  bool isAlike = true;
  size_t count = 0;
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!std::holds_alternative<TensorArgument>(arguments[i]) ||
        count++ >= given.size())
      continue;
    places[i] = given[count - 1];
    isAlike &= isAlignedAlike(metadata.parameters[i], addresses[i], places[i]);
  }
  if (count != given.size())
    return createStringError("kernel '" + metadata.name + "': expected " +
                             Twine(count) + " addresses, got " +
                             Twine(given.size()));
  if (!isAlike || !ranges.lieApartAt(places))
    return launchAnew(places, stream);
  if (plan.isEmpty())
    return Error::success();
  llvm::SmallVector<TensorMap, 8> encoded;
  if (Error error = findMaps(places, encoded))
    return error;
  return queue(encoded, places, stream);
}
