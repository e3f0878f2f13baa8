//===- LaunchPlanTest.cpp - From arguments to a launch ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Tests the plan of a launch, and the diagnostic of each wrong argument.
//
//===----------------------------------------------------------------------===//

#include "KernelFixture.h"

#include "gmock/gmock.h"

using namespace tessera::rt;
using tessera::array::ElementType;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

TEST(LaunchPlan, ComputesTheLaunch) {
  LaunchPlan plan = unwrap(planLaunch(makeMatmul(), makeArguments()));
  EXPECT_THAT(plan.sizes, ElementsAre(256, 192, 128));
  EXPECT_THAT(plan.grid, ElementsAre(2, 1, 1));
  ASSERT_EQ(plan.tensorMaps.size(), 2u);
  const TensorMapArguments &a = plan.tensorMaps[0];
  EXPECT_EQ(a.type, 9);
  EXPECT_EQ(a.address, 0x10000u);
  EXPECT_THAT(a.dims, ElementsAre(192, 256));
  EXPECT_THAT(a.strides, ElementsAre(384));
  EXPECT_THAT(a.box, ElementsAre(64, 128));
  EXPECT_THAT(a.elementStrides, ElementsAre(1, 1));
  EXPECT_EQ(a.swizzle, 3);
  ASSERT_EQ(plan.arguments.size(), 6u);
  EXPECT_THAT(plan.arguments[0], ElementsAre()) << "a map, by its recipe";
  EXPECT_THAT(plan.arguments[2], ElementsAre(0, 0, 3, 0, 0, 0, 0, 0));
  EXPECT_THAT(plan.arguments[3], ElementsAre(0, 0, 0, 0x3f)) << "0.5 as f32";
  EXPECT_THAT(plan.arguments[4], ElementsAre(3, 0, 0, 0)) << "192 ceildiv 64";
  EXPECT_THAT(plan.arguments[5], ElementsAre(192, 0, 0, 0, 0, 0, 0, 0));
}

TEST(LaunchPlan, StridesReachTheMaps) {
  std::vector<Argument> arguments = makeArguments();
  std::get<TensorArgument>(arguments[0]).strides = {512, 1};
  std::get<TensorArgument>(arguments[2]).address = 0x80000;
  LaunchPlan plan = unwrap(planLaunch(makeMatmul(), arguments));
  EXPECT_THAT(plan.tensorMaps[0].strides, ElementsAre(1024));
  EXPECT_THAT(plan.arguments[5], ElementsAre(0, 2, 0, 0, 0, 0, 0, 0));
}

TEST(LaunchPlan, AnEmptyGridIsNoLaunch) {
  std::vector<Argument> arguments = {makeTensor(0, 0, 192),
                                     makeTensor(0x20000, 192, 128),
                                     makeTensor(0, 0, 128), 1.0};
  LaunchPlan plan = unwrap(planLaunch(makeMatmul(), arguments));
  EXPECT_TRUE(plan.isEmpty());
}

TEST(LaunchPlan, SizesOfTheCallerAndOfScalars) {
  KernelMetadata kernel = makeMatmul();
  kernel.sizes.push_back("splits");
  kernel.grid[1] = size("splits");
  EXPECT_EQ(textOf(planLaunch(kernel, makeArguments())),
            "kernel 'matmul': no argument gives size 'splits' its value; pass "
            "it with the launch");
  EXPECT_EQ(
      unwrap(planLaunch(kernel, makeArguments(), {{"splits", 4}})).grid[1], 4u);
  EXPECT_EQ(textOf(planLaunch(kernel, makeArguments(), {{"parts", 4}})),
            "kernel 'matmul': there is no size 'parts'");
  kernel.parameters[3].name = "splits";
  kernel.parameters[3].dtype = ElementType::I32;
  std::vector<Argument> arguments = makeArguments();
  arguments[3] = int64_t(5);
  EXPECT_EQ(unwrap(planLaunch(kernel, arguments)).grid[1], 5u);
  EXPECT_EQ(textOf(planLaunch(kernel, arguments, {{"splits", 4}})),
            "kernel 'matmul': expected 'splits' to be 4, as the caller says, "
            "got 5");
}

TEST(LaunchPlan, DimensionsBindThroughConstants) {
  KernelMetadata kernel = makeMatmul();
  kernel.parameters[0].dims[0] = size("M + 1");
  std::vector<Argument> arguments = makeArguments();
  std::get<TensorArgument>(arguments[0]).shape[0] = 257;
  EXPECT_EQ(unwrap(planLaunch(kernel, arguments)).sizes[0], 256);
  std::get<TensorArgument>(arguments[0]).shape[0] = 0;
  EXPECT_EQ(textOf(planLaunch(kernel, arguments)),
            "kernel 'matmul': size 'M' is -1, by dimension 0 of 'a'");
}

/// The error of a launch of `kernel` after `change` of its arguments.
template <typename Change>
std::string planChanged(Change change, KernelMetadata kernel = makeMatmul()) {
  std::vector<Argument> arguments = makeArguments();
  change(arguments);
  return textOf(planLaunch(kernel, arguments));
}

TensorArgument &tensor(std::vector<Argument> &arguments, unsigned i) {
  return std::get<TensorArgument>(arguments[i]);
}

TEST(LaunchPlan, MismatchesNameTheDimensionThatBinds) {
  EXPECT_EQ(planChanged([](auto &a) { tensor(a, 1).shape[0] = 64; }),
            "kernel 'matmul': expected dimension 0 of 'b' to be K = 192 (K = "
            "192 by dimension 1 of 'a'), got 64");
  KernelMetadata kernel = makeMatmul();
  kernel.equalities = {{size("N mod 96"), size("0")}};
  EXPECT_EQ(planChanged([](auto &) {}, kernel),
            "kernel 'matmul': expected N mod 96 == 0, got 32 (N = 128 by "
            "dimension 1 of 'b') and 0");
}

TEST(LaunchPlan, ArgumentsOfTheWrongKind) {
  EXPECT_THAT(planChanged([](auto &a) { a.pop_back(); }),
              HasSubstr("expected 4 arguments, got 3"));
  EXPECT_THAT(planChanged([](auto &a) { a[0] = 1.0; }),
              HasSubstr("expected 'a' to be a tensor, got a scalar"));
  EXPECT_THAT(planChanged([](auto &a) { a[3] = a[0]; }),
              HasSubstr("expected 'alpha' to be a scalar, got a tensor"));
  EXPECT_THAT(planChanged([](auto &a) { a[3] = int64_t(1); }),
              HasSubstr("expected 'alpha' to be f32, got an integer"));
  EXPECT_THAT(
      planChanged([](auto &a) { tensor(a, 0).dtype = ElementType::F16; }),
      HasSubstr("expected 'a' to have elements of bf16, got f16"));
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 0).shape = {256}; }),
              HasSubstr("expected 'a' to have rank 2, got 1"));
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 0).strides = {1}; }),
              HasSubstr("expected 2 strides for 'a', got 1"));
  KernelMetadata kernel = makeMatmul();
  kernel.parameters[3].dtype = ElementType::I8;
  EXPECT_THAT(planChanged([](auto &a) { a[3] = int64_t(300); }, kernel),
              HasSubstr("the value 300 of 'alpha' does not fit in i8"));
  kernel.parameters[3].dtype = ElementType::F16;
  EXPECT_THAT(planChanged([](auto &a) { a[3] = 65520.0; }, kernel),
              HasSubstr("of 'alpha' does not fit in f16"));
}

TEST(LaunchPlan, TensorsThatDoNotFitInMemory) {
  EXPECT_THAT(
      planChanged([](auto &a) { tensor(a, 0).shape = {-1, 192}; }),
      HasSubstr("the shape of 'a' has a negative extent or is too large"));
  EXPECT_THAT(
      planChanged([](auto &a) {
        tensor(a, 0).shape = {int64_t(1) << 40, int64_t(1) << 40};
      }),
      HasSubstr("the shape of 'a' has a negative extent or is too large"));
  EXPECT_THAT(
      planChanged([](auto &a) { tensor(a, 0).strides = {INT64_MAX, 1}; }),
      HasSubstr("a stride of 'a' is too large"));
  EXPECT_THAT(
      planChanged([](auto &a) { tensor(a, 2).strides = {256, 1}; }),
      HasSubstr("expected 'c' to be dense and row-major; copy it first"));
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 2).address += 1; }),
              HasSubstr("expected the address of 'c' to be a multiple of 2 "
                        "bytes; copy it first"));
}

TEST(LaunchPlan, AnotherVariantMayTakeTensorsThatAreNotAligned) {
  KernelMetadata kernel = makeMatmul();
  kernel.alignments = {{2, 16}};
  std::vector<Argument> arguments = makeArguments();
  EXPECT_TRUE(bool(planLaunch(kernel, arguments)));
  tensor(arguments, 2).address += 8;
  auto plan = planLaunch(kernel, arguments);
  llvm::Error error = plan.takeError();
  EXPECT_TRUE(error.isA<ConditionError>());
  EXPECT_THAT(llvm::toString(std::move(error)),
              HasSubstr("'matmul_128x128' needs the address of 'c' to be a "
                        "multiple of 16 bytes"));
}

TEST(LaunchPlan, TensorsThatMapsCannotReach) {
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 0).address += 8; }),
              HasSubstr("'a' cannot be copied by tensor maps: its address is "
                        "no multiple of 16 bytes"));
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 0).strides = {196, 1}; }),
              HasSubstr("its stride in dimension 0 is 392 bytes, expected a "
                        "multiple of 16 below 2^40"));
  EXPECT_THAT(planChanged([](auto &a) { tensor(a, 0).strides = {1, 256}; }),
              HasSubstr("its stride in dimension 1 is 256, expected 1"));
  auto planWith = [](auto change) {
    KernelMetadata kernel = makeMatmul();
    change(kernel.tensorMaps[0]);
    return planChanged([](auto &) {}, kernel);
  };
  EXPECT_THAT(planWith([](auto &map) { map.box[1] = 257; }),
              HasSubstr("its box has 257 elements in dimension 0, expected 1 "
                        "to 256"));
  EXPECT_THAT(planWith([](auto &map) { map.box[0] = 128; }),
              HasSubstr("the inner extent of its box is 256 bytes, expected a "
                        "multiple of 16 up to the swizzle's 128"));
  EXPECT_THAT(planWith([](auto &map) { map.box[0] = 4; }),
              HasSubstr("the inner extent of its box is 8 bytes"));
  EXPECT_THAT(planWith([](auto &map) { map.elementStrides = {1, 9}; }),
              HasSubstr("its element stride is 9, expected 1 to 8"));

  // An empty tensor gets memory of the launcher, for reads and for writes.
  KernelMetadata kernel = makeMatmul();
  kernel.grid[0] = size("1");
  auto dropRows = [](auto &a) {
    tensor(a, 0).shape[0] = tensor(a, 2).shape[0] = 0;
  };
  EXPECT_EQ(planChanged(dropRows, kernel), "");
  kernel.tensorMaps[0].parameter = 2;
  EXPECT_EQ(planChanged(dropRows, kernel), "");
  ParameterInfo wide = kernel.parameters[0];
  TensorArgument tall;
  tall.shape = {(int64_t(1) << 32) + 1, 128};
  tall.strides = {128, 1};
  EXPECT_THAT(textOf(planTensorMap(kernel.tensorMaps[1], wide, tall)),
              HasSubstr("its extent 4294967297 in dimension 0 is not between 1 "
                        "and 2^32"));
  TensorMapRecipe recipe;
  recipe.order = {0, 1, 2, 3, 4, 5};
  EXPECT_THAT(textOf(planTensorMap(recipe, wide, {})),
              HasSubstr("its rank is 6, expected 1 to 5"));
}

TEST(LaunchPlan, MapsOfEmptyTensorsAreOverAStandIn) {
  std::vector<Argument> arguments = makeArguments();
  tensor(arguments, 0).shape = {256, 0};
  tensor(arguments, 1).shape = {0, 128};
  tensor(arguments, 0).strides = {3, 1};
  LaunchPlan plan = unwrap(planLaunch(makeMatmul(), arguments));
  for (const TensorMapArguments &map : plan.tensorMaps) {
    EXPECT_EQ(map.memory, TensorMapArguments::Memory::Zero);
    EXPECT_EQ(map.address, 0u);
    EXPECT_THAT(map.dims, ElementsAre(1, 1));
    EXPECT_THAT(map.strides, ElementsAre(16));
    EXPECT_THAT(map.box, ElementsAre(64, 128));
  }
  plan = unwrap(planLaunch(makeMatmul(), makeArguments()));
  EXPECT_EQ(plan.tensorMaps[0].memory, TensorMapArguments::Memory::Argument);

  // Writes must not reach the memory from which other launches read zeros.
  KernelMetadata kernel = makeMatmul();
  for (auto access :
       {ParameterInfo::Access::Write, ParameterInfo::Access::ReadWrite}) {
    kernel.parameters[0].access = access;
    plan = unwrap(planLaunch(kernel, arguments));
    EXPECT_EQ(plan.tensorMaps[0].memory, TensorMapArguments::Memory::Sink);
    EXPECT_EQ(plan.tensorMaps[1].memory, TensorMapArguments::Memory::Zero);
  }
}

TEST(LaunchPlan, StridesOfExtentsOfOneDoNotMatter) {
  // One row of 4 bytes: neither stride is ever used.
  KernelMetadata kernel = makeMatmul();
  std::vector<Argument> arguments = {makeTensor(0x10000, 1, 192),
                                     makeTensor(0x20000, 192, 128),
                                     makeTensor(0x30000, 1, 128), 1.0};
  tensor(arguments, 0).strides = {3, 1};
  tensor(arguments, 2).strides = {77, 1};
  LaunchPlan plan = unwrap(planLaunch(kernel, arguments));
  EXPECT_THAT(plan.tensorMaps[0].strides, ElementsAre(16));
}

TEST(LaunchPlan, GridsThatDoNotFit) {
  auto planWith = [](auto change) {
    KernelMetadata kernel = makeMatmul();
    change(kernel);
    return planChanged([](auto &) {}, kernel);
  };
  EXPECT_THAT(planWith([](auto &k) { k.cluster[0] = 4; }),
              HasSubstr("the grid has 2 blocks along x, expected a multiple of "
                        "the cluster's 4"));
  EXPECT_THAT(planWith([](auto &k) { k.grid[1] = size("65536"); }),
              HasSubstr("the grid has 65536 blocks along y, expected 0 to "
                        "65535"));
  EXPECT_THAT(planWith([](auto &k) { k.grid[2] = size("M - 257"); }),
              HasSubstr("the grid has -1 blocks along z"));
  EXPECT_THAT(planWith([](auto &k) { k.grid[0] = size("M mod (K - 192)"); }),
              HasSubstr("the divisor is 0"));
  EXPECT_THAT(
      planWith([](auto &k) { k.arguments[4].size = size("M * 100000000"); }),
      HasSubstr("M * 100000000 is 25600000000, but the kernel takes it "
                "in 32 bits"));
}

} // namespace
