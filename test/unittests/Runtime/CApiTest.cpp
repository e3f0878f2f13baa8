//===- CApiTest.cpp - The runtime for callers in C --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Handles, errors as values, and that nothing else comes out: neither an
// exception nor a changed context. The memory of the process can be made to
// end, by the operator new below.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "tessera-c/Runtime.h"
#include "llvm/Support/FileSystem.h"
#include "gmock/gmock.h"
#include <cstdlib>
#include <new>

using namespace tessera;
using namespace tessera::rt;
using testing::ElementsAre;
using testing::HasSubstr;

extern "C" tessera_status launch_from_c(const tessera_kernel *kernel);

/// How many allocations succeed before one fails; negative for all.
static long allocationsLeft = -1;

void *operator new(size_t bytes) {
  void *memory = nullptr;
  if (allocationsLeft != 0)
    memory = malloc(bytes ? bytes : 1);
  if (allocationsLeft >= 0)
    --allocationsLeft;
  if (!memory)
    throw std::bad_alloc();
  return memory;
}
void operator delete(void *memory) noexcept { free(memory); }
void operator delete(void *memory, size_t) noexcept { free(memory); }

namespace {

class CApiTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    llvm::SmallString<128> path;
    ASSERT_FALSE(llvm::sys::fs::createTemporaryFile("capi", "tpk", path));
    file = path.str().str();
    ASSERT_EQ(textOf(makePackage().writeFile(file)), "");
  }
  void TearDown() override {
    tessera_prepared_free(prepared);
    tessera_kernel_free(kernel);
    tessera_package_free(package);
    tessera_device_free(device);
    (void)llvm::sys::fs::remove(file);
    FakeDriverTest::TearDown();
  }

  void load() {
    ASSERT_EQ(tessera_device_open(FAKE_CUDA, 0, &device), TESSERA_SUCCESS);
    ASSERT_EQ(tessera_package_open(file.c_str(), &package), TESSERA_SUCCESS);
    ASSERT_EQ(tessera_kernel_load(device, package, nullptr, &kernel),
              TESSERA_SUCCESS);
  }

  tessera_status launch(uint64_t stream = 0) {
    return tessera_kernel_launch(kernel, arguments, 4, nullptr, 0, stream);
  }

  static tessera_argument tensor(uint64_t address, const int64_t *shape) {
    tessera_argument argument = {};
    argument.kind = TESSERA_TENSOR;
    argument.rank = 2;
    argument.address = address;
    argument.dtype = "bf16";
    argument.shape = shape;
    return argument;
  }
  static tessera_argument number(double value) {
    tessera_argument argument = {};
    argument.kind = TESSERA_FLOAT;
    argument.number = value;
    return argument;
  }

  std::string file;
  tessera_device *device = nullptr;
  tessera_package *package = nullptr;
  tessera_kernel *kernel = nullptr;
  tessera_prepared *prepared = nullptr;
  // M = 256, K = 192, N = 128
  int64_t shapes[3][2] = {{256, 192}, {192, 128}, {256, 128}};
  tessera_argument arguments[4] = {tensor(0x10000, shapes[0]),
                                   tensor(0x20000, shapes[1]),
                                   tensor(0x30000, shapes[2]), number(0.5)};
};

TEST_F(CApiTest, DescribesPackages) {
  ASSERT_EQ(tessera_package_open(file.c_str(), &package), TESSERA_SUCCESS);
  EXPECT_EQ(tessera_package_num_kernels(package), 1u);
  EXPECT_STREQ(tessera_package_kernel_name(package, 0), "matmul");
  EXPECT_EQ(tessera_package_kernel_name(package, 1), nullptr);
  EXPECT_THAT(tessera_package_metadata(package), HasSubstr("\"sm_90a\""));
  EXPECT_EQ(tessera_runtime_abi(), TESSERA_RUNTIME_ABI);
}

TEST_F(CApiTest, LaunchesOnStreamsOfOthers) {
  load();
  EXPECT_STREQ(tessera_device_name(device), "Fake GPU");
  fakecuda::setArgumentSizes({8, 8, 8, 4, 4, 8});
  EXPECT_EQ(launch(), TESSERA_SUCCESS) << tessera_last_error();
  EXPECT_THAT(
      logFrom("cuLaunchKernelEx"),
      ElementsAre(
          "cuLaunchKernelEx matmul_128x128 grid=2,1,1 block=384,1,1 "
          "shared=200000 0000010000000000 0000020000000000 0000030000000000 "
          "0000003f 03000000 c000000000000000",
          "cuCtxSetCurrent", "cuCtxSetCurrent", "cuCtxSetCurrent"));
  // The fake knows its streams.
  EXPECT_EQ(launch(12345), TESSERA_ERROR_DRIVER);
  EXPECT_STREQ(tessera_last_error(),
               "cuLaunchKernelEx: CUDA_ERROR_INVALID_HANDLE");
  EXPECT_EQ(tessera_last_driver_code(), 400);
}

TEST_F(CApiTest, WaitsForStreams) {
  load();
  EXPECT_EQ(tessera_stream_wait(device, 1), TESSERA_SUCCESS);
  EXPECT_EQ(logFrom("cuStreamSynchronize").size(), 2u);
  EXPECT_EQ(tessera_stream_wait(device, 12345), TESSERA_ERROR_DRIVER);
  EXPECT_EQ(tessera_stream_wait(nullptr, 0), TESSERA_ERROR_USAGE);
}

TEST_F(CApiTest, StreamsFollowEachOtherOnTheDevice) {
  load();
  size_t before = fakecuda::getLog().size();
  EXPECT_EQ(tessera_stream_follow(device, 0, 1), TESSERA_SUCCESS);
  std::vector<std::string> log = fakecuda::getLog();
  log.erase(log.begin(), log.begin() + before);
  EXPECT_THAT(log, ElementsAre("cuCtxSetCurrent", "cuEventCreate",
                               "cuEventRecord", "cuStreamWaitEvent",
                               "cuEventDestroy", "cuCtxSetCurrent"));
  int alive = fakecuda::countAlive();
  EXPECT_EQ(tessera_stream_follow(device, 0, 12345), TESSERA_ERROR_DRIVER);
  EXPECT_STREQ(tessera_last_error(),
               "cuEventRecord: CUDA_ERROR_INVALID_HANDLE");
  EXPECT_EQ(tessera_stream_follow(device, 12345, 0), TESSERA_ERROR_DRIVER);
  EXPECT_EQ(fakecuda::countAlive(), alive);
  EXPECT_EQ(tessera_stream_follow(nullptr, 0, 0), TESSERA_ERROR_USAGE);
}

TEST_F(CApiTest, PreparedLaunchesMove) {
  load();
  fakecuda::setArgumentSizes({8, 8, 8, 4, 4, 8});
  ASSERT_EQ(tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, &prepared),
            TESSERA_SUCCESS);
  auto move = [&](uint64_t a, uint64_t b, uint64_t c) {
    uint64_t addresses[] = {a, b, c};
    return tessera_prepared_launch_at(prepared, addresses, 3, 0);
  };
  auto last = [&] { return logFrom("cuLaunchKernelEx").front(); };
  size_t before = fakecuda::getLog().size();
  EXPECT_EQ(move(0x110000, 0x120000, 0x130000), TESSERA_SUCCESS);
  // Two maps, the launch and the context around them: nothing is asked again.
  EXPECT_EQ(fakecuda::getLog().size(), before + 5);
  EXPECT_THAT(last(), HasSubstr("0000110000000000 0000120000000000 "
                                "0000130000000000 0000003f 03000000 "));
  // The prepared launch has not changed.
  EXPECT_EQ(tessera_prepared_launch(prepared, 0), TESSERA_SUCCESS);
  EXPECT_THAT(fakecuda::getLog().end()[-2],
              HasSubstr("0000010000000000 0000020000000000"));
}

TEST_F(CApiTest, MovedTensorsAreChecked) {
  load();
  ASSERT_EQ(tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, &prepared),
            TESSERA_SUCCESS);
  auto refused = [&](std::vector<uint64_t> addresses, const char *text) {
    EXPECT_EQ(tessera_prepared_launch_at(prepared, addresses.data(),
                                         addresses.size(), 0),
              TESSERA_ERROR_ARGUMENTS);
    EXPECT_THAT(tessera_last_error(), HasSubstr(text));
  };
  refused({0x110000, 0x120000}, "expected 3 addresses, got 2");
  refused({1, 2, 3, 4}, "expected 3 addresses, got 4");
  refused({0x110000, 0x120000, 0x110000},
          "'c' is written, and overlaps 'a' in memory");
  refused({0x110000, 0x120000, 0x10ff00}, "overlaps 'a'");
  refused({0, 0x120000, 0x130000}, "'a' has elements, but its address is 0");
  refused({0x110000, uint64_t(1) << 62, 0x130000}, "the address space");
  refused({0x110008, 0x120000, 0x130000}, "no multiple of 16 bytes");
  refused({0x110001, 0x120000, 0x130000}, "to be a multiple of 2 bytes");
  EXPECT_THAT(logFrom("cuLaunchKernelEx"), testing::IsEmpty());
  EXPECT_EQ(tessera_prepared_launch_at(prepared, nullptr, 3, 0),
            TESSERA_ERROR_USAGE);
  EXPECT_EQ(tessera_prepared_launch_at(nullptr, nullptr, 0, 0),
            TESSERA_ERROR_USAGE);
}

TEST_F(CApiTest, PreparedLaunchesOnlyLaunch) {
  load();
  int primary = 0;
  ASSERT_EQ(tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, &prepared),
            TESSERA_SUCCESS);
  // A kernel is kept by what was prepared from it.
  tessera_kernel_free(kernel);
  kernel = nullptr;
  fakecuda::setCurrentContext(&primary);
  size_t before = fakecuda::getLog().size();
  EXPECT_EQ(tessera_prepared_launch(prepared, 0), TESSERA_SUCCESS);
  EXPECT_EQ(tessera_prepared_launch(prepared, 1), TESSERA_SUCCESS);
  // Each: its context, the launch, the context from before.
  EXPECT_EQ(fakecuda::getLog().size(), before + 6);
}

TEST_F(CApiTest, LeavesTheCurrentContextAlone) {
  EXPECT_EQ(fakecuda::getCurrentContext(), nullptr);
  int other = 0;
  for (void *context : {static_cast<void *>(nullptr), (void *)&other}) {
    fakecuda::setCurrentContext(context);
    load();
    EXPECT_EQ(fakecuda::getCurrentContext(), context);
    EXPECT_EQ(launch(), TESSERA_SUCCESS) << tessera_last_error();
    EXPECT_EQ(fakecuda::getCurrentContext(), context);
    tessera_kernel_free(kernel);
    tessera_package_free(package);
    tessera_device_free(device);
    kernel = nullptr, package = nullptr, device = nullptr;
    EXPECT_EQ(fakecuda::getCurrentContext(), context);
  }
}

TEST_F(CApiTest, HandlesMayBeFreedInAnyOrder) {
  load();
  tessera_device_free(device);
  tessera_package_free(package);
  device = nullptr, package = nullptr;
  EXPECT_EQ(launch(), TESSERA_SUCCESS) << tessera_last_error();
}

TEST_F(CApiTest, NothingIsUnloadedWhileItRuns) {
  load();
  ASSERT_EQ(tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, &prepared),
            TESSERA_SUCCESS);
  EXPECT_EQ(tessera_prepared_launch(prepared, 0), TESSERA_SUCCESS);
  tessera_prepared_free(prepared);
  prepared = nullptr;
  EXPECT_THAT(logFrom("cuModuleUnload"), testing::IsEmpty());
  tessera_kernel_free(kernel);
  kernel = nullptr;
  EXPECT_THAT(
      logFrom("cuCtxSynchronize"),
      ElementsAre("cuCtxSynchronize", "cuModuleUnload", "cuCtxSetCurrent"));
}

TEST_F(CApiTest, NullsAreRefused) {
  auto refused = [](tessera_status status, const char *text) {
    EXPECT_EQ(status, TESSERA_ERROR_USAGE);
    EXPECT_STREQ(tessera_last_error(), text);
  };
  refused(tessera_device_open(nullptr, 0, nullptr), "'device' is NULL");
  refused(tessera_package_open("x", nullptr), "'package' is NULL");
  refused(tessera_package_open(nullptr, &package), "'path' is NULL");
  load();
  tessera_kernel *none = nullptr;
  refused(tessera_kernel_load(device, package, "", nullptr),
          "'kernel' is NULL");
  refused(tessera_kernel_load(nullptr, package, "", &none), "'device' is NULL");
  refused(tessera_kernel_load(device, nullptr, "", &none), "'package' is NULL");
  refused(tessera_kernel_launch(nullptr, arguments, 4, nullptr, 0, 0),
          "'kernel' is NULL");
  refused(launch_from_c(nullptr), "'kernel' is NULL");
  refused(tessera_kernel_launch(kernel, nullptr, 4, nullptr, 0, 0),
          "'arguments' is NULL");
  refused(tessera_kernel_launch(kernel, arguments, 4, nullptr, 1, 0),
          "'sizes' is NULL");
  refused(tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, nullptr),
          "'prepared' is NULL");
  refused(tessera_prepared_launch(nullptr, 0), "'prepared' is NULL");
  arguments[1].dtype = nullptr;
  refused(launch(), "argument 1: 'dtype' is NULL");
  arguments[1] = tensor(0x20000, nullptr);
  refused(launch(), "argument 1: 'shape' is NULL");
  tessera_size size = {nullptr, 3};
  arguments[1] = tensor(0x20000, shapes[1]);
  refused(tessera_kernel_launch(kernel, arguments, 4, &size, 1, 0),
          "the name of size 0 is NULL");
  tessera_prepared_free(nullptr);
  tessera_kernel_free(nullptr);
  tessera_package_free(nullptr);
  tessera_device_free(nullptr);
  EXPECT_STREQ(tessera_device_name(nullptr), "");
  EXPECT_STREQ(tessera_package_metadata(nullptr), "");
  EXPECT_EQ(tessera_package_num_kernels(nullptr), 0u);
  EXPECT_EQ(tessera_package_kernel_name(nullptr, 0), nullptr);
}

TEST_F(CApiTest, ErrorsHaveAStatusAndAText) {
  EXPECT_EQ(tessera_device_open("/nonexistent.so", 0, &device),
            TESSERA_ERROR_DEVICE);
  EXPECT_THAT(tessera_last_error(), HasSubstr("cannot open the CUDA driver"));
  EXPECT_EQ(tessera_device_open(FAKE_CUDA, 7, &device), TESSERA_ERROR_DEVICE);
  EXPECT_STREQ(tessera_last_error(), "there is no device 7; the driver has 1");
  EXPECT_EQ(device, nullptr);
  EXPECT_EQ(tessera_package_open("/nonexistent.tpk", &package),
            TESSERA_ERROR_PACKAGE);
  EXPECT_THAT(tessera_last_error(), HasSubstr("cannot read"));
  load();
  tessera_kernel *other = kernel;
  EXPECT_EQ(tessera_kernel_load(device, package, "conv", &other),
            TESSERA_ERROR_PACKAGE);
  EXPECT_EQ(other, nullptr);
  EXPECT_THAT(tessera_last_error(), HasSubstr("has no kernel 'conv'"));

  EXPECT_EQ(tessera_kernel_launch(kernel, arguments, 3, nullptr, 0, 0),
            TESSERA_ERROR_ARGUMENTS);
  EXPECT_THAT(tessera_last_error(), HasSubstr("expected 4 arguments, got 3"));
  EXPECT_EQ(tessera_last_driver_code(), 0);
  // Lengths are compared before the arrays are read.
  EXPECT_EQ(
      tessera_kernel_launch(kernel, arguments, size_t(1) << 40, nullptr, 0, 0),
      TESSERA_ERROR_ARGUMENTS);
  EXPECT_STREQ(tessera_last_error(),
               "kernel 'matmul': expected 4 arguments, got 1099511627776");
  tessera_size *unreadable = reinterpret_cast<tessera_size *>(8);
  EXPECT_EQ(tessera_kernel_launch(kernel, arguments, 4, unreadable, 4, 0),
            TESSERA_ERROR_ARGUMENTS);
  EXPECT_STREQ(tessera_last_error(),
               "kernel 'matmul': expected at most 3 sizes, got 4");
  tessera_size sizes[] = {{"M", 256}, {"M", 256}};
  EXPECT_EQ(tessera_kernel_launch(kernel, arguments, 4, sizes, 2, 0),
            TESSERA_ERROR_USAGE);
  EXPECT_STREQ(tessera_last_error(), "the size 'M' is given twice");
  sizes[0].value = 5;
  EXPECT_EQ(tessera_kernel_launch(kernel, arguments, 4, sizes, 1, 0),
            TESSERA_ERROR_ARGUMENTS);

  arguments[0].dtype = "bfloat16";
  EXPECT_EQ(launch(), TESSERA_ERROR_USAGE);
  EXPECT_STREQ(tessera_last_error(),
               "argument 0: the element type 'bfloat16' is unknown");
  arguments[0].dtype = "bf16";
  arguments[0].rank = -1;
  EXPECT_EQ(launch(), TESSERA_ERROR_USAGE);
  EXPECT_STREQ(tessera_last_error(), "argument 0: the rank -1 is out of range");
  arguments[0].kind = 9;
  EXPECT_EQ(launch(), TESSERA_ERROR_USAGE);
  EXPECT_STREQ(tessera_last_error(), "argument 0: the kind 9 is unknown");
}

TEST_F(CApiTest, FailuresOfTheDriverKeepTheirCode) {
  load();
  fakecuda::failAt("cuTensorMapEncodeTiled", 1);
  EXPECT_EQ(launch(), TESSERA_ERROR_DRIVER);
  EXPECT_STREQ(tessera_last_error(),
               "cuTensorMapEncodeTiled: CUDA_ERROR_INVALID_VALUE");
  EXPECT_EQ(tessera_last_driver_code(), 1);
  fakecuda::failAt("cuCtxSetCurrent", 700);
  EXPECT_EQ(launch(), TESSERA_ERROR_DRIVER);
  EXPECT_EQ(tessera_last_driver_code(), 700);
}

TEST_F(CApiTest, TheEndOfMemoryIsAnErrorToo) {
  load();
  int failures = 0;
  tessera_status status = TESSERA_ERROR_MEMORY;
  for (long n = 0; status != TESSERA_SUCCESS && n < 1000; ++n) {
    allocationsLeft = n;
    status =
        tessera_kernel_prepare(kernel, arguments, 4, nullptr, 0, &prepared);
    allocationsLeft = -1;
    if (status == TESSERA_SUCCESS)
      break;
    ++failures;
    EXPECT_EQ(status, TESSERA_ERROR_MEMORY) << n;
    EXPECT_STREQ(tessera_last_error(), "out of memory");
    EXPECT_EQ(prepared, nullptr);
  }
  EXPECT_EQ(status, TESSERA_SUCCESS);
  EXPECT_GT(failures, 3);
}

} // namespace
