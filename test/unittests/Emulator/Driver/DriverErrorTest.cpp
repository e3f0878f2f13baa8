//===- DriverErrorTest.cpp - Calls that the emulated driver refuses -------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "OpenedDriver.h"

#include "llvm/Support/FileSystem.h"
#include "llvm/Support/FileUtilities.h"

#include <dlfcn.h>

using namespace tessera;

namespace {

/// A kernel with 1000 bytes of shared memory, and one for clusters of two.
constexpr const char *kText = R"(.version 8.8
.target sm_90a
.address_size 64
.visible .entry plain(.param .u32 x) { .shared .b8 own[1000]; ret; }
.visible .entry pairs() .reqnctapercluster 2, 1, 1 { ret; }
)";

class DriverErrorTest : public emu::OpenedDriverTest {
protected:
  void SetUp() override {
    OpenedDriverTest::SetUp();
    ASSERT_EQ(say(driver->cuModuleLoadData(&module, kText)), "");
    ASSERT_EQ(say(driver->cuModuleGetFunction(&plain, module, "plain")), "");
    ASSERT_EQ(say(driver->cuModuleGetFunction(&pairs, module, "pairs")), "");
  }
  void TearDown() override {
    if (module)
      EXPECT_EQ(say(driver->cuModuleUnload(module)), "");
  }

  std::string launch(rt::CUfunction function, rt::CUlaunchConfig config,
                     void **extra = nullptr) {
    unsigned x = 0;
    void *parameters[] = {&x};
    return say(driver->cuLaunchKernelEx(&config, function, parameters, extra));
  }
  /// One block of 32 threads.
  static rt::CUlaunchConfig makeConfig() {
    return {{1, 1, 1}, {32, 1, 1}, 0, nullptr, nullptr, 0};
  }

  rt::CUmodule module = nullptr;
  rt::CUfunction plain = nullptr, pairs = nullptr;
};

TEST_F(DriverErrorTest, Devices) {
  rt::CUdevice found = 0;
  char name[8];
  int value = 0;
  const char *other =
      "call: CUDA_ERROR_INVALID_DEVICE (there is one device, number 0)";
  EXPECT_EQ(say(driver->cuDeviceGet(&found, 1)), other);
  EXPECT_EQ(say(driver->cuDeviceGetName(name, sizeof(name), 1)), other);
  EXPECT_EQ(say(driver->cuDeviceGetAttribute(&value, 1, -1)), other);
  EXPECT_EQ(say(driver->cuDeviceGetName(name, 0, 0)),
            "call: CUDA_ERROR_INVALID_VALUE (there is no room for a name)");
  rt::CUdeviceptr address = 0;
  EXPECT_EQ(say(driver->cuMemAlloc(&address, 0)),
            "call: CUDA_ERROR_INVALID_VALUE (0 bytes cannot be allocated)");
  ASSERT_EQ(say(driver->cuMemAlloc(&address, 4)), "");
  EXPECT_EQ(
      say(driver->cuPointerGetAttribute(&value, 99, address)),
      "call: CUDA_ERROR_INVALID_VALUE (the emulator does not know attribute "
      "99 of pointers)");
  ASSERT_EQ(say(driver->cuMemFree(address)), "");
  EXPECT_EQ(say(driver->cuInit(1)),
            "call: CUDA_ERROR_INVALID_VALUE (the flags must be 0)");
  int foreign = 0;
  EXPECT_EQ(
      say(driver->cuCtxSetCurrent(reinterpret_cast<rt::CUcontext>(&foreign))),
      "call: CUDA_ERROR_INVALID_CONTEXT (this is no context of the "
      "emulator)");
}

TEST_F(DriverErrorTest, AttributesOfDevices) {
  for (auto [attribute, expected] :
       {std::pair(1, 1024), std::pair(4, 64), std::pair(5, 0x7fffffff),
        std::pair(7, 65535), std::pair(8, 49152), std::pair(10, 32),
        std::pair(12, 65536), std::pair(16, 2), std::pair(75, 9),
        std::pair(76, 0), std::pair(81, 233472), std::pair(97, 232448),
        std::pair(111, 1024), std::pair(120, 1)}) {
    int value = -1;
    EXPECT_EQ(say(driver->cuDeviceGetAttribute(&value, attribute, 0)), "");
    EXPECT_EQ(value, expected) << attribute;
  }
}

TEST_F(DriverErrorTest, Functions) {
  int blocks = 0, value = 0;
  rt::CUlaunchConfig config = makeConfig();
  for (rt::CUresult result :
       {driver->cuFuncGetAttribute(&value, 0, nullptr),
        driver->cuFuncSetAttribute(nullptr, 8, 0),
        driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, nullptr,
                                                            32, 0),
        driver->cuOccupancyMaxActiveClusters(&blocks, nullptr, &config),
        driver->cuLaunchKernelEx(&config, nullptr, nullptr, nullptr)})
    EXPECT_EQ(say(result),
              "call: CUDA_ERROR_INVALID_HANDLE (this is no kernel)");
  EXPECT_EQ(
      say(driver->cuFuncGetAttribute(&value, 99, plain)),
      "call: CUDA_ERROR_INVALID_VALUE (the emulator does not know attribute "
      "99 of kernels)");
  EXPECT_EQ(
      say(driver->cuFuncSetAttribute(plain, 99, 0)),
      "call: CUDA_ERROR_INVALID_VALUE (the emulator cannot set attribute 99 "
      "of kernels)");
  EXPECT_EQ(
      say(driver->cuFuncSetAttribute(plain, 8, 232000)),
      "call: CUDA_ERROR_INVALID_VALUE (kernel 'plain' asks for 232000 bytes "
      "of shared memory in addition to its own 1000; a block has at most "
      "232448)");
  EXPECT_EQ(
      say(driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, plain,
                                                              -1, 0)),
      "call: CUDA_ERROR_INVALID_VALUE (the number of threads is negative)");
}

TEST_F(DriverErrorTest, Launches) {
  rt::CUlaunchConfig config = makeConfig();
  EXPECT_EQ(launch(plain, config), "");
  config.sharedBytes = 48153;
  EXPECT_EQ(
      launch(plain, config),
      "call: CUDA_ERROR_INVALID_VALUE (the launch of 'plain' asks for 48153 "
      "bytes of shared memory; 48152 are what the kernel may have unless "
      "cuFuncSetAttribute allows more)");
  config = makeConfig();
  config.block[2] = 65;
  EXPECT_EQ(
      launch(plain, config),
      "call: CUDA_ERROR_INVALID_VALUE (the block has 32x1x65; each extent "
      "must be from 1 to 1024x1024x64)");
  config = makeConfig();
  config.grid[1] = 0;
  EXPECT_EQ(
      launch(plain, config),
      "call: CUDA_ERROR_INVALID_VALUE (the grid has 1x0x1; each extent must "
      "be from 1 to 2147483647x65535x65535)");
  config = makeConfig();
  void *extra = nullptr;
  EXPECT_EQ(
      launch(plain, config, &extra),
      "call: CUDA_ERROR_NOT_SUPPORTED (the emulator takes parameters one by "
      "one)");
  EXPECT_EQ(say(driver->cuLaunchKernelEx(nullptr, plain, nullptr, nullptr)),
            "call: CUDA_ERROR_INVALID_VALUE (there is no configuration)");
}

TEST_F(DriverErrorTest, Clusters) {
  rt::CUlaunchConfig config = makeConfig();
  config.numAttributes = 1;
  EXPECT_EQ(launch(plain, config),
            "call: CUDA_ERROR_INVALID_VALUE (there are no attributes)");
  rt::CUlaunchAttribute attribute{};
  attribute.id = 4;
  auto setCluster = [&](unsigned blocks) {
    attribute.value.cluster[0] = config.grid[0] = blocks;
    attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
  };
  config.attributes = &attribute;
  setCluster(4);
  EXPECT_EQ(launch(pairs, config),
            "call: CUDA_ERROR_INVALID_CLUSTER_SIZE (the launch has clusters of "
            "4x1x1 blocks, but kernel 'pairs' of 2x1x1)");
  setCluster(9);
  EXPECT_EQ(
      launch(plain, config),
      "call: CUDA_ERROR_INVALID_CLUSTER_SIZE (clusters have 1 to 8 blocks "
      "unless cuFuncSetAttribute allows more, got 9x1x1)");
}

TEST_F(DriverErrorTest, CooperativeLaunches) {
  rt::CUlaunchAttribute attribute{};
  attribute.id = 2;
  attribute.value.enabled = 1;
  rt::CUlaunchConfig config = makeConfig();
  config.attributes = &attribute;
  config.numAttributes = 1;
  config.grid[0] = 5000;
  EXPECT_EQ(launch(plain, config),
            "call: CUDA_ERROR_COOPERATIVE_LAUNCH_TOO_LARGE (the blocks of a "
            "cooperative launch run at the same time, at most 4224; got 5000)");
}

TEST_F(DriverErrorTest, Modules) {
  rt::CUmodule other = nullptr;
  rt::CUfunction function = nullptr;
  EXPECT_EQ(say(driver->cuModuleLoadData(&other, nullptr)),
            "call: CUDA_ERROR_INVALID_VALUE (there is no image)");
  const char *none = "call: CUDA_ERROR_INVALID_HANDLE (this is no module)";
  EXPECT_EQ(say(driver->cuModuleUnload(nullptr)), none);
  EXPECT_EQ(say(driver->cuModuleGetFunction(&function, nullptr, "plain")),
            none);
}

TEST_F(DriverErrorTest, TensorMaps) {
  struct alignas(64) {
    uint8_t bytes[192];
  } map;
  uint64_t dims[2] = {64, 100}, strides[1] = {128};
  uint32_t box[2] = {64, 32}, steps[2] = {1, 1};
  auto encode = [&](uint8_t *to, unsigned rank, const uint32_t *boxes,
                    int promotion) {
    return say(driver->cuTensorMapEncodeTiled(
        to, 9, rank, reinterpret_cast<void *>(uint64_t(1) << 40), dims, strides,
        boxes, steps, 0, 3, promotion, 0));
  };
  EXPECT_EQ(encode(map.bytes, 2, box, 0), "");
  EXPECT_EQ(encode(map.bytes + 16, 2, box, 0),
            "call: CUDA_ERROR_INVALID_VALUE (the tensor map must lie at a "
            "multiple of 64)");
  EXPECT_EQ(encode(map.bytes, 6, box, 0),
            "call: CUDA_ERROR_INVALID_VALUE (the rank must be 1 to 5, got 6)");
  EXPECT_EQ(encode(map.bytes, 2, nullptr, 0),
            "call: CUDA_ERROR_INVALID_VALUE (an argument is null)");
  EXPECT_EQ(encode(map.bytes, 2, box, 4),
            "call: CUDA_ERROR_INVALID_VALUE (the promotion must be 0 to 3, got "
            "4)");
}

TEST_F(DriverErrorTest, Events) {
  rt::CUevent event = nullptr;
  ASSERT_EQ(say(driver->cuEventCreate(&event, 0)), "");
  ASSERT_EQ(say(driver->cuEventDestroy(event)), "");
  const char *none = "call: CUDA_ERROR_INVALID_HANDLE (this is no event)";
  EXPECT_EQ(say(driver->cuEventDestroy(event)), none);
  EXPECT_EQ(say(driver->cuEventRecord(event, nullptr)), none);
  EXPECT_EQ(say(driver->cuEventSynchronize(event)), none);
  EXPECT_EQ(say(driver->cuStreamWaitEvent(nullptr, event, 0)), none);
}

#ifdef EMULATOR_LIBRARY
/// A copy of the library has a state of its own, which is not initialised.
TEST(DriverBeforeInitializationTest, NothingWorks) {
  llvm::SmallString<128> path;
  ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("emulator", "so", path));
  llvm::FileRemover remover(path);
  ASSERT_FALSE(llvm::sys::fs::copy_file(EMULATOR_LIBRARY, path));
  void *library = dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
  ASSERT_TRUE(library) << dlerror();
  auto adopted = rt::Driver::adopt("the copy", [&](const char *name) {
    rt::CUresult (*skip)(unsigned) = [](unsigned) { return 0; };
    return name == llvm::StringRef("cuInit") ? reinterpret_cast<void *>(skip)
                                             : dlsym(library, name);
  });
  ASSERT_TRUE(bool(adopted)) << llvm::toString(adopted.takeError());
  const rt::Driver &driver = **adopted;
  auto say = [&](rt::CUresult result) {
    return llvm::toString(driver.check(result, "call"));
  };
  const char *early =
      "call: CUDA_ERROR_NOT_INITIALIZED (cuInit was not called)";
  rt::CUcontext context = nullptr;
  rt::CUdeviceptr address = 0;
  EXPECT_EQ(say(driver.cuMemAlloc(&address, 4)), early);
  EXPECT_EQ(say(driver.cuDevicePrimaryCtxRetain(&context, 0)), early);
  EXPECT_EQ(say(driver.cuCtxGetCurrent(&context)), early);
}
#endif

} // namespace
