//===- DeviceLaunchTest.cpp - Launches of the command line ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the calls of the driver. Each failure of the driver is reported and
// leaks nothing. The tests of the tools cover messages of wrong invocations.
//
//===----------------------------------------------------------------------===//

#include "Runtime/KernelFixture.h"
#include "Runtime/ScaleKernel.h"

#include "tessera/Tools/launch/DeviceLaunch.h"

#include "gmock/gmock.h"

using namespace tessera;
using namespace tessera::rt;
using namespace tessera::tools;
using testing::Contains;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// The kernel that the fake driver carries out.
KernelPackage makePackage() {
  KernelPackage package;
  package.target = "sm_90a";
  package.cubins = {"\x7f"
                    "ELF"};
  package.kernels = {makeScale("fake_scale")};
  return package;
}

class DeviceLaunchTest : public FakeDriverTest {
protected:
  void SetUp() override {
    FakeDriverTest::SetUp();
    package = makePackage();
  }

  /// The request for `--arg` of each of `args`.
  llvm::Expected<LaunchRequest> read(std::vector<std::string> args) {
    // LLVM has one registry of options for the whole process.
    static llvm::cl::OptionCategory category("test");
    static ArgumentOptions options(category);
    options.args.clear();
    for (const std::string &arg : args)
      options.args.push_back(arg);
    return LaunchRequest::read(package, options);
  }

  KernelPackage package;
  LaunchDevice device{/*gpu=*/0, FAKE_CUDA};
};

TEST_F(DeviceLaunchTest, ARequestNeedsNoDriver) {
  LaunchRequest request = unwrap(read({"x=arange(5)", "by=2"}));
  EXPECT_TRUE(fakecuda::getLog().empty());
  EXPECT_THAT(request.sizes, ElementsAre(5));
  EXPECT_THAT(request.shapes[2], ElementsAre(5));
  EXPECT_EQ(request.getNumBytes(2), 20);
  EXPECT_EQ(request.contents[2].getNumBytes(), 0u);
  std::vector<Argument> arguments = request.getArguments({16, 0, 32});
  EXPECT_EQ(std::get<TensorArgument>(arguments[0]).address, 16u);
  EXPECT_EQ(std::get<double>(arguments[1]), 2);
  EXPECT_EQ(std::get<TensorArgument>(arguments[2]).address, 32u);
}

TEST_F(DeviceLaunchTest, CopiesLaunchesAndReads) {
  LaunchRequest request = unwrap(read({"x=arange(5)", "by=2"}));
  DeviceLaunch launch = unwrap(DeviceLaunch::create(package, request, device));
  EXPECT_EQ(launch.getDevice().getName(), "Fake GPU");
  EXPECT_TRUE(std::isnan(unwrap(launch.read(2)).getFloat(0)))
      << "outputs start as NaN";
  EXPECT_EQ(textOf(launch.launch()), "");
  array::NDArray y = unwrap(launch.read(2));
  for (int i = 0; i < 5; ++i)
    EXPECT_EQ(y.getFloat(i), 2 * i);
  EXPECT_THAT(fakecuda::getLog(),
              Contains("cuLaunchKernelEx fake_scale grid=1,1,1 block=128,1,1 "
                       "shared=0"));
}

TEST_F(DeviceLaunchTest, EmptyTensorsHaveNoMemory) {
  LaunchRequest request = unwrap(read({"x=zeros(0)", "by=2"}));
  DeviceLaunch launch = unwrap(DeviceLaunch::create(package, request, device));
  EXPECT_EQ(textOf(launch.launch()), "");
  EXPECT_EQ(unwrap(launch.read(2)).getNumElements(), 0);
  EXPECT_TRUE(logFrom("cuMemAlloc").empty());
  EXPECT_TRUE(logFrom("cuLaunchKernelEx").empty());
}

TEST_F(DeviceLaunchTest, EveryFailureOfTheDriverIsReported) {
  LaunchRequest request = unwrap(read({"x=arange(5)", "by=2"}));
  for (const char *call :
       {"cuInit", "cuDeviceGetCount", "cuDevicePrimaryCtxRetain",
        "cuModuleLoadData", "cuModuleGetFunction", "cuStreamCreate",
        "cuMemAlloc", "cuMemcpyHtoDAsync", "cuMemsetD8Async",
        "cuStreamSynchronize", "cuLaunchKernelEx", "cuMemcpyDtoHAsync"}) {
    fakecuda::reset();
    fakecuda::failAt(call, 2);
    std::string text;
    {
      llvm::Expected<DeviceLaunch> launch =
          DeviceLaunch::create(package, request, device);
      if (!launch)
        text = llvm::toString(launch.takeError());
      else if (llvm::Error error = launch->launch())
        text = llvm::toString(std::move(error));
      else
        text = textOf(launch->read(2));
    }
    EXPECT_THAT(text,
                HasSubstr(std::string(call) + ": CUDA_ERROR_OUT_OF_MEMORY"));
    EXPECT_EQ(fakecuda::countAlive(), 0) << call;
  }
  fakecuda::reset();
  fakecuda::failAt("cuMemAlloc", 2, 1);
  EXPECT_THAT(
      textOf(DeviceLaunch::create(package, request, device)),
      HasSubstr("no memory for 'y': cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY"));
}

TEST_F(DeviceLaunchTest, WrongRequests) {
  EXPECT_THAT(textOf(read({"x=arange(5)"})), HasSubstr("missing --arg by"));
  EXPECT_THAT(textOf(read({"x=ones(5, 5)", "by=1"})),
              HasSubstr("'x' has rank 1, but got shape [5, 5]"));
  EXPECT_THAT(textOf(read({"x=ones(5)", "by=1", "y=(6)"})),
              HasSubstr("expected dimension 0 of 'y' to be N = 5"));
}

} // namespace
