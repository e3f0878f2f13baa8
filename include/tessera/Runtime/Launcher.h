//===- Launcher.h - Launching kernels of a package --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The top of the runtime: a kernel of a package on a device, ready to be
// launched with tensors and scalars.
//
//   auto driver = Driver::open();
//   auto device = Device::open(*driver);
//   auto package = KernelPackage::readFile("matmul.tpk");
//   auto kernel = Launcher::load(*device, *package);
//   auto stream = Stream::create(*device);
//   llvm::Error error = kernel->launch(*stream, {a, b, c});
//
// Check each Expected before its use. A launch returns when the work is queued.
// Errors of the work itself come from Stream::wait.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_LAUNCHER_H
#define TESSERA_RUNTIME_LAUNCHER_H

#include "tessera/Runtime/Device.h"
#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Runtime/ProgramCounters.h"
#include "tessera/Runtime/TensorMapCache.h"
#include "tessera/Runtime/TensorMemory.h"
#include <mutex>

namespace tessera::rt {

class Launcher {
public:
  /// Loads the machine code of `package`, or its PTX if it has none, and finds
  /// the kernel `name` (empty for the only one). Fails if the device cannot run
  /// it: another architecture, not enough shared memory, or no room for a
  /// cluster.
  static llvm::Expected<Launcher> load(DeviceRef device,
                                       const KernelPackage &package,
                                       llvm::StringRef name = {});

  /// Checks the arguments and queues the first variant of the kernel that
  /// supports them. Queues nothing for an empty grid.
  llvm::Error launch(const Stream &stream, llvm::ArrayRef<Argument> arguments,
                     const llvm::StringMap<int64_t> &sizes = {}) const;

  /// A checked launch of the kernel, which can be queued many times. The maps
  /// are encoded once.
  class Prepared {
  public:
    /// Creates an empty object, to which a prepared launch can be assigned.
    Prepared() = default;

    llvm::Error launch(const Stream &stream) const {
      return launch(stream.get());
    }
    /// Launches on a stream of the caller; null for the default stream.
    llvm::Error launch(CUstream stream) const;
    /// Launches with tensors at other addresses, one for each, in order. If
    /// they have the alignment of the prepared ones and the tensors do not
    /// overlap, the launch is not planned again. Only maps over new addresses
    /// are encoded. The function does not check whether the device can access
    /// the addresses.
    llvm::Error launchAt(llvm::ArrayRef<uint64_t> addresses,
                         CUstream stream) const;

  private:
    friend class Launcher;
    using TensorMap = TensorMapCache::TensorMap;
    /// Maps of launches at other addresses, from any thread.
    struct MovedMaps {
      explicit MovedMaps(size_t numMaps) : maps(numMaps) {}

      std::mutex mutex;
      TensorMapCache maps;
    };

    Prepared(const Launcher &launcher, unsigned variant, LaunchPlan plan,
             llvm::ArrayRef<Argument> arguments,
             const llvm::StringMap<int64_t> &sizes);

    const KernelMetadata &getMetadata() const;
    /// Encodes map number `index`; if it is that of an argument, over
    /// `address`.
    llvm::Error encodeMap(size_t index, uint64_t address, TensorMap &map) const;
    llvm::Error queue(llvm::ArrayRef<TensorMap> maps,
                      llvm::ArrayRef<uint64_t> addresses,
                      CUstream stream) const;
    /// Finds the maps over the tensors for each parameter.
    llvm::Error findMaps(llvm::ArrayRef<uint64_t> addresses,
                         llvm::SmallVectorImpl<TensorMap> &maps) const;
    llvm::Error launchAnew(llvm::ArrayRef<uint64_t> addresses,
                           CUstream stream) const;

    const Launcher *launcher = nullptr;
    unsigned variant = 0;
    LaunchPlan plan;
    /// The given arguments, with all strides.
    std::vector<Argument> arguments;
    llvm::StringMap<int64_t> sizes;
    TensorRanges ranges;
    /// The address of the tensor for each parameter, 0 for scalars.
    llvm::SmallVector<uint64_t, 8> addresses;
    std::vector<TensorMap> maps;
    std::unique_ptr<MovedMaps> moved;
  };

  /// Prepares a launch, which is valid while the launcher lives and is not
  /// moved.
  llvm::Expected<Prepared>
  prepare(llvm::ArrayRef<Argument> arguments,
          const llvm::StringMap<int64_t> &sizes = {}) const;

  /// Returns the metadata of the first variant; all variants have the same
  /// parameters.
  const KernelMetadata &getMetadata() const { return variants[0].metadata; }
  const DeviceRef &getDevice() const { return device; }

private:
  struct Variant {
    CUfunction function;
    KernelMetadata metadata;
    /// Number of blocks of a persistent kernel that run at once.
    unsigned persistentBlocks = 0;
  };
  struct Choice {
    unsigned variant;
    LaunchPlan plan;
  };

  /// Memory for empty tensors, allocated for the first one: a zero for tensors
  /// that are read, then an element for tensors that are written. The memory
  /// lives as long as the launcher, since launches do not wait.
  struct StandIns {
    std::mutex mutex;
    DeviceBuffer buffer;
  };

  explicit Launcher(DeviceRef device)
      : device(std::move(device)), standIns(std::make_unique<StandIns>()),
        counters(std::make_unique<ProgramCounters>(getDevice())) {}
  llvm::Error addVariant(const KernelMetadata &metadata);
  llvm::Expected<unsigned>
  countConcurrentBlocks(CUfunction function,
                        const KernelMetadata &metadata) const;
  llvm::Error checkReach(llvm::ArrayRef<Argument> arguments) const;
  llvm::Expected<CUdeviceptr>
  getStandIn(TensorMapArguments::Memory memory) const;
  llvm::Expected<Choice>
  chooseVariant(llvm::ArrayRef<Argument> arguments,
                const llvm::StringMap<int64_t> &sizes) const;

  DeviceRef device;
  /// In the order of the variants, one module for each or one for all.
  std::vector<Module> modules;
  std::vector<Variant> variants;
  std::unique_ptr<StandIns> standIns;
  std::unique_ptr<ProgramCounters> counters;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHER_H
