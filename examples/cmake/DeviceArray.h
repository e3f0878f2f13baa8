//===- DeviceArray.h - Memory of a device, without a toolkit ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A program with the CUDA toolkit calls cudaMalloc and cudaMemcpy; kernels run
// in the primary context, which is the one that they use. This example shall
// build on any machine, so it asks the driver for a few of its functions.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_EXAMPLES_CMAKE_DEVICEARRAY_H
#define TESSERA_EXAMPLES_CMAKE_DEVICEARRAY_H

#include <cstdint>
#include <dlfcn.h>
#include <stdexcept>
#include <string>
#include <vector>

/// The functions of the driver that hold and move memory. The context of the
/// device is current from `use` on.
class DeviceMemory {
public:
  explicit DeviceMemory(const char *driver)
      : library(dlopen(driver ? driver : "libcuda.so.1", RTLD_NOW)) {
    if (!library)
      throw std::runtime_error(dlerror());
  }

  void use(int ordinal) {
    int device;
    void *context;
    check("cuInit", find<int (*)(unsigned)>("cuInit")(0));
    check("cuDeviceGet",
          find<int (*)(int *, int)>("cuDeviceGet")(&device, ordinal));
    check("cuDevicePrimaryCtxRetain",
          find<int (*)(void **, int)>("cuDevicePrimaryCtxRetain")(&context,
                                                                  device));
    check("cuCtxSetCurrent", find<int (*)(void *)>("cuCtxSetCurrent")(context));
  }

  uint64_t allocate(size_t bytes) {
    uint64_t address;
    check("cuMemAlloc",
          find<int (*)(uint64_t *, size_t)>("cuMemAlloc_v2")(&address, bytes));
    return address;
  }

  void free(uint64_t address) {
    find<int (*)(uint64_t)>("cuMemFree_v2")(address);
  }

  void toDevice(uint64_t to, const void *from, size_t bytes) {
    check("cuMemcpyHtoDAsync",
          find<int (*)(uint64_t, const void *, size_t, void *)>(
              "cuMemcpyHtoDAsync_v2")(to, from, bytes, /*stream=*/nullptr));
  }

  /// Waits for what the default stream holds, since the memory of the host is
  /// pageable.
  void toHost(void *to, uint64_t from, size_t bytes) {
    check("cuMemcpyDtoHAsync",
          find<int (*)(void *, uint64_t, size_t, void *)>(
              "cuMemcpyDtoHAsync_v2")(to, from, bytes, /*stream=*/nullptr));
  }

private:
  template <typename Function>
  Function find(const char *name) {
    void *address = dlsym(library, name);
    if (!address)
      throw std::runtime_error(std::string("the driver has no ") + name);
    return reinterpret_cast<Function>(address);
  }

  static void check(const char *function, int code) {
    if (code)
      throw std::runtime_error(std::string(function) + " fails with code " +
                               std::to_string(code));
  }

  void *library;
};

/// An array of floats on the device, with the contents of one on the host.
class DeviceArray {
public:
  DeviceArray(DeviceMemory &memory, const std::vector<float> &values)
      : memory(memory), bytes(values.size() * sizeof(float)),
        address(memory.allocate(bytes)) {
    memory.toDevice(address, values.data(), bytes);
  }
  DeviceArray(const DeviceArray &) = delete;
  ~DeviceArray() { memory.free(address); }

  void *data() const { return reinterpret_cast<void *>(address); }

  std::vector<float> toHost() const {
    std::vector<float> values(bytes / sizeof(float));
    memory.toHost(values.data(), address, bytes);
    return values;
  }

private:
  DeviceMemory &memory;
  size_t bytes;
  uint64_t address;
};

#endif // TESSERA_EXAMPLES_CMAKE_DEVICEARRAY_H
