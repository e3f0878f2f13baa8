//===- Launcher.cpp - Launching kernels of a package ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Loads the variants of a kernel and chooses the first one that supports the
// arguments. PreparedLaunch.cpp launches the chosen variant.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Launcher.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

// CUfunction_attribute
static constexpr int kMaxDynamicSharedSize = 8;
// CUlaunchAttributeID
static constexpr int kClusterDimension = 4;

/// Checks that code for `target`, "sm_90a", runs on `device`. A letter after
/// the number ties it to that architecture.
static Error checkArchitecture(const Device &device, StringRef target) {
  StringRef digits = target;
  int number = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number))
    return createStringError("the package is for the unknown target '" +
                             target + "'");
  int capability = device.getComputeCapability();
  bool fits = digits.empty()
                  ? number / 10 == capability / 10 && number <= capability
                  : number == capability;
  if (fits)
    return Error::success();
  return createStringError("the package is for " + target + ", but '" +
                           device.getName() + "' is sm_" + Twine(capability));
}

Expected<Launcher>
Launcher::load(DeviceRef device, const KernelPackage &package, StringRef name) {
  auto variants = package.findVariants(name);
  if (!variants)
    return variants.takeError();
  if (Error error = checkArchitecture(*device, package.target))
    return error;
  for (const KernelMetadata *metadata : *variants)
    if (metadata->sharedMemory > device->getMaxSharedMemory())
      return createStringError("kernel '" + metadata->name + "' needs " +
                               Twine(metadata->sharedMemory) +
                               " bytes of shared memory, but a block of '" +
                               device->getName() + "' has at most " +
                               Twine(device->getMaxSharedMemory()));
  Launcher launcher(device);
  const char *loaded = nullptr;
  for (const KernelMetadata *metadata : *variants) {
    StringRef image = package.getImage(metadata - package.kernels.data());
    if (image.data() != loaded) {
      Expected<Module> module = Module::load(device, image);
      if (!module)
        return module.takeError();
      launcher.modules.push_back(std::move(*module));
      loaded = image.data();
    }
    if (Error error = launcher.addVariant(*metadata))
      return error;
  }
  return std::move(launcher);
}

/// Returns the number of blocks of a cluster.
static unsigned getClusterSize(const KernelMetadata &metadata) {
  const int64_t *extents = metadata.cluster;
  return static_cast<unsigned>(extents[0] * extents[1] * extents[2]);
}

/// Returns the number of blocks that run at once. A cluster occupies one group
/// of multiprocessors, and a group of 18 holds four clusters of 4. The number
/// is therefore less than the number of multiprocessors suggests. Fails if no
/// cluster fits.
Expected<unsigned>
Launcher::countConcurrentBlocks(CUfunction function,
                                const KernelMetadata &metadata) const {
  unsigned size = getClusterSize(metadata);
  int count = 0;
  if (size == 1) {
    TESSERA_DRIVER_CALL(device->getDriver(),
                        cuOccupancyMaxActiveBlocksPerMultiprocessor, &count,
                        function, metadata.threads, metadata.sharedMemory);
    return getDevice()->getNumMultiprocessors() *
           static_cast<unsigned>(std::max(count, 1));
  }
  CUlaunchAttribute attribute = {kClusterDimension, {}, {}};
  llvm::copy(metadata.cluster, attribute.value.cluster);
  const unsigned *cluster = attribute.value.cluster;
  CUlaunchConfig config = {{cluster[0], cluster[1], cluster[2]},
                           {static_cast<unsigned>(metadata.threads), 1, 1},
                           static_cast<unsigned>(metadata.sharedMemory),
                           /*stream=*/nullptr,
                           &attribute,
                           /*numAttributes=*/1};
  TESSERA_DRIVER_CALL(device->getDriver(), cuOccupancyMaxActiveClusters, &count,
                      function, &config);
  if (count < 1)
    return createStringError(
        "kernel '" + metadata.name + "' needs " + Twine(size) +
        " blocks of a cluster to run at once, of " + Twine(metadata.threads) +
        " threads and " + Twine(metadata.sharedMemory) +
        " bytes of shared memory each, but '" + device->getName() +
        "' has no place for one");
  return static_cast<unsigned>(count) * size;
}

/// Adds a variant whose code is in the last module.
Error Launcher::addVariant(const KernelMetadata &metadata) {
  Expected<CUfunction> function = modules.back().getFunction(metadata.entry);
  if (!function)
    return function.takeError();
  TESSERA_DRIVER_CALL(device->getDriver(), cuFuncSetAttribute, *function,
                      kMaxDynamicSharedSize, metadata.sharedMemory);
  unsigned blocks = 0;
  if (metadata.persistent || getClusterSize(metadata) > 1) {
    Expected<unsigned> concurrent = countConcurrentBlocks(*function, metadata);
    if (!concurrent)
      return concurrent.takeError();
    blocks = metadata.persistent ? *concurrent : 0;
  }
  if (hasCounters(metadata))
    if (Error error = counters->reserve())
      return error;
  variants.push_back({*function, metadata, blocks});
  return Error::success();
}

/// Returns the number of blocks, at most `most` and in whole clusters, that
/// execute `programs`: the fewest blocks that need no more rounds. All blocks
/// then have equally many programs, and blocks that run at the same time cover
/// whole rows of tiles more often.
static unsigned shareOut(unsigned programs, unsigned most, unsigned cluster) {
  if (programs <= most)
    return programs;
  unsigned rounds = (programs + most - 1) / most;
  unsigned blocks = (programs + rounds - 1) / rounds;
  return std::min((blocks + cluster - 1) / cluster * cluster, most);
}

/// Number of rounds from which on a persistent kernel waits for the previous
/// launch. Blocks that start while another launch ends occupy arbitrary
/// multiprocessors. Blocks that share tiles are then far apart, and read them
/// from L2 more often, in all rounds. The wait costs up to a microsecond, which
/// is noticeable for few rounds.
static constexpr unsigned kRoundsAlone = 15;

Expected<Launcher::Choice>
Launcher::chooseVariant(llvm::ArrayRef<Argument> arguments,
                        const llvm::StringMap<int64_t> &sizes) const {
  std::string reasons;
  for (unsigned i = 0; i < variants.size(); ++i) {
    const KernelMetadata &metadata = variants[i].metadata;
    Expected<LaunchPlan> plan = planLaunch(metadata, arguments, sizes);
    if (plan) {
      unsigned &programs = plan->grid[0], most = variants[i].persistentBlocks;
      if (drawsPrograms(metadata)) {
        programs = std::min(programs, most);
      } else if (metadata.persistent) {
        if (programs / kRoundsAlone >= most)
          plan->overlapsPrevious = false;
        programs = shareOut(programs, most,
                            static_cast<unsigned>(metadata.cluster[0]));
      }
      return Choice{i, std::move(*plan)};
    }
    // Wrong arguments are wrong for all variants.
    if (Error error = llvm::handleErrors(
            plan.takeError(), [&](const ConditionError &condition) {
              reasons += (i ? "; " : "") + condition.message();
            }))
      return error;
  }
  return createStringError("kernel '" + getMetadata().name +
                           "' is not made for these arguments: " + reasons);
}

Expected<CUdeviceptr>
Launcher::getStandIn(TensorMapArguments::Memory memory) const {
  // Memory of the driver has the alignment that maps require.
  constexpr size_t alignment = 16;
  std::lock_guard<std::mutex> lock(standIns->mutex);
  if (!standIns->buffer.get()) {
    auto buffer = DeviceBuffer::allocateZeros(getDevice(), 2 * alignment);
    if (!buffer)
      return buffer.takeError();
    standIns->buffer = std::move(*buffer);
  }
  bool isZero = memory == TensorMapArguments::Memory::Zero;
  return standIns->buffer.get() + (isZero ? 0 : alignment);
}

Error Launcher::checkReach(llvm::ArrayRef<Argument> arguments) const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto *tensor = std::get_if<TensorArgument>(&arguments[i]);
    if (tensor && !llvm::is_contained(tensor->shape, 0) &&
        !getDevice()->canReach(tensor->address))
      return createStringError(
          "kernel '" + getMetadata().name + "': '" +
          getMetadata().parameters[i].name +
          "' is not in memory that kernels on '" + getDevice()->getName() +
          "' can reach; it lies on the host or on another device");
  }
  return Error::success();
}

Expected<Launcher::Prepared>
Launcher::prepare(llvm::ArrayRef<Argument> arguments,
                  const llvm::StringMap<int64_t> &sizes) const {
  Expected<Choice> choice = chooseVariant(arguments, sizes);
  if (!choice)
    return choice.takeError();
  if (!choice->plan.isEmpty())
    if (Error error = checkReach(arguments))
      return error;
  Prepared prepared(*this, choice->variant, std::move(choice->plan), arguments,
                    sizes);
  for (size_t i = 0; i < prepared.maps.size(); ++i) {
    unsigned parameter = prepared.getMetadata().tensorMaps[i].parameter;
    if (Error error = prepared.encodeMap(i, prepared.addresses[parameter],
                                         prepared.maps[i]))
      return error;
  }
  return std::move(prepared);
}

Error Launcher::launch(const Stream &stream, llvm::ArrayRef<Argument> arguments,
                       const llvm::StringMap<int64_t> &sizes) const {
  Expected<Prepared> prepared = prepare(arguments, sizes);
  if (!prepared)
    return prepared.takeError();
  return prepared->launch(stream);
}
