//===- EmulatedLaunchTest.cpp - Launches through the driver -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX that was written by hand, by the runtime and by bare calls of the driver.
//
//===----------------------------------------------------------------------===//

#include "OpenedDriver.h"
#include "Runtime/ScaleKernel.h"

#include "tessera/Runtime/Launcher.h"

#include "gmock/gmock.h"

#include <array>
#include <cstring>

using namespace tessera;
using emu::textOf;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::StartsWith;

namespace {

constexpr const char *kHeader = R"(.version 8.8
.target sm_90a
.address_size 64
)";

/// y[i] = by * x[i]. Line 1 of this is line 4 of the whole.
constexpr const char *kScale = R"(.visible .entry scale(
	.param .u64 x,
	.param .u64 y,
	.param .f32 by,
	.param .u32 n
)
.maxntid 128
{
	.reg .pred %p<2>;
	.reg .b32 %r<6>;
	.reg .f32 %f<4>;
	.reg .b64 %rd<6>;
	mov.u32 %r1, %tid.x;
	mov.u32 %r2, %ctaid.x;
	mov.u32 %r3, %ntid.x;
	mad.lo.u32 %r4, %r2, %r3, %r1;
	ld.param.u32 %r5, [n];
	setp.ge.u32 %p1, %r4, %r5;
	@%p1 bra $done;
	ld.param.u64 %rd1, [x];
	ld.param.u64 %rd2, [y];
	mul.wide.u32 %rd3, %r4, 4;
	add.s64 %rd4, %rd1, %rd3;
	add.s64 %rd5, %rd2, %rd3;
	ld.global.f32 %f1, [%rd4];
	ld.param.f32 %f2, [by];
	mul.f32 %f3, %f1, %f2;
	st.global.f32 [%rd5], %f3;
$done:
	ret;
}
)";

/// A launch without attributes on the default stream.
rt::CUlaunchConfig shape(std::array<unsigned, 3> grid,
                         std::array<unsigned, 3> block, unsigned shared = 0) {
  return {{grid[0], grid[1], grid[2]}, {block[0], block[1], block[2]}, shared,
          /*stream=*/nullptr,
          /*attributes=*/nullptr,
          /*numAttributes=*/0};
}

/// The package of kScale.
rt::KernelPackage makePackage() {
  rt::KernelPackage package;
  package.target = "sm_90a";
  package.ptx = {std::string(kHeader) + kScale};
  package.kernels = {rt::makeScale("scale")};
  return package;
}

class EmulatedLaunchTest : public emu::OpenedDriverTest {
protected:
  void SetUp() override {
    OpenedDriverTest::SetUp();
    emu::setLaunchHandler([this](const emu::LaunchReport &report) {
      ++launches;
      name = report.name.str();
      findings = report.findings.vec();
      statistics = report.statistics;
    });
  }
  void TearDown() override {
    emu::setLaunchHandler(nullptr);
    if (module)
      EXPECT_EQ(say(driver->cuModuleUnload(module)), "");
    for (rt::CUdeviceptr address : memory)
      EXPECT_EQ(say(driver->cuMemFree(address)), "");
  }

  rt::CUdeviceptr upload(llvm::ArrayRef<float> values) {
    size_t bytes = values.size() * sizeof(float);
    rt::CUdeviceptr address = 0;
    EXPECT_EQ(say(driver->cuMemAlloc(&address, bytes)), "");
    memory.push_back(address);
    EXPECT_EQ(
        say(driver->cuMemcpyHtoDAsync(address, values.data(), bytes, nullptr)),
        "");
    return address;
  }
  std::vector<float> download(rt::CUdeviceptr address, size_t count) {
    std::vector<float> values(count);
    EXPECT_EQ(say(driver->cuMemcpyDtoHAsync(values.data(), address,
                                            count * sizeof(float), nullptr)),
              "");
    return values;
  }

  /// Loads PTX without its header, and says what the driver does of it.
  std::string load(llvm::StringRef text) {
    return say(
        driver->cuModuleLoadData(&module, (kHeader + text).str().c_str()));
  }
  rt::CUfunction getFunction(const char *kernel) {
    rt::CUfunction function = nullptr;
    EXPECT_EQ(say(driver->cuModuleGetFunction(&function, module, kernel)), "");
    return function;
  }

  /// Launches with the parameters of kScale.
  std::string launch(rt::CUfunction function, rt::CUlaunchConfig config,
                     uint64_t x = 0, uint64_t y = 0, uint32_t n = 0) {
    float by = 2;
    void *parameters[] = {&x, &y, &by, &n};
    return say(
        driver->cuLaunchKernelEx(&config, function, parameters, nullptr));
  }

  rt::CUmodule module = nullptr;
  std::vector<rt::CUdeviceptr> memory;
  unsigned launches = 0;
  std::string name;
  std::vector<emu::Finding> findings;
  emu::Statistics statistics;
};

TEST_F(EmulatedLaunchTest, TheRuntimeRunsOnIt) {
  rt::KernelPackage package = makePackage();
  auto launcher = rt::Launcher::load(device, package);
  ASSERT_TRUE(bool(launcher)) << llvm::toString(launcher.takeError());
  auto stream = rt::Stream::create(device);
  ASSERT_TRUE(bool(stream));
  std::vector<float> values(200);
  for (int i = 0; i < 200; ++i)
    values[i] = i - 50;
  rt::TensorArgument x, y;
  x.address = upload(values);
  y.address = upload(std::vector<float>(200, -1));
  emu::forgetWrites(y.address);
  x.shape = y.shape = {200};
  EXPECT_EQ(textOf(launcher->launch(*stream, {x, 0.5, y})), "");
  EXPECT_EQ(textOf(stream->wait()), "");
  std::vector<float> result = download(y.address, 200);
  for (int i = 0; i < 200; ++i)
    EXPECT_EQ(result[i], (i - 50) * 0.5f) << i;
  EXPECT_EQ(emu::findUnwritten(y.address, 200, 4).count, 0u);
  EXPECT_EQ(launches, 1u);
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(statistics.ctas, 2u);
  EXPECT_EQ(name, "scale.ptx");
}

TEST_F(EmulatedLaunchTest, ElementsThatNoThreadWroteAreKnown) {
  ASSERT_EQ(load(kScale), "");
  std::vector<float> values(64, 1);
  uint64_t x = upload(values), y = upload(values);
  emu::forgetWrites(y);
  EXPECT_EQ(
      launch(getFunction("scale"), shape({1, 1, 1}, {32, 1, 1}), x, y, 20), "");
  emu::UnwrittenElements unwritten = emu::findUnwritten(y, 64, 4);
  EXPECT_EQ(unwritten.count, 44u);
  EXPECT_EQ(unwritten.first, 20u);
}

TEST_F(EmulatedLaunchTest, WhatIsWrongWithAKernelIsAFailedLaunch) {
  ASSERT_EQ(load(kScale), "");
  uint64_t x = upload(std::vector<float>(64, 1));
  uint64_t y = upload(std::vector<float>(60, 0));
  rt::CUfunction function = getFunction("scale");
  // The store is line 28 of the kernel, so line 31 of the module.
  std::string text = launch(function, shape({1, 1, 1}, {64, 1, 1}), x, y, 64);
  EXPECT_THAT(text,
              StartsWith("call: CUDA_ERROR_LAUNCH_FAILED (scale.ptx:31:"));
  ASSERT_FALSE(findings.empty());
  EXPECT_EQ(findings.front().where.line, 31u);
  EXPECT_THAT(text, HasSubstr(findings.front().text));
  // The device goes on.
  EXPECT_EQ(launch(function, shape({1, 1, 1}, {64, 1, 1}), x, y, 60), "");
  EXPECT_TRUE(findings.empty());
  EXPECT_EQ(download(y, 60)[59], 2);
}

TEST_F(EmulatedLaunchTest, LaunchesAreCheckedAsTheDriverDoes) {
  ASSERT_EQ(load(kScale), "");
  rt::CUfunction function = getFunction("scale");
  EXPECT_THAT(launch(function, shape({1, 1, 1}, {129, 1, 1})),
              HasSubstr("takes blocks of 1 to 128 threads, got 129"));
  EXPECT_THAT(launch(function, shape({1, 1, 1}, {64, 3, 1})),
              HasSubstr("takes blocks of 1 to 128 threads, got 192"));
  EXPECT_THAT(launch(function, shape({1, 0, 1}, {64, 1, 1})),
              HasSubstr("the grid has 1x0x1"));
  EXPECT_THAT(launch(function, shape({1, 65536, 1}, {64, 1, 1})),
              HasSubstr("the grid has 1x65536x1"));
  EXPECT_THAT(launch(function, shape({1, 1, 1}, {1, 1, 65})),
              HasSubstr("the block has 1x1x65"));
  EXPECT_THAT(launch(nullptr, shape({1, 1, 1}, {64, 1, 1})),
              HasSubstr("this is no kernel"));
  rt::CUlaunchConfig config = shape({1, 1, 1}, {64, 1, 1});
  EXPECT_THAT(
      say(driver->cuLaunchKernelEx(&config, function, nullptr, nullptr)),
      HasSubstr("parameter 0 of kernel 'scale' is missing"));
  config.stream = &config;
  EXPECT_THAT(launch(function, config), HasSubstr("this is no stream"));
  EXPECT_EQ(launches, 0u);
}

TEST_F(EmulatedLaunchTest, MuchSharedMemoryMustBeAllowed) {
  ASSERT_EQ(load(kScale), "");
  rt::CUfunction function = getFunction("scale");
  rt::CUlaunchConfig config = shape({1, 1, 1}, {32, 1, 1}, 49153);
  EXPECT_THAT(launch(function, config),
              HasSubstr("asks for 49153 bytes of shared memory; 49152 are"));
  config.sharedBytes = 49152;
  EXPECT_EQ(launch(function, config), "");
  EXPECT_EQ(say(driver->cuFuncSetAttribute(function, 8, 232448)), "");
  config.sharedBytes = 232448;
  EXPECT_EQ(launch(function, config), "");
  EXPECT_THAT(say(driver->cuFuncSetAttribute(function, 8, 232449)),
              HasSubstr("a block has at most 232448"));
  int value = 0;
  EXPECT_EQ(say(driver->cuFuncGetAttribute(&value, 8, function)), "");
  EXPECT_EQ(value, 232448);
}

TEST_F(EmulatedLaunchTest, AModuleThatIsLoadedAgainIsNew) {
  ASSERT_EQ(load(kScale), "");
  rt::CUfunction function = getFunction("scale");
  EXPECT_EQ(say(driver->cuFuncSetAttribute(function, 8, 60000)), "");
  EXPECT_EQ(say(driver->cuModuleUnload(module)), "");
  EXPECT_THAT(launch(function, shape({1, 1, 1}, {32, 1, 1})),
              HasSubstr("this is no kernel"));
  ASSERT_EQ(load(kScale), "");
  function = getFunction("scale");
  EXPECT_EQ(launch(function, shape({1, 1, 1}, {32, 1, 1})), "");
  EXPECT_THAT(launch(function, shape({1, 1, 1}, {32, 1, 1}, 60000)),
              HasSubstr("asks for 60000 bytes of shared memory"));
  // Twice at a time: each has its own functions.
  rt::CUmodule other = nullptr;
  ASSERT_EQ(say(driver->cuModuleLoadData(
                &other, (std::string(kHeader) + kScale).c_str())),
            "");
  EXPECT_NE(other, module);
  EXPECT_EQ(say(driver->cuModuleUnload(other)), "");
  EXPECT_EQ(launch(function, shape({1, 1, 1}, {32, 1, 1})), "");
}

TEST_F(EmulatedLaunchTest, ClustersDivideTheGrid) {
  ASSERT_EQ(load(kScale), "");
  rt::CUfunction function = getFunction("scale");
  rt::CUlaunchAttribute attribute = {4, {}, {}};
  auto set = [&](unsigned x, unsigned y, unsigned z) {
    attribute.value.cluster[0] = x;
    attribute.value.cluster[1] = y;
    attribute.value.cluster[2] = z;
  };
  rt::CUlaunchConfig config = {{6, 1, 1}, {32, 1, 1}, 0,
                               nullptr,   &attribute, 1};
  set(2, 1, 1);
  EXPECT_EQ(launch(function, config), "");
  EXPECT_EQ(statistics.ctas, 6u);
  set(4, 1, 1);
  EXPECT_EQ(launch(function, config),
            "call: CUDA_ERROR_INVALID_CLUSTER_SIZE (a grid of 6x1x1 blocks is "
            "not made of clusters of 4x1x1)");
  set(0, 1, 1);
  EXPECT_THAT(launch(function, config), HasSubstr("1 to 8 blocks"));
  config.grid[0] = 16;
  set(16, 1, 1);
  EXPECT_THAT(launch(function, config), HasSubstr("1 to 8 blocks"));
  EXPECT_EQ(say(driver->cuFuncSetAttribute(function, 14, 1)), "");
  EXPECT_EQ(launch(function, config), "");
  attribute.id = 6;
  attribute.value.enabled = 1;
  EXPECT_EQ(launch(function, config), "");
  attribute.id = 77;
  EXPECT_THAT(launch(function, config),
              HasSubstr("CUDA_ERROR_NOT_SUPPORTED (the emulator does not know "
                        "attribute 77 of launches)"));
}

TEST_F(EmulatedLaunchTest, WhatOverlapsTheLaunchBeforeWaitsForIt) {
  ASSERT_EQ(load(".global .u32 v;\n.visible .entry k()\n"
                 "{ st.global.u32 [v], 1; ret; }\n"),
            "");
  rt::CUfunction function = getFunction("k");
  rt::CUlaunchAttribute attribute = {6, {}, {}};
  rt::CUlaunchConfig config = {{1, 1, 1}, {1, 1, 1}, 0, nullptr, &attribute, 1};
  attribute.value.enabled = 0;
  EXPECT_EQ(launch(function, config), "");
  attribute.value.enabled = 1;
  EXPECT_THAT(launch(function, config),
              HasSubstr("expected a griddepcontrol.wait"));
}

TEST_F(EmulatedLaunchTest, TheDirectivesOfAKernelHold) {
  ASSERT_EQ(load(".visible .entry k()\n.reqntid 32, 2\n"
                 ".explicitcluster\n.reqnctapercluster 2, 1, 1\n{ ret; }\n"),
            "");
  rt::CUfunction function = getFunction("k");
  EXPECT_THAT(launch(function, shape({2, 1, 1}, {64, 1, 1})),
              HasSubstr("requires others (.reqntid)"));
  EXPECT_THAT(launch(function, shape({3, 1, 1}, {32, 2, 1})),
              HasSubstr("is not made of clusters of 2x1x1"));
  EXPECT_EQ(launch(function, shape({2, 1, 1}, {32, 2, 1})), "");
  rt::CUlaunchAttribute attribute = {4, {}, {}};
  attribute.value.cluster[0] = attribute.value.cluster[1] = 1;
  attribute.value.cluster[2] = 1;
  EXPECT_THAT(
      launch(function, {{2, 1, 1}, {32, 2, 1}, 0, nullptr, &attribute, 1}),
      HasSubstr("clusters of 1x1x1 blocks, but kernel 'k' of 2x1x1"));
  int value = 0;
  EXPECT_EQ(say(driver->cuFuncGetAttribute(&value, 0, function)), "");
  EXPECT_EQ(value, 64);
}

TEST_F(EmulatedLaunchTest, PersistentGridsFollowFromTheMultiprocessors) {
  ASSERT_EQ(load(kScale), "");
  rt::CUfunction function = getFunction("scale");
  int count = -1;
  EXPECT_EQ(say(driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &count, function, 128, 0)),
            "");
  EXPECT_EQ(count, 1);
  EXPECT_EQ(say(driver->cuOccupancyMaxActiveBlocksPerMultiprocessor(
                &count, function, 256, 0)),
            "");
  EXPECT_EQ(count, 0);
  emu::DeviceOptions options;
  options.multiprocessors = 5;
  emu::setDeviceOptions(options);
  rt::CUlaunchAttribute attribute = {4, {}, {}};
  attribute.value.cluster[0] = 2;
  attribute.value.cluster[1] = attribute.value.cluster[2] = 1;
  rt::CUlaunchConfig config = {{2, 1, 1}, {32, 1, 1}, 0,
                               nullptr,   &attribute, 1};
  EXPECT_EQ(
      say(driver->cuOccupancyMaxActiveClusters(&count, function, &config)), "");
  EXPECT_EQ(count, 2);
  config.grid[0] = attribute.value.cluster[0] = 8;
  EXPECT_EQ(
      say(driver->cuOccupancyMaxActiveClusters(&count, function, &config)), "");
  EXPECT_EQ(count, 1);
}

TEST_F(EmulatedLaunchTest, ParametersHaveTheirDeclaredSizes) {
  // The bytes of each parameter, one after the other.
  ASSERT_EQ(load(R"(.visible .entry take(
	.param .u64 to,
	.param .u8 a,
	.param .u16 b,
	.param .align 64 .b8 c[128]
)
{
	.reg .b16 %h<3>;
	.reg .b32 %r<4>;
	.reg .b64 %rd<2>;
	ld.param.u64 %rd1, [to];
	ld.param.u8 %h1, [a];
	cvt.u32.u16 %r1, %h1;
	st.global.u32 [%rd1], %r1;
	ld.param.u16 %h2, [b];
	cvt.u32.u16 %r2, %h2;
	st.global.u32 [%rd1+4], %r2;
	ld.param.u32 %r3, [c+124];
	st.global.u32 [%rd1+8], %r3;
	ret;
}
)"),
            "");
  uint64_t to = upload({0, 0, 0});
  uint8_t a = 200;
  uint16_t b = 60000;
  uint32_t c[32] = {};
  c[31] = 0xdeadbeef;
  void *parameters[] = {&to, &a, &b, c};
  rt::CUlaunchConfig config = shape({1, 1, 1}, {1, 1, 1});
  EXPECT_EQ(say(driver->cuLaunchKernelEx(&config, getFunction("take"),
                                         parameters, nullptr)),
            "");
  std::vector<float> bits = download(to, 3);
  std::vector<uint32_t> words(3);
  memcpy(words.data(), bits.data(), 12);
  EXPECT_THAT(words, ElementsAre(200u, 60000u, 0xdeadbeefu));
}

TEST_F(EmulatedLaunchTest, WhatCannotBeLoadedSaysWhy) {
  auto say = [&](const std::string &image) {
    return this->say(driver->cuModuleLoadData(&module, image.c_str()));
  };
  EXPECT_EQ(say("\x7f"
                "ELF"),
            "call: CUDA_ERROR_NO_BINARY_FOR_GPU (the image is machine code, "
            "which the emulator cannot run; give it PTX)");
  EXPECT_THAT(say("hello"), HasSubstr("CUDA_ERROR_INVALID_PTX (module.ptx:1:"));
  EXPECT_THAT(say(""), HasSubstr("CUDA_ERROR_INVALID_PTX"));
  EXPECT_THAT(
      say(".version 8.8\n.target sm_100a\n.address_size 64\n"),
      HasSubstr("the PTX is for sm_100a; the emulated device is sm_90"));
  EXPECT_EQ(module, nullptr);
  ASSERT_EQ(say(".version 7.0\n.target sm_80\n.address_size 64\n"), "");
  rt::CUfunction function = nullptr;
  EXPECT_THAT(
      this->say(driver->cuModuleGetFunction(&function, module, "no")),
      HasSubstr("CUDA_ERROR_NOT_FOUND (module.ptx has no kernel 'no')"));
}

TEST_F(EmulatedLaunchTest, AnUnknownInstructionIsThatOfItsKernel) {
  ASSERT_EQ(load(".visible .entry good()\n{ ret; }\n"
                 ".visible .entry bad()\n{\n  frobnicate.b32;\n  ret;\n}\n"),
            "");
  rt::CUfunction function = nullptr;
  EXPECT_THAT(say(driver->cuModuleGetFunction(&function, module, "bad")),
              StartsWith("call: CUDA_ERROR_INVALID_PTX (good.ptx:8:3: "));
  EXPECT_EQ(launch(getFunction("good"), shape({1, 1, 1}, {32, 1, 1})), "");
}

TEST_F(EmulatedLaunchTest, NamesTheSourceWhereALineTableDoes) {
  emu::Module table;
  table.files = {"", "dir/kernel.tile"};
  emu::Location where;
  where.line = 345;
  where.column = 3;
  EXPECT_EQ(emu::toString(where, table, "k.ptx"), "k.ptx:345:3");
  where.file = 1;
  where.sourceLine = 12;
  where.sourceColumn = 7;
  EXPECT_EQ(emu::toString(where, table, "k.ptx"), "dir/kernel.tile:12:7");
  where.sourceColumn = 0;
  EXPECT_EQ(emu::toString(where, table, "k.ptx"), "dir/kernel.tile:12:1");
  where.sourceLine = 0;
  EXPECT_EQ(emu::toString(where, table, "k.ptx"), "k.ptx:345:3");
  where.sourceLine = 12;
  where.file = 2;
  EXPECT_EQ(emu::toString(where, table, "k.ptx"), "k.ptx:345:3");
}

} // namespace
