//===- LauncherTest.cpp - Launching kernels of a package --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the calls of the driver for a launch, and the errors of a launch.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "gmock/gmock.h"

#include <set>

using namespace tessera;
using namespace tessera::rt;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class LauncherTest : public FakeDriverTest {};

TEST_F(LauncherTest, LaunchesWithMapsAndArguments) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  EXPECT_THAT(logFrom("cuModuleLoadData"),
              ElementsAre("cuModuleLoadData \x7f"
                          "ELF mac",
                          "cuModuleGetFunction matmul_128x128",
                          "cuFuncSetAttribute 8=200000"));
  Stream stream = unwrap(Stream::create(device));
  // Maps are passed by value; the fake puts the address into their first bytes.
  fakecuda::setArgumentSizes({8, 8, 8, 4, 4, 8});
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())), "");
  EXPECT_THAT(
      logFrom("cuStreamCreate"),
      ElementsAre(
          "cuStreamCreate",
          "cuTensorMapEncodeTiled type=9 dims=192,256 strides=384 box=64,128 "
          "steps=1,1 swizzle=3 promotion=2 rest=00",
          "cuTensorMapEncodeTiled type=9 dims=128,192 strides=256 box=64,128 "
          "steps=1,1 swizzle=3 promotion=2 rest=00",
          "cuLaunchKernelEx matmul_128x128 grid=2,1,1 block=384,1,1 "
          "shared=200000 0000010000000000 0000020000000000 0000030000000000 "
          "0000003f 03000000 c000000000000000"));
}

TEST_F(LauncherTest, PreparedLaunchesEncodeTheirMapsOnce) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  Stream stream = unwrap(Stream::create(device));
  Launcher::Prepared prepared = unwrap(launcher.prepare(makeArguments()));
  fakecuda::setArgumentSizes({8});
  EXPECT_EQ(textOf(prepared.launch(stream)), "");
  EXPECT_EQ(textOf(prepared.launch(stream)), "");
  std::string launch = "cuLaunchKernelEx matmul_128x128 grid=2,1,1 "
                       "block=384,1,1 shared=200000 0000010000000000";
  std::vector<std::string> log = logFrom("cuTensorMapEncodeTiled");
  ASSERT_EQ(log.size(), 3u);
  EXPECT_EQ(log[1], launch);
  EXPECT_EQ(log[2], launch);
}

TEST_F(LauncherTest, AnEmptyGridReachesNoDriver) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  Stream stream = unwrap(Stream::create(device));
  EXPECT_EQ(textOf(launcher.launch(stream, {makeTensor(0, 0, 192),
                                            makeTensor(0x20000, 192, 128),
                                            makeTensor(0, 0, 128), 1.0})),
            "");
  EXPECT_THAT(logFrom("cuStreamCreate"), ElementsAre("cuStreamCreate"));
}

TEST_F(LauncherTest, EmptyTensorsAreReadAsASingleZero) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8, 8});
  // Their addresses do not matter.
  std::vector<Argument> arguments = {makeTensor(0, 256, 0),
                                     makeTensor(2, 0, 128),
                                     makeTensor(0x30000, 256, 128), 1.0};
  EXPECT_EQ(textOf(launcher.launch(stream, arguments)), "");
  std::string map = "cuTensorMapEncodeTiled type=9 dims=1,1 strides=16 "
                    "box=64,128 steps=1,1 swizzle=3 promotion=2 rest=00";
  std::vector<std::string> log = logFrom("cuMemAlloc");
  std::string launch = log.back();
  log.pop_back();
  EXPECT_THAT(log, ElementsAre("cuMemAlloc 32", "cuStreamCreate",
                               "cuMemsetD8Async 32", "cuStreamSynchronize",
                               "cuStreamDestroy", map, map));
  // Both maps have the address of one zero.
  auto [head, addresses] = llvm::StringRef(launch).split("shared=200000 ");
  auto [first, second] = addresses.split(' ');
  EXPECT_EQ(first.size(), 16u);
  EXPECT_NE(first, "0000000000000000");
  EXPECT_EQ(first, second);
  // It is made once, by the launch that needs it first.
  EXPECT_EQ(textOf(launcher.launch(stream, arguments)), "");
  EXPECT_THAT(logFrom("cuMemAlloc"),
              ElementsAre("cuMemAlloc 32", "cuStreamCreate",
                          "cuMemsetD8Async 32", "cuStreamSynchronize",
                          "cuStreamDestroy", map, map, launch, map, map,
                          launch));
}

TEST_F(LauncherTest, WhatIsWrittenToAnEmptyTensorDoesNotReachTheZero) {
  DeviceRef device = openDevice();
  KernelPackage package = makePackage();
  package.kernels.front().parameters[1].access =
      ParameterInfo::Access::ReadWrite;
  Launcher launcher = unwrap(Launcher::load(device, package));
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8, 8});
  std::vector<Argument> arguments = {makeTensor(0, 256, 0),
                                     makeTensor(2, 0, 128),
                                     makeTensor(0x30000, 256, 128), 1.0};
  EXPECT_EQ(textOf(launcher.launch(stream, arguments)), "");
  std::string launch = logFrom("cuMemAlloc").back();
  auto [head, addresses] = llvm::StringRef(launch).split("shared=200000 ");
  auto [first, second] = addresses.split(' ');
  EXPECT_EQ(first.size(), 16u);
  EXPECT_EQ(second.size(), 16u);
  EXPECT_NE(first, second);
}

TEST_F(LauncherTest, FailuresOfMakingTheZeroAreReported) {
  for (const char *call :
       {"cuMemAlloc", "cuMemsetD8Async", "cuStreamSynchronize"}) {
    fakecuda::reset();
    DeviceRef device = openDevice();
    Launcher launcher = unwrap(Launcher::load(device, makePackage()));
    Stream stream = unwrap(Stream::create(device));
    fakecuda::failAt(call, 1);
    std::vector<Argument> arguments = makeArguments();
    std::get<TensorArgument>(arguments[0]).shape = {256, 0};
    std::get<TensorArgument>(arguments[1]).shape = {0, 128};
    EXPECT_EQ(textOf(launcher.launch(stream, arguments)),
              std::string(call) + ": CUDA_ERROR_INVALID_VALUE");
  }
}

TEST_F(LauncherTest, PtxIsForPackagesWithoutMachineCode) {
  KernelPackage package = makePackage();
  package.cubins.clear();
  unwrap(Launcher::load(openDevice(), package));
  EXPECT_THAT(logFrom("cuModuleLoadData")[0],
              HasSubstr("cuModuleLoadData .version"));
}

TEST_F(LauncherTest, VariantsInModulesOfTheirOwn) {
  auto callsOfModules = [this](const KernelPackage &package) {
    fakecuda::reset();
    unwrap(Launcher::load(openDevice(), package));
    std::vector<std::string> calls;
    for (const std::string &call : fakecuda::getLog())
      if (llvm::StringRef(call).starts_with("cuModuleLoadData") ||
          llvm::StringRef(call).starts_with("cuModuleGetFunction"))
        calls.push_back(call);
    return calls;
  };
  KernelPackage package = makeVariants();
  EXPECT_THAT(callsOfModules(package),
              testing::ElementsAre("cuModuleLoadData \x7f"
                                   "ELF mac",
                                   "cuModuleGetFunction matmul_128x128",
                                   "cuModuleGetFunction matmul_plain"));
  package.cubins = {"maps", "plain"};
  EXPECT_THAT(callsOfModules(package),
              testing::ElementsAre("cuModuleLoadData maps",
                                   "cuModuleGetFunction matmul_128x128",
                                   "cuModuleLoadData plain",
                                   "cuModuleGetFunction matmul_plain"));
}

TEST_F(LauncherTest, DevicesThatCannotRunTheKernel) {
  fakecuda::setComputeCapability(100);
  DeviceRef device = openDevice();
  EXPECT_EQ(textOf(Launcher::load(device, makePackage())),
            "the package is for sm_90a, but 'Fake GPU' is sm_100");
  KernelPackage package = makePackage();
  package.target = "sm_90";
  EXPECT_EQ(textOf(Launcher::load(device, package)),
            "the package is for sm_90, but 'Fake GPU' is sm_100");
  package.target = "gfx942";
  EXPECT_EQ(textOf(Launcher::load(device, package)),
            "the package is for the unknown target 'gfx942'");

  fakecuda::setComputeCapability(90);
  package = makePackage();
  package.kernels[0].sharedMemory = 240000;
  EXPECT_EQ(textOf(Launcher::load(openDevice(), package)),
            "kernel 'matmul' needs 240000 bytes of shared memory, but a block "
            "of 'Fake GPU' has at most 232448");
  EXPECT_THAT(textOf(Launcher::load(openDevice(), makePackage(), "conv")),
              HasSubstr("the package has no kernel 'conv'"));
}

TEST_F(LauncherTest, EveryFailureOfTheDriverIsReported) {
  for (const char *call :
       {"cuModuleLoadData", "cuModuleGetFunction", "cuFuncSetAttribute",
        "cuOccupancyMaxActiveBlocksPerMultiprocessor",
        "cuOccupancyMaxActiveClusters", "cuTensorMapEncodeTiled",
        "cuLaunchKernelEx"}) {
    fakecuda::reset();
    fakecuda::failAt(call, 1);
    KernelPackage package = makePackage();
    package.kernels[0].persistent = true;
    package.kernels[0].cluster[0] =
        llvm::StringRef(call).ends_with("Clusters") ? 2 : 1;
    DeviceRef device = openDevice();
    Stream stream = unwrap(Stream::create(device));
    llvm::Expected<Launcher> launcher = Launcher::load(device, package);
    std::string text = launcher
                           ? textOf(launcher->launch(stream, makeArguments()))
                           : llvm::toString(launcher.takeError());
    EXPECT_EQ(text, std::string(call) + ": CUDA_ERROR_INVALID_VALUE");
  }
}

/// The last launch in the log, up to its grid.
std::string getLaunch() {
  std::string found = "none";
  for (const std::string &line : fakecuda::getLog())
    if (llvm::StringRef(line).starts_with("cuLaunchKernelEx"))
      found = line.substr(0, line.find(" block"));
  return found;
}

/// Arguments of matmul for any sizes.
std::vector<Argument> makeArgumentsOf(int64_t m, int64_t k, int64_t n) {
  return {makeTensor(0x10000000, m, k), makeTensor(0x20000000, k, n),
          makeTensor(0x30000000, m, n), 0.5};
}

TEST_F(LauncherTest, TakesTheFirstVariantWhoseConditionsHold) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeVariants()));
  EXPECT_THAT(logFrom("cuModuleLoadData"),
              ElementsAre("cuModuleLoadData \x7f"
                          "ELF mac",
                          "cuModuleGetFunction matmul_128x128",
                          "cuFuncSetAttribute 8=200000",
                          "cuOccupancyMaxActiveBlocksPerMultiprocessor 384",
                          "cuModuleGetFunction matmul_plain",
                          "cuFuncSetAttribute 8=1000"));
  EXPECT_EQ(launcher.getMetadata().entry, "matmul_128x128");
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8});
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_128x128 grid=2,1,1");
  EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(256, 36, 128))), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_plain grid=2,1,1");
  // The limits of tensor maps are conditions as well.
  std::vector<Argument> arguments = makeArguments();
  std::get<TensorArgument>(arguments[0]).address += 2;
  EXPECT_EQ(textOf(launcher.launch(stream, arguments)), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_plain grid=2,1,1");
  // Wrong arguments are wrong for all variants, and said once.
  EXPECT_EQ(textOf(launcher.launch(stream, {})),
            "kernel 'matmul': expected 4 arguments, got 0");
}

TEST_F(LauncherTest, OtherAddressesMayWantAnotherVariant) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeVariants()));
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8});
  Launcher::Prepared prepared = unwrap(launcher.prepare(makeArguments()));
  uint64_t aligned[] = {0x110000, 0x120000, 0x130000};
  uint64_t odd[] = {0x110002, 0x120000, 0x130000};
  EXPECT_EQ(textOf(prepared.launchAt(aligned, stream.get())), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_128x128 grid=2,1,1");
  EXPECT_EQ(textOf(prepared.launchAt(odd, stream.get())), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_plain grid=2,1,1");
  // The prepared launch has not changed.
  EXPECT_EQ(textOf(prepared.launchAt(aligned, stream.get())), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_128x128 grid=2,1,1");
}

TEST_F(LauncherTest, EncodesTheMapsOfAnAddressOnce) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeVariants()));
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({128, 128, 8});
  Launcher::Prepared prepared = unwrap(launcher.prepare(makeArguments()));
  auto countEncoded = [&](uint64_t a, uint64_t b, uint64_t c) {
    size_t before = fakecuda::getLog().size();
    uint64_t addresses[] = {a, b, c};
    EXPECT_EQ(textOf(prepared.launchAt(addresses, stream.get())), "");
    std::vector<std::string> log = fakecuda::getLog();
    return llvm::count_if(llvm::ArrayRef(log).drop_front(before),
                          [](llvm::StringRef line) {
                            return line.starts_with("cuTensorMapEncodeTiled");
                          });
  };
  EXPECT_EQ(countEncoded(0x100000, 0x200000, 0x300000), 2);
  EXPECT_EQ(countEncoded(0x100000, 0x200000, 0x300000), 0);
  EXPECT_EQ(countEncoded(0x100000, 0x400000, 0x300000), 1);
  EXPECT_EQ(countEncoded(0x100000, 0x200000, 0x500000), 0);
  // A map is of one argument: others have another shape.
  EXPECT_EQ(countEncoded(0x200000, 0x100000, 0x300000), 2);
  // Many addresses share the slots of the few.
  for (uint64_t i = 0; i < 1000; ++i)
    EXPECT_LE(countEncoded(0x1000000 + i * 0x20000, 0x200000, 0x300000), 1);
  // One that fails is not kept.
  fakecuda::failAt("cuTensorMapEncodeTiled", 1);
  uint64_t addresses[] = {0x600000, 0x700000, 0x300000};
  EXPECT_NE(textOf(prepared.launchAt(addresses, stream.get())), "");
  EXPECT_EQ(countEncoded(0x600000, 0x700000, 0x300000), 2);
}

TEST_F(LauncherTest, SaysWhichConditionsFailed) {
  DeviceRef device = openDevice();
  KernelPackage package = makeVariants();
  package.kernels[1].conditions = {size("M mod 128")};
  Launcher launcher = unwrap(Launcher::load(device, package));
  Stream stream = unwrap(Stream::create(device));
  EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(100, 36, 128))),
            "kernel 'matmul' is not made for these arguments: "
            "'matmul_128x128' needs K mod 8 == 0, got 4 (K = 36 by dimension 1 "
            "of 'a'); 'matmul_plain' needs M mod 128 == 0, got 100 (M = 100 by "
            "dimension 0 of 'a')");
  EXPECT_EQ(getLaunch(), "none");
}

/// A package whose kernel gets the counter of programs as its first argument.
static KernelPackage makeDrawingPackage() {
  KernelPackage package = makePackage();
  KernelMetadata &kernel = package.kernels[0];
  kernel.persistent = true;
  ArgumentInfo counter;
  counter.kind = ArgumentInfo::Kind::Counter;
  kernel.arguments.insert(kernel.arguments.begin(), counter);
  return package;
}

TEST_F(LauncherTest, PersistentKernelsHaveAsManyBlocksAsRunAtOnce) {
  DeviceRef device = openDevice();
  KernelPackage package = makePackage();
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8});
  auto launch = [&] {
    Launcher launcher = unwrap(Launcher::load(device, package));
    EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(4096, 64, 4096))),
              "");
    return getLaunch();
  };
  EXPECT_EQ(launch(), "cuLaunchKernelEx matmul_128x128 grid=1024,1,1");
  package.kernels[0].persistent = true;
  EXPECT_EQ(launch(), "cuLaunchKernelEx matmul_128x128 grid=128,1,1");
  // Small blocks share a multiprocessor.
  package.kernels[0].threads = 128;
  EXPECT_EQ(launch(), "cuLaunchKernelEx matmul_128x128 grid=256,1,1");
}

TEST_F(LauncherTest, PersistentKernelsHaveAsManyClustersAsRunAtOnce) {
  KernelPackage package = makePackage();
  KernelMetadata &kernel = package.kernels[0];
  kernel.persistent = true;
  fakecuda::setArgumentSizes({8});
  auto launch = [&](int64_t m) {
    DeviceRef device = openDevice();
    Stream stream = unwrap(Stream::create(device));
    Launcher launcher = unwrap(Launcher::load(device, package));
    EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(m, 64, 128))), "");
    return getLaunch();
  };
  // Groups of 16 and 18 multiprocessors hold 64 and two pairs, 32 fours and 16
  // eights; the programs are shared out among as few as need no more rounds.
  kernel.cluster[0] = 2;
  EXPECT_EQ(launch(132 * 128), "cuLaunchKernelEx matmul_128x128 grid=132,1,1");
  kernel.cluster[0] = 4;
  EXPECT_EQ(launch(132 * 128), "cuLaunchKernelEx matmul_128x128 grid=68,1,1");
  EXPECT_EQ(launch(128 * 128), "cuLaunchKernelEx matmul_128x128 grid=128,1,1");
  EXPECT_EQ(launch(124 * 128), "cuLaunchKernelEx matmul_128x128 grid=124,1,1");
  EXPECT_THAT(logFrom("cuOccupancyMaxActiveClusters").front(),
              "cuOccupancyMaxActiveClusters 4,1,1 block=384,1,1 shared=200000");
  kernel.cluster[0] = 8;
  EXPECT_EQ(launch(1024 * 128), "cuLaunchKernelEx matmul_128x128 grid=128,1,1");
  // In a group of 18 two multiprocessors stay idle, and of small blocks four.
  kernel.threads = 128;
  EXPECT_EQ(launch(1024 * 128), "cuLaunchKernelEx matmul_128x128 grid=256,1,1");
  // A part of the machine.
  fakecuda::setMultiprocessorGroups({7, 9});
  kernel.threads = 384;
  kernel.cluster[0] = 4;
  EXPECT_EQ(launch(1024 * 128), "cuLaunchKernelEx matmul_128x128 grid=12,1,1");
}

TEST_F(LauncherTest, PersistentKernelsThatDrawHaveAllClusters) {
  KernelPackage package = makeDrawingPackage();
  package.kernels[0].cluster[0] = 4;
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8});
  Launcher launcher = unwrap(Launcher::load(device, package));
  EXPECT_EQ(
      textOf(launcher.launch(stream, makeArgumentsOf(132 * 128, 64, 128))), "");
  EXPECT_EQ(getLaunch(), "cuLaunchKernelEx matmul_128x128 grid=128,1,1");
}

TEST_F(LauncherTest, ClustersThatFitNowhere) {
  KernelPackage package = makePackage();
  KernelMetadata &kernel = package.kernels[0];
  kernel.cluster[0] = 8;
  fakecuda::setMultiprocessorGroups({7, 7});
  DeviceRef device = openDevice();
  for (bool persistent : {false, true}) {
    kernel.persistent = persistent;
    EXPECT_EQ(textOf(Launcher::load(device, package)),
              "kernel 'matmul' needs 8 blocks of a cluster to run at once, of "
              "384 threads and 200000 bytes of shared memory each, but 'Fake "
              "GPU' has no place for one");
  }
  // Without a cluster nothing is asked.
  kernel.cluster[0] = 1;
  kernel.persistent = false;
  size_t asked = fakecuda::getLog().size();
  unwrap(Launcher::load(device, package));
  std::vector<std::string> log = fakecuda::getLog();
  for (size_t i = asked; i < log.size(); ++i)
    EXPECT_THAT(log[i], testing::Not(HasSubstr("cuOccupancy")));
  // One along another axis is one as well.
  kernel.cluster[1] = 8;
  EXPECT_THAT(textOf(Launcher::load(device, package)),
              HasSubstr("needs 8 blocks of a cluster"));
}

class CounterTest : public LauncherTest {
protected:
  void SetUp() override {
    LauncherTest::SetUp();
    fakecuda::setArgumentSizes({8});
  }

  /// The address of the counter, in the order of the log's bytes.
  std::string launchOn(const Launcher &launcher, const Stream &stream) {
    EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(4096, 64, 4096))),
              "");
    std::string launch = fakecuda::getLog().back();
    EXPECT_THAT(launch, HasSubstr("cuLaunchKernelEx matmul_128x128"));
    return launch.substr(launch.rfind(' ') + 1);
  }
};

TEST_F(CounterTest, StreamsHaveOneEach) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeDrawingPackage()));
  EXPECT_THAT(logFrom("cuMemAlloc"),
              ElementsAre("cuMemAlloc 8192", "cuStreamCreate",
                          "cuMemsetD8Async 8192", "cuStreamSynchronize",
                          "cuStreamDestroy"));
  Stream one = unwrap(Stream::create(device)),
         two = unwrap(Stream::create(device));
  std::string first = launchOn(launcher, one);
  // All multiprocessors have a block: they need not have equal work.
  EXPECT_THAT(logFrom("cuLaunchKernelEx").front(), HasSubstr("grid=132,1,1"));
  EXPECT_NE(first, "0000000000000000");
  EXPECT_NE(launchOn(launcher, two), first);
  EXPECT_EQ(launchOn(launcher, one), first);
  // Kernels have counters of their own.
  Launcher other = unwrap(Launcher::load(device, makeDrawingPackage()));
  EXPECT_NE(launchOn(other, one), first);
}

TEST_F(CounterTest, CapturedLaunchesHaveOneEach) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeDrawingPackage()));
  Stream stream = unwrap(Stream::create(device));
  std::set<std::string> seen = {launchOn(launcher, stream)};
  size_t start = fakecuda::getLog().size();
  fakecuda::setCapturing(true);
  for (int i = 0; i < 100; ++i)
    EXPECT_TRUE(seen.insert(launchOn(launcher, stream)).second);
  // Memory cannot be allocated meanwhile.
  std::vector<std::string> log = fakecuda::getLog();
  for (size_t i = start; i < log.size(); ++i)
    EXPECT_THAT(log[i], testing::Not(HasSubstr("cuMemAlloc")));
}

TEST_F(CounterTest, ThereAreAlwaysSomeLeft) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makeDrawingPackage()));
  std::vector<Stream> streams;
  std::set<std::string> seen;
  for (int i = 0; i < 3000; ++i) {
    streams.push_back(unwrap(Stream::create(device)));
    EXPECT_TRUE(seen.insert(launchOn(launcher, streams.back())).second);
  }
  // 1024 in each buffer; half of them are for captured launches.
  auto countBuffers = [] {
    std::vector<std::string> log = fakecuda::getLog();
    return std::count(log.begin(), log.end(), "cuMemAlloc 8192");
  };
  EXPECT_EQ(countBuffers(), 6);
  fakecuda::setCapturing(true);
  for (int i = 0; i < 512; ++i)
    EXPECT_TRUE(seen.insert(launchOn(launcher, streams.back())).second);
  EXPECT_EQ(countBuffers(), 6);
}

TEST_F(CounterTest, FailuresAreReported) {
  DeviceRef device = openDevice();
  fakecuda::failAt("cuMemAlloc", 2);
  EXPECT_EQ(textOf(Launcher::load(device, makeDrawingPackage())),
            "cuMemAlloc: CUDA_ERROR_OUT_OF_MEMORY (out of memory)");
  Launcher launcher = unwrap(Launcher::load(device, makeDrawingPackage()));
  Stream stream = unwrap(Stream::create(device));
  for (const char *call : {"cuStreamIsCapturing", "cuStreamGetId"}) {
    fakecuda::failAt(call, 1);
    EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())),
              std::string(call) + ": CUDA_ERROR_INVALID_VALUE");
  }
}

/// The matrix product with one check, and with `count` programs.
KernelPackage makeCheckedPackage(llvm::StringRef count) {
  KernelPackage package = makePackage();
  KernelMetadata &kernel = package.kernels[0];
  ReportInfo &info = kernel.reports.emplace();
  info.axes = {{"m", size(count)}};
  info.checks.resize(3);
  ArgumentInfo argument;
  argument.kind = ArgumentInfo::Kind::Reports;
  kernel.arguments.push_back(argument);
  return package;
}

TEST_F(LauncherTest, WaitsForChecks) {
  DeviceRef device = openDevice();
  Launcher launcher =
      unwrap(Launcher::load(device, makeCheckedPackage("M ceildiv 64")));
  Stream stream = unwrap(Stream::create(device));
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())), "");
  // One word, and three of each of the four programs.
  EXPECT_THAT(logFrom("cuMemAlloc"),
              ElementsAre("cuMemAlloc 104", "cuMemsetD8Async 104",
                          "cuMemcpyHtoDAsync 8", "cuStreamSynchronize",
                          HasSubstr("cuLaunchKernelEx"),
                          "cuMemcpyDtoHAsync 104", "cuStreamSynchronize",
                          "cuMemFree"));
}

TEST_F(LauncherTest, ChecksThatCannotBeRead) {
  DeviceRef device = openDevice();
  Stream stream = unwrap(Stream::create(device));
  Launcher many =
      unwrap(Launcher::load(device, makeCheckedPackage("M * 4194304")));
  EXPECT_EQ(textOf(many.launch(stream, makeArguments())),
            "kernel 'matmul': the checks and prints of 1073741824 programs "
            "need more memory than a launch has for them; launch fewer "
            "programs, or compile without --checks");
  Launcher launcher = unwrap(Launcher::load(device, makeCheckedPackage("M")));
  for (const char *call : {"cuMemAlloc", "cuMemsetD8Async", "cuMemcpyHtoDAsync",
                           "cuMemcpyDtoHAsync"}) {
    fakecuda::failAt(call, 2);
    EXPECT_THAT(textOf(launcher.launch(stream, makeArguments())),
                HasSubstr(call));
  }
  fakecuda::setCapturing(true);
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())),
            "kernel 'matmul': a launch waits for the results of its checks, "
            "which a captured launch cannot; compile without --checks");
}

TEST_F(LauncherTest, MayStartBeforeTheLaunchInFrontEnds) {
  DeviceRef device = openDevice();
  KernelPackage package = makePackage();
  package.kernels[0].overlapsPrevious = true;
  Stream stream = unwrap(Stream::create(device));
  Launcher launcher = unwrap(Launcher::load(device, package));
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())), "");
  EXPECT_THAT(logFrom("cuLaunchKernelEx").front(),
              HasSubstr("shared=200000 attribute=6"));
}

TEST_F(LauncherTest, StartsAloneForManyRounds) {
  DeviceRef device = openDevice();
  KernelPackage package = makePackage();
  package.kernels[0].overlapsPrevious = true;
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setArgumentSizes({8});
  // 32 programs for each 128 of m, on 132 multiprocessors.
  auto overlaps = [&](int64_t m) {
    Launcher launcher = unwrap(Launcher::load(device, package));
    EXPECT_EQ(textOf(launcher.launch(stream, makeArgumentsOf(m, 64, 4096))),
              "");
    return logFrom("cuLaunchKernelEx").back().find("attribute=6") !=
           std::string::npos;
  };
  EXPECT_TRUE(overlaps(8192));
  package.kernels[0].persistent = true;
  EXPECT_TRUE(overlaps(128));
  EXPECT_TRUE(overlaps(7808));
  EXPECT_FALSE(overlaps(7936));
}

TEST_F(LauncherTest, WrongArgumentsReachNoDriver) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  Stream stream = unwrap(Stream::create(device));
  EXPECT_THAT(textOf(launcher.launch(stream, {})),
              HasSubstr("expected 4 arguments, got 0"));
  EXPECT_THAT(logFrom("cuStreamCreate"), ElementsAre("cuStreamCreate"));
}

TEST_F(LauncherTest, TensorsMustBeWithinReach) {
  DeviceRef device = openDevice();
  Launcher launcher = unwrap(Launcher::load(device, makePackage()));
  Stream stream = unwrap(Stream::create(device));
  fakecuda::setForeign(0x20000);
  EXPECT_EQ(textOf(launcher.launch(stream, makeArguments())),
            "kernel 'matmul': 'b' is not in memory that kernels on 'Fake GPU' "
            "can reach; it lies on the host or on another device");
  EXPECT_THAT(logFrom("cuStreamCreate"), ElementsAre("cuStreamCreate"));
}

} // namespace
