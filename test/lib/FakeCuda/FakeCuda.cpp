//===- FakeCuda.cpp - A CUDA driver without a GPU ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Addresses are those of memory on the host, so copies and fills are real.
//
//===----------------------------------------------------------------------===//

#include "FakeCuda.h"

#include "tessera/Runtime/Driver.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <set>

using CUresult = int;
using CUdevice = int;
using CUdeviceptr = uint64_t;
using CUcontext = void *;
using CUmodule = void *;
using CUfunction = void *;
using CUstream = void *;
using CUevent = void *;
using tessera::rt::CUlaunchConfig;

// A definition below that differs from the table does not compile.
#define DRIVER_SYMBOL(name, exported, parameters)                              \
  extern "C" CUresult exported parameters;
#include "tessera/Runtime/DriverSymbols.def"

namespace {
constexpr CUresult kInvalidValue = 1;
constexpr CUresult kOutOfMemory = 2;
constexpr CUresult kInvalidContext = 201;
constexpr CUresult kInvalidHandle = 400;
constexpr CUresult kNotFound = 500;
constexpr CUresult kIllegalAddress = 700;

struct Failure {
  std::string function;
  CUresult code;
  int skip;
};

struct State {
  // Destructors that end in the driver must not find the end of memory there.
  State() { log.reserve(4096); }

  std::vector<std::string> log;
  std::vector<Failure> failures;
  std::set<void *> alive;
  /// How often the primary context is retained.
  int retained = 0;
  CUcontext current = nullptr;
  /// Whether a kernel has faulted.
  bool hasFault = false;
  std::map<CUfunction, std::string> functions;
  std::vector<unsigned> argumentSizes;
  std::vector<float> times = {1};
  size_t nextTime = 0;
  int capability = 90;
  std::vector<int> groups = {16, 16, 16, 18, 16, 16, 16, 18};
  bool isCapturing = false;
  uint64_t foreign = 0;
};
} // namespace

static State &state() {
  static State instance;
  return instance;
}

/// Logs a call and returns what it shall fail with, or 0.
static CUresult enter(const char *function, const std::string &details = "") {
  state().log.push_back(function + (details.empty() ? "" : " " + details));
  for (Failure &failure : state().failures)
    if (failure.function == function && failure.skip-- == 0)
      return failure.code;
  return 0;
}

/// Null where the host has no memory.
static void *create(size_t bytes = 1) {
  void *handle = malloc(bytes);
  if (handle)
    state().alive.insert(handle);
  return handle;
}

static CUresult destroy(void *handle) {
  if (!state().alive.erase(handle))
    return kInvalidHandle;
  free(handle);
  return 0;
}

static bool isAlive(void *handle) { return state().alive.count(handle); }

/// Streams that need not be made: the default ones, by value 0, 1 and 2.
static bool isStream(CUstream stream) {
  return reinterpret_cast<uintptr_t>(stream) <= 2 || isAlive(stream);
}

static void *toPointer(CUdeviceptr address) {
  return reinterpret_cast<void *>(address);
}

template <typename T>
static std::string list(const T *values, size_t count) {
  std::string text;
  for (size_t i = 0; i < count; ++i)
    text += (i ? "," : "") + std::to_string(values[i]);
  return text;
}

static std::string hex(const void *bytes, size_t count) {
  std::string text;
  char digits[3];
  for (size_t i = 0; i < count; ++i) {
    snprintf(digits, sizeof(digits), "%02x",
             static_cast<const unsigned char *>(bytes)[i]);
    text += digits;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// For tests
//===----------------------------------------------------------------------===//

namespace tessera::fakecuda {
void reset() {
  for (void *handle : state().alive)
    free(handle);
  state() = State();
}
void failAt(const char *function, int code, int skip) {
  state().failures.push_back({function, code, skip});
}
std::vector<std::string> getLog() { return state().log; }
int countAlive() { return state().alive.size() + state().retained; }
void setMultiprocessorGroups(std::vector<int> groups) {
  state().groups = std::move(groups);
}
void setArgumentSizes(std::vector<unsigned> sizes) {
  state().argumentSizes = std::move(sizes);
}
void setTimes(std::vector<float> milliseconds) {
  state().times = std::move(milliseconds);
}
void setComputeCapability(int capability) { state().capability = capability; }
void setCapturing(bool isCapturing) { state().isCapturing = isCapturing; }

void setForeign(uint64_t address) { state().foreign = address; }

void *getCurrentContext() { return state().current; }
void setCurrentContext(void *context) { state().current = context; }
} // namespace tessera::fakecuda

extern "C" {
const char *fakecuda_log() {
  static std::string text;
  text.clear();
  for (const std::string &line : state().log)
    text += line + "\n";
  state().log.clear();
  return text.c_str();
}
void fakecuda_fail_at(const char *function, int code) {
  tessera::fakecuda::failAt(function, code);
}
void fakecuda_set_foreign(uint64_t address) {
  tessera::fakecuda::setForeign(address);
}
void fakecuda_set_argument_sizes(const unsigned *sizes, size_t count) {
  tessera::fakecuda::setArgumentSizes({sizes, sizes + count});
}
}

//===----------------------------------------------------------------------===//
// The driver
//===----------------------------------------------------------------------===//

CUresult cuGetErrorName(CUresult error, const char **name) {
  static const std::map<CUresult, const char *> names = {
      {kInvalidValue, "CUDA_ERROR_INVALID_VALUE"},
      {kOutOfMemory, "CUDA_ERROR_OUT_OF_MEMORY"},
      {100, "CUDA_ERROR_NO_DEVICE"},
      {kInvalidContext, "CUDA_ERROR_INVALID_CONTEXT"},
      {kInvalidHandle, "CUDA_ERROR_INVALID_HANDLE"},
      {kNotFound, "CUDA_ERROR_NOT_FOUND"},
      {kIllegalAddress, "CUDA_ERROR_ILLEGAL_ADDRESS"}};
  auto it = names.find(error);
  if (it == names.end())
    return kInvalidValue;
  *name = it->second;
  return 0;
}

CUresult cuGetErrorString(CUresult error, const char **text) {
  *text = error == kOutOfMemory ? "out of memory" : nullptr;
  return *text ? 0 : kInvalidValue;
}

CUresult cuInit(unsigned) { return enter("cuInit"); }

CUresult cuDriverGetVersion(int *version) {
  *version = 13000;
  return enter("cuDriverGetVersion");
}

CUresult cuDeviceGetCount(int *count) {
  *count = 1;
  return enter("cuDeviceGetCount");
}

CUresult cuDeviceGet(CUdevice *device, int ordinal) {
  *device = ordinal;
  return enter("cuDeviceGet", std::to_string(ordinal));
}

CUresult cuDeviceGetName(char *name, int length, CUdevice) {
  snprintf(name, length, "Fake GPU");
  return enter("cuDeviceGetName");
}

CUresult cuDeviceGetAttribute(int *value, int attribute, CUdevice) {
  switch (attribute) {
  case 16:
    *value = 0;
    for (int group : state().groups)
      *value += group;
    break;
  case 75:
    *value = state().capability / 10;
    break;
  case 76:
    *value = state().capability % 10;
    break;
  case 97:
    *value = 227 * 1024;
    break;
  default:
    return kInvalidValue;
  }
  return enter("cuDeviceGetAttribute", std::to_string(attribute));
}

CUresult cuDevicePrimaryCtxRetain(CUcontext *context, CUdevice) {
  if (CUresult error = enter("cuDevicePrimaryCtxRetain"))
    return error;
  static int primary;
  *context = &primary;
  ++state().retained;
  return 0;
}

CUresult cuDevicePrimaryCtxRelease_v2(CUdevice) {
  --state().retained;
  return enter("cuDevicePrimaryCtxRelease");
}

// Not in the log: it changes nothing, and is called before most others.
CUresult cuCtxGetCurrent(CUcontext *context) {
  *context = state().current;
  return 0;
}

CUresult cuCtxSetCurrent(CUcontext context) {
  if (CUresult error = enter("cuCtxSetCurrent"))
    return error;
  state().current = context;
  return 0;
}

CUresult cuCtxSynchronize() { return enter("cuCtxSynchronize"); }

CUresult cuModuleLoadData(CUmodule *module, const void *image) {
  std::string head(static_cast<const char *>(image),
                   strnlen(static_cast<const char *>(image), 8));
  if (CUresult error = enter("cuModuleLoadData", head))
    return error;
  *module = create();
  return 0;
}

CUresult cuModuleUnload(CUmodule module) {
  enter("cuModuleUnload");
  return destroy(module);
}

CUresult cuModuleGetFunction(CUfunction *function, CUmodule module,
                             const char *name) {
  if (CUresult error = enter("cuModuleGetFunction", name))
    return error;
  if (!isAlive(module))
    return kInvalidHandle;
  // One address per name, which is never dereferenced.
  static std::set<std::string> names;
  *function = const_cast<std::string *>(&*names.insert(name).first);
  state().functions[*function] = name;
  return 0;
}

CUresult cuFuncGetAttribute(int *value, int attribute, CUfunction) {
  *value = 0;
  return enter("cuFuncGetAttribute", std::to_string(attribute));
}

CUresult cuFuncSetAttribute(CUfunction, int attribute, int value) {
  return enter("cuFuncSetAttribute",
               std::to_string(attribute) + "=" + std::to_string(value));
}

static int countBlocks(unsigned threads) { return threads > 256 ? 1 : 2; }

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction,
                                                     int threads, size_t) {
  *blocks = countBlocks(threads);
  return enter("cuOccupancyMaxActiveBlocksPerMultiprocessor",
               std::to_string(threads));
}

CUresult cuOccupancyMaxActiveClusters(int *clusters, CUfunction,
                                      const CUlaunchConfig *config) {
  if (config->numAttributes != 1 || config->attributes[0].id != 4)
    return kInvalidValue;
  const unsigned *cluster = config->attributes[0].value.cluster;
  for (int i = 0; i < 3; ++i)
    if (cluster[i] == 0 || config->grid[i] % cluster[i] != 0)
      return kInvalidValue;
  int size = cluster[0] * cluster[1] * cluster[2];
  *clusters = 0;
  for (int group : state().groups)
    *clusters += group * countBlocks(config->block[0]) / size;
  return enter("cuOccupancyMaxActiveClusters",
               list(cluster, 3) + " block=" + list(config->block, 3) +
                   " shared=" + std::to_string(config->sharedBytes));
}

CUresult cuMemAlloc_v2(CUdeviceptr *address, size_t bytes) {
  if (CUresult error = enter("cuMemAlloc", std::to_string(bytes)))
    return error;
  if (bytes == 0)
    return kInvalidValue;
  *address = reinterpret_cast<CUdeviceptr>(create(bytes));
  return *address ? 0 : kOutOfMemory;
}

CUresult cuMemFree_v2(CUdeviceptr address) {
  enter("cuMemFree");
  return destroy(toPointer(address));
}

// Not in the log, as above. Tests name addresses outside of allocations.
CUresult cuPointerGetAttribute(void *value, int attribute,
                               CUdeviceptr address) {
  if (attribute == 2) {
    unsigned device = 2;
    memcpy(value, &device, sizeof(device));
    return 0;
  }
  if (attribute != 3 || (address != 0 && address == state().foreign))
    return kInvalidValue;
  memcpy(value, &address, sizeof(address));
  return 0;
}

CUresult cuMemcpyHtoDAsync_v2(CUdeviceptr to, const void *from, size_t bytes,
                              CUstream) {
  if (CUresult error = enter("cuMemcpyHtoDAsync", std::to_string(bytes)))
    return error;
  memcpy(toPointer(to), from, bytes);
  return 0;
}

CUresult cuMemcpyDtoHAsync_v2(void *to, CUdeviceptr from, size_t bytes,
                              CUstream) {
  if (CUresult error = enter("cuMemcpyDtoHAsync", std::to_string(bytes)))
    return error;
  memcpy(to, toPointer(from), bytes);
  return 0;
}

CUresult cuMemsetD8Async(CUdeviceptr address, unsigned char value, size_t bytes,
                         CUstream) {
  if (CUresult error = enter("cuMemsetD8Async", std::to_string(bytes)))
    return error;
  memset(toPointer(address), value, bytes);
  return 0;
}

CUresult cuStreamCreate(CUstream *stream, unsigned) {
  if (CUresult error = enter("cuStreamCreate"))
    return error;
  *stream = create();
  return 0;
}

CUresult cuStreamDestroy_v2(CUstream stream) {
  enter("cuStreamDestroy");
  return destroy(stream);
}

CUresult cuStreamSynchronize(CUstream stream) {
  CUresult error = enter("cuStreamSynchronize");
  if (!error && state().hasFault)
    error = kIllegalAddress;
  return error ? error : isStream(stream) ? 0 : kInvalidHandle;
}

CUresult cuStreamWaitEvent(CUstream stream, CUevent event, unsigned) {
  CUresult error = enter("cuStreamWaitEvent");
  return error                                ? error
         : isAlive(event) && isStream(stream) ? 0
                                              : kInvalidHandle;
}

CUresult cuStreamGetId(CUstream stream, unsigned long long *id) {
  if (CUresult error = enter("cuStreamGetId"))
    return error;
  *id = reinterpret_cast<uintptr_t>(stream);
  return isStream(stream) ? 0 : kInvalidHandle;
}

CUresult cuStreamIsCapturing(CUstream stream, int *status) {
  if (CUresult error = enter("cuStreamIsCapturing"))
    return error;
  *status = state().isCapturing;
  return isStream(stream) ? 0 : kInvalidHandle;
}

CUresult cuEventCreate(CUevent *event, unsigned) {
  if (CUresult error = enter("cuEventCreate"))
    return error;
  *event = create();
  return 0;
}

CUresult cuEventDestroy_v2(CUevent event) {
  enter("cuEventDestroy");
  return destroy(event);
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  CUresult error = enter("cuEventRecord");
  return error                                ? error
         : isAlive(event) && isStream(stream) ? 0
                                              : kInvalidHandle;
}

CUresult cuEventSynchronize(CUevent event) {
  CUresult error = enter("cuEventSynchronize");
  return error ? error : isAlive(event) ? 0 : kInvalidHandle;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent from, CUevent to) {
  if (CUresult error = enter("cuEventElapsedTime"))
    return error;
  if (!isAlive(from) || !isAlive(to))
    return kInvalidHandle;
  const std::vector<float> &times = state().times;
  *milliseconds = times[std::min(state().nextTime++, times.size() - 1)];
  return 0;
}

CUresult cuTensorMapEncodeTiled(void *map, int type, unsigned rank,
                                void *address, const uint64_t *dims,
                                const uint64_t *strides, const uint32_t *box,
                                const uint32_t *elementStrides, int interleave,
                                int swizzle, int promotion, int fill) {
  if (reinterpret_cast<uintptr_t>(map) % 64 != 0)
    return kInvalidValue;
  memset(map, 0, 128);
  memcpy(map, &address, sizeof(address));
  return enter(
      "cuTensorMapEncodeTiled",
      "type=" + std::to_string(type) + " dims=" + list(dims, rank) +
          " strides=" + list(strides, rank - 1) + " box=" + list(box, rank) +
          " steps=" + list(elementStrides, rank) + " swizzle=" +
          std::to_string(swizzle) + " promotion=" + std::to_string(promotion) +
          " rest=" + std::to_string(interleave) + std::to_string(fill));
}

/// The one kernel that is carried out: fake_scale(x, y, by, n) sets y to by *
/// x.
static void scale(void **parameters) {
  auto x = static_cast<const float *>(
      toPointer(*static_cast<CUdeviceptr *>(parameters[0])));
  auto y = static_cast<float *>(
      toPointer(*static_cast<CUdeviceptr *>(parameters[1])));
  float by = *static_cast<float *>(parameters[2]);
  int n = *static_cast<int *>(parameters[3]);
  for (int i = 0; i < n; ++i)
    y[i] = by * x[i];
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *config, CUfunction function,
                          void **parameters, void **) {
  std::string arguments;
  for (size_t i = 0; i < state().argumentSizes.size(); ++i)
    arguments += " " + hex(parameters[i], state().argumentSizes[i]);
  if (CUresult error = enter(
          "cuLaunchKernelEx",
          state().functions[function] + " grid=" + list(config->grid, 3) +
              " block=" + list(config->block, 3) +
              " shared=" + std::to_string(config->sharedBytes) +
              (config->numAttributes
                   ? " attribute=" + std::to_string(config->attributes[0].id)
                   : "") +
              arguments))
    return error;
  // A launch needs a context, and the tests' kernels live in the primary one.
  if (!state().current)
    return kInvalidContext;
  if (state().functions[function] == "fake_scale")
    scale(parameters);
  if (state().functions[function] == "fake_fault")
    state().hasFault = true;
  return isStream(config->stream) ? 0 : kInvalidHandle;
}
