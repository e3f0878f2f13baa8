//===- lib/Emulator/Driver/DriverState.h - What the driver holds ----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions, under the names that a library exports, and the objects that
// their handles stand for. Numbers are those of the driver's binary interface.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_EMULATOR_DRIVER_DRIVERSTATE_H
#define TESSERA_LIB_EMULATOR_DRIVER_DRIVERSTATE_H

#include "tessera/Emulator/EmulatedDriver.h"

#include "llvm/ADT/Twine.h"

#include <chrono>
#include <deque>
#include <map>
#include <mutex>
#include <set>

// In a library of its own the functions have the names of C, which must not
// meet those of a real driver elsewhere.
#ifdef TESSERA_EMULATOR_EXPORTS
#define TESSERA_EMULATOR_LINKAGE                                               \
  extern "C" __attribute__((visibility("default")))
#else
#define TESSERA_EMULATOR_LINKAGE
#endif

namespace tessera::emu::driver {

using llvm::Twine;
using rt::CUcontext;
using rt::CUdevice;
using rt::CUdeviceptr;
using rt::CUevent;
using rt::CUfunction;
using rt::CUlaunchAttribute;
using rt::CUlaunchConfig;
using rt::CUmodule;
using rt::CUresult;
using rt::CUstream;

#define DRIVER_SYMBOL(name, exported, parameters)                              \
  TESSERA_EMULATOR_LINKAGE CUresult exported parameters;
#include "tessera/Runtime/DriverSymbols.def"

// DriverSynchronous.cpp
TESSERA_EMULATOR_LINKAGE CUresult cuModuleLoadDataEx(CUmodule *module,
                                                     const void *image,
                                                     unsigned count,
                                                     int *options,
                                                     void **values);
TESSERA_EMULATOR_LINKAGE CUresult cuMemcpyHtoD_v2(CUdeviceptr to,
                                                  const void *from,
                                                  size_t bytes);
TESSERA_EMULATOR_LINKAGE CUresult cuMemcpyDtoH_v2(void *to, CUdeviceptr from,
                                                  size_t bytes);
TESSERA_EMULATOR_LINKAGE CUresult cuMemsetD8_v2(CUdeviceptr address,
                                                unsigned char value,
                                                size_t bytes);
TESSERA_EMULATOR_LINKAGE CUresult cuLaunchKernel(
    CUfunction function, unsigned gridX, unsigned gridY, unsigned gridZ,
    unsigned blockX, unsigned blockY, unsigned blockZ, unsigned sharedBytes,
    CUstream stream, void **parameters, void **extra);

enum Result : CUresult {
  kSuccess = 0,
  kInvalidValue = 1,
  kOutOfMemory = 2,
  kNotInitialized = 3,
  kNoDevice = 100,
  kInvalidDevice = 101,
  kInvalidContext = 201,
  kNoBinaryForGpu = 209,
  kInvalidPTX = 218,
  kInvalidHandle = 400,
  kNotFound = 500,
  kLaunchOutOfResources = 701,
  kLaunchFailed = 719,
  kNotSupported = 801,
  kInvalidClusterSize = 912,
};

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kMaxBlockExtent[3] = {1024, 1024, 64};
inline constexpr unsigned kMaxGridExtent[3] = {0x7fffffff, 65535, 65535};
/// What a block has without asking, and at most.
inline constexpr uint64_t kSharedBytes = 48 << 10;
inline constexpr uint64_t kMaxSharedBytes = 227 << 10;
/// Of all machines with clusters, and of sm_90 for kernels that allow it.
inline constexpr unsigned kPortableClusterSize = 8, kMaxClusterSize = 16;

struct LoadedModule;

struct Function {
  const LoadedModule *module = nullptr;
  std::unique_ptr<Program> program;
  /// By cuFuncSetAttribute.
  struct Settings {
    std::optional<uint64_t> maxDynamicShared;
    bool allowsLargeClusters = false;
  } settings;

  const Kernel &getKernel() const { return program->getKernel(); }
  uint64_t getMaxDynamicShared() const;
};

struct LoadedModule {
  std::string text, name;
  std::unique_ptr<Module> module;
  std::map<std::string, std::unique_ptr<Function>> functions;
};

struct StreamState {
  unsigned long long id;
};

struct EventState {
  std::optional<std::chrono::steady_clock::time_point> passed;
};

/// Objects by their addresses, which are the handles.
template <typename T>
class Handles {
public:
  void *add(std::unique_ptr<T> object) {
    void *handle = object.get();
    objects[handle] = std::move(object);
    return handle;
  }
  T *find(void *handle) const {
    auto it = objects.find(handle);
    return it == objects.end() ? nullptr : it->second.get();
  }
  bool remove(void *handle) { return objects.erase(handle); }
  /// Null if it is none.
  std::unique_ptr<T> take(void *handle) {
    auto it = objects.find(handle);
    if (it == objects.end())
      return nullptr;
    std::unique_ptr<T> object = std::move(it->second);
    objects.erase(it);
    return object;
  }

private:
  std::map<void *, std::unique_ptr<T>> objects;
};

struct State {
  std::mutex mutex;
  bool isInitialized = false;
  GlobalMemory memory;
  DeviceOptions options;
  LaunchHandler handler;
  Handles<LoadedModule> modules;
  /// Those that were unloaded last: a run that is repeated, in other orders,
  /// loads the same text again, and reading it takes longer than a small
  /// kernel.
  std::deque<std::unique_ptr<LoadedModule>> unloaded;
  Handles<StreamState> streams;
  Handles<EventState> events;
  unsigned long long nextStream = 3;
  /// Of the last launch.
  uint64_t lastSteps = 0;
  std::string lastFindings;

  /// One of this text that was unloaded; null if there is none.
  std::unique_ptr<LoadedModule> takeUnloaded(StringRef text);
  /// Null if it is none.
  Function *findFunction(CUfunction function);
  bool isStream(CUstream stream) const;

  /// Of functions that are known, by handle.
  std::map<void *, Function *> functions;
};

/// Never destroyed: handles may be given back by other destructors of the
/// process.
State &getState();

/// Keeps `text` as what cuGetErrorString says in this thread.
CUresult fail(CUresult code, const Twine &text);

/// There is one device.
CUresult checkDevice(CUdevice device);

/// The lock of the state for one call.
class Call {
public:
  Call() : state(getState()), lock(state.mutex) {}
  State *operator->() const { return &state; }
  void unlock() { lock.unlock(); }

  /// That the driver is initialised, and a context is current in this thread.
  CUresult checkContext() const;
  CUresult checkStream(CUstream stream) const;

private:
  State &state;
  std::unique_lock<std::mutex> lock;
};

/// Blocks of a cluster, and whether the kernel, or else `config`, may ask for
/// them.
CUresult getCluster(const Function &function, const CUlaunchConfig &config,
                    unsigned (&cluster)[3]);
/// Whether a block of `config` fits on a multiprocessor, which is what a launch
/// and a question about occupancy have in common.
CUresult checkBlock(const Function &function, uint64_t threads,
                    uint64_t dynamicShared);

} // namespace tessera::emu::driver

#endif // TESSERA_LIB_EMULATOR_DRIVER_DRIVERSTATE_H
