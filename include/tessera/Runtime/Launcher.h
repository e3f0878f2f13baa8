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
// (each Expected is to be checked). A launch returns when the work is queued;
// errors of the work itself come from Stream::wait.
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
  /// Loads the machine code of `package`, or its PTX where it has none, and
  /// finds the kernel `name` (empty for the only one). Fails if the device
  /// cannot run it: another architecture, too little shared memory, no place
  /// for a cluster.
  static llvm::Expected<Launcher> load(DeviceRef device,
                                       const KernelPackage &package,
                                       llvm::StringRef name = {});

  /// Checks the arguments and queues the first variant of the kernel that is
  /// for them. Nothing is queued for an empty grid.
  llvm::Error launch(const Stream &stream, llvm::ArrayRef<Argument> arguments,
                     const llvm::StringMap<int64_t> &sizes = {}) const;

  /// The kernel of a checked launch, to be queued many times: the maps are
  /// encoded once.
  class Prepared {
  public:
    /// A place for one, to be launched when one is there.
    Prepared() = default;

    llvm::Error launch(const Stream &stream) const {
      return launch(stream.get());
    }
    /// On a stream that somebody else made; null for the default one.
    llvm::Error launch(CUstream stream) const;
    /// The same with tensors at other addresses, one for each, in order. Where
    /// these are aligned as the prepared ones and the tensors lie apart,
    /// nothing is planned again, and only maps over addresses that are new are
    /// encoded; it is not asked whether the device can reach them.
    llvm::Error launchAt(llvm::ArrayRef<uint64_t> addresses,
                         CUstream stream) const;

  private:
    friend class Launcher;
    using TensorMap = TensorMapCache::TensorMap;
    /// Of launches at other addresses, from any thread.
    struct MovedMaps {
      explicit MovedMaps(size_t numMaps) : maps(numMaps) {}

      std::mutex mutex;
      TensorMapCache maps;
    };

    Prepared(const Launcher &launcher, unsigned variant, LaunchPlan plan,
             llvm::ArrayRef<Argument> arguments,
             const llvm::StringMap<int64_t> &sizes);

    const KernelMetadata &getMetadata() const;
    /// Encodes map number `index`; one of an argument over `address`.
    llvm::Error encodeMap(size_t index, uint64_t address, TensorMap &map) const;
    llvm::Error queue(llvm::ArrayRef<TensorMap> maps,
                      llvm::ArrayRef<uint64_t> addresses,
                      CUstream stream) const;
    /// The maps over the tensors for each parameter.
    llvm::Error findMaps(llvm::ArrayRef<uint64_t> addresses,
                         llvm::SmallVectorImpl<TensorMap> &maps) const;
    llvm::Error launchAnew(llvm::ArrayRef<uint64_t> addresses,
                           CUstream stream) const;

    const Launcher *launcher = nullptr;
    unsigned variant = 0;
    LaunchPlan plan;
    /// What was given, with all strides.
    std::vector<Argument> arguments;
    llvm::StringMap<int64_t> sizes;
    TensorRanges ranges;
    /// The address of the tensor for each parameter, 0 for scalars.
    llvm::SmallVector<uint64_t, 8> addresses;
    std::vector<TensorMap> maps;
    std::unique_ptr<MovedMaps> moved;
  };

  /// Valid while the launcher lives and stays where it is.
  llvm::Expected<Prepared>
  prepare(llvm::ArrayRef<Argument> arguments,
          const llvm::StringMap<int64_t> &sizes = {}) const;

  /// Of the first variant; the parameters are those of all.
  const KernelMetadata &getMetadata() const { return variants[0].metadata; }
  const DeviceRef &getDevice() const { return device; }

private:
  struct Variant {
    CUfunction function;
    KernelMetadata metadata;
    /// Of a persistent kernel, how many blocks run at once.
    unsigned persistentBlocks = 0;
  };
  struct Choice {
    unsigned variant;
    LaunchPlan plan;
  };

  /// What stands in for empty tensors, made when the first one comes: a zero
  /// for those that are read, an element after it for those that are written.
  /// It lives as long as the launcher: launches do not wait.
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
  /// In the order of the variants, one for each or one for all.
  std::vector<Module> modules;
  std::vector<Variant> variants;
  std::unique_ptr<StandIns> standIns;
  std::unique_ptr<ProgramCounters> counters;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_LAUNCHER_H
