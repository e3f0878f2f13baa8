//===- DriverState.h - State of the driver ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The functions, with the names that a library exports, and the objects of
// their handles. Numbers are those of the driver's binary interface.
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

// In a separate library, the functions have C names, which must not conflict
// with those of a real driver.
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
  kCooperativeLaunchTooLarge = 720,
  kNotSupported = 801,
  kInvalidClusterSize = 912,
};

inline constexpr unsigned kMaxThreads = 1024;
inline constexpr unsigned kMaxBlockExtent[3] = {1024, 1024, 64};
inline constexpr unsigned kMaxGridExtent[3] = {0x7fffffff, 65535, 65535};
/// Shared memory of a block by default, and at most.
inline constexpr uint64_t kSharedBytes = 48 << 10;
inline constexpr uint64_t kMaxSharedBytes = 227 << 10;
/// Cluster sizes of all machines with clusters, and of sm_90 for kernels that
/// allow it.
inline constexpr unsigned kPortableClusterSize = 8, kMaxClusterSize = 16;

struct LoadedModule;

struct Function {
  const LoadedModule *module = nullptr;
  std::unique_ptr<Program> program;
  /// Settings by cuFuncSetAttribute.
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
  /// Returns null for an unknown handle.
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
  /// The last unloaded modules. A run that is repeated in other orders loads
  /// the same text again, and parsing takes longer than a small kernel.
  std::deque<std::unique_ptr<LoadedModule>> unloaded;
  Handles<StreamState> streams;
  Handles<EventState> events;
  unsigned long long nextStream = 3;
  /// Steps and findings of the last launch.
  uint64_t lastSteps = 0;
  std::string lastFindings;

  /// Returns an unloaded module with this text; null if there is none.
  std::unique_ptr<LoadedModule> takeUnloaded(StringRef text);
  /// Returns null for an unknown handle.
  Function *findFunction(CUfunction function);
  bool isStream(CUstream stream) const;

  /// Known functions by handle.
  std::map<void *, Function *> functions;
};

/// Returns the state. It is never destroyed, since destructors of the process
/// may release handles late.
State &getState();

/// Stores `text` as the result of cuGetErrorString in this thread, and returns
/// `code`.
CUresult fail(CUresult code, const Twine &text);

/// Checks the number of the device: there is one device.
CUresult checkDevice(CUdevice device);

/// The lock of the state for one call.
class Call {
public:
  Call() : state(getState()), lock(state.mutex) {}
  State *operator->() const { return &state; }
  void unlock() { lock.unlock(); }

  /// Checks that the driver is initialised and that this thread has a current
  /// context.
  CUresult checkContext() const;
  CUresult checkStream(CUstream stream) const;

private:
  State &state;
  std::unique_lock<std::mutex> lock;
};

/// Computes the cluster of a launch. Checks whether the kernel, or else
/// `config`, may have one.
CUresult getCluster(const Function &function, const CUlaunchConfig &config,
                    unsigned (&cluster)[3]);
/// Checks whether a block fits on a multiprocessor, for launches and for
/// queries of occupancy.
CUresult checkBlock(const Function &function, uint64_t threads,
                    uint64_t dynamicShared);

} // namespace tessera::emu::driver

#endif // TESSERA_LIB_EMULATOR_DRIVER_DRIVERSTATE_H
