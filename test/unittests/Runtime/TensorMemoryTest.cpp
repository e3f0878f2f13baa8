//===- TensorMemoryTest.cpp - The memory that arguments take ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Overlaps, against a list of all bytes, and what a launch refuses.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/TensorMemory.h"

#include "KernelFixture.h"

#include "gmock/gmock.h"
#include <random>
#include <set>

using namespace tessera::rt;
using tessera::array::ElementType;
using testing::HasSubstr;

namespace {

using Vector = llvm::SmallVector<int64_t, 5>;

TensorArgument view(uint64_t address, Vector shape, Vector strides,
                    ElementType type = ElementType::F32) {
  return {address, type, std::move(shape), std::move(strides)};
}

/// The address of each element.
std::vector<uint64_t> listElements(const TensorArgument &tensor) {
  std::vector<uint64_t> places = {tensor.address};
  for (size_t d = 0; d < tensor.shape.size(); ++d) {
    std::vector<uint64_t> next;
    for (uint64_t place : places)
      for (int64_t i = 0; i < tensor.shape[d]; ++i)
        next.push_back(place + i * tensor.strides[d] *
                                   tessera::array::getByteSize(tensor.dtype));
    places = std::move(next);
  }
  return places;
}

std::set<uint64_t> listBytes(const TensorArgument &tensor) {
  std::set<uint64_t> bytes;
  for (uint64_t place : listElements(tensor))
    for (unsigned i = 0; i < tessera::array::getByteSize(tensor.dtype); ++i)
      bytes.insert(place + i);
  return bytes;
}

TEST(TensorMemory, AgreesWithAListOfAllBytes) {
  std::mt19937 random(5);
  auto draw = [&](int low, int high) {
    return std::uniform_int_distribution<int>(low, high)(random);
  };
  const ElementType types[] = {ElementType::F64, ElementType::F32,
                               ElementType::BF16, ElementType::I8};
  auto drawTensor = [&] {
    TensorArgument tensor;
    tensor.dtype = types[draw(0, 3)];
    tensor.address = 1000 + draw(0, 60);
    for (int d = draw(0, 3); d > 0; --d) {
      tensor.shape.push_back(draw(0, 12) ? draw(1, 5) : 0);
      tensor.strides.push_back(draw(-9, 9));
    }
    return tensor;
  };
  unsigned overlapping = 0, twofold = 0;
  for (int i = 0; i < 20000; ++i) {
    TensorArgument a = drawTensor(), b = drawTensor();
    std::set<uint64_t> ofA = listBytes(a), ofB = listBytes(b), both;
    llvm::for_each(ofA, [&](uint64_t x) {
      ofB.count(x) ? both.insert(x).first : both.end();
    });
    ASSERT_EQ(findOverlap(a, b) == Overlap::Some, !both.empty()) << i;
    ASSERT_NE(findOverlap(a, b), Overlap::Unknown) << i;
    std::vector<uint64_t> places = listElements(a);
    bool isTwofold = std::set<uint64_t>(places.begin(), places.end()).size() !=
                     places.size();
    ASSERT_EQ(findSelfOverlap(a) == Overlap::Some, isTwofold) << i;
    ASSERT_NE(findSelfOverlap(a), Overlap::Unknown) << i;
    overlapping += !both.empty();
    twofold += isTwofold;
  }
  EXPECT_GT(overlapping, 2000u);
  EXPECT_GT(twofold, 2000u);
}

TEST(TensorMemory, ViewsOfOneBuffer) {
  // q, k and v side by side in rows of 3 x 128, for 2^20 tokens and 16 heads.
  auto part = [](int64_t i) {
    return view(0x10000 + i * 128 * 4, {1 << 20, 16, 128},
                {3 * 128 * 16, 3 * 128, 1});
  };
  EXPECT_EQ(findOverlap(part(0), part(1)), Overlap::None);
  EXPECT_EQ(findOverlap(part(0), part(2)), Overlap::None);
  EXPECT_EQ(findOverlap(part(1), part(1)), Overlap::Some);
  // Even and odd rows, one of them upside down.
  EXPECT_EQ(findOverlap(view(0x1000, {64, 32}, {64, 1}),
                        view(0x1000 + 127 * 32 * 4, {64, 32}, {-64, 1})),
            Overlap::None);
  EXPECT_EQ(findSelfOverlap(part(0)), Overlap::None);
}

TEST(TensorMemory, StridesThatTakeTooLong) {
  // Some sums of these are the distance or are equal, but only long lists of
  // sums show it; programs have no such views.
  TensorArgument meshed = view(1 << 20, {1000, 1000, 1000, 1000},
                               {1000003, 1000033, 1000037, 1000039});
  TensorArgument single =
      view((1 << 20) + int64_t(4000000004), {1, 1, 1, 1}, {1, 1, 1, 1});
  EXPECT_EQ(findOverlap(meshed, single), Overlap::Unknown);
  EXPECT_EQ(findSelfOverlap(meshed), Overlap::Unknown);

  KernelMetadata kernel;
  kernel.name = "copy";
  for (const char *name : {"x", "y"}) {
    ParameterInfo info;
    info.name = name;
    for (int d = 0; d < 4; ++d)
      info.dims.push_back(size("1000"));
    info.dense = false;
    kernel.parameters.push_back(info);
  }
  kernel.parameters[1].access = ParameterInfo::Access::Write;
  EXPECT_EQ(textOf(planLaunch(kernel, {meshed, single})),
            "kernel 'copy': 'y' is written, and its strides do not keep it "
            "apart from 'x' in memory; give it memory of its own");
  EXPECT_EQ(textOf(planLaunch(kernel, {single, meshed})),
            "kernel 'copy': 'y' is written, and its strides do not show that "
            "its elements lie apart");
}

/// The error of a launch of the matrix product after `change`.
template <typename Change>
std::string planChanged(Change change) {
  KernelMetadata kernel = makeMatmul();
  std::vector<Argument> arguments = {makeTensor(0x100000, 256, 192),
                                     makeTensor(0x200000, 192, 128),
                                     makeTensor(0x300000, 256, 128), 0.5};
  auto tensor = [&](unsigned i) -> TensorArgument & {
    return std::get<TensorArgument>(arguments[i]);
  };
  change(kernel, tensor);
  return textOf(planLaunch(kernel, arguments));
}

TEST(TensorMemory, LaunchesThatAreRefused) {
  EXPECT_EQ(planChanged([](auto &, auto tensor) { tensor(1).address = 0; }),
            "kernel 'matmul': 'b' has elements, but its address is 0");
  EXPECT_EQ(planChanged([](auto &, auto tensor) { tensor(1).address = -4096; }),
            "kernel 'matmul': the elements of 'b' reach beyond the address "
            "space");
  EXPECT_EQ(planChanged(
                [](auto &, auto tensor) { tensor(0).strides = {-1 << 20, 1}; }),
            "kernel 'matmul': the elements of 'a' reach beyond the address "
            "space");
  EXPECT_EQ(
      planChanged([](auto &, auto tensor) { tensor(2).address = 0x200000; }),
      "kernel 'matmul': 'c' is written, and overlaps 'b' in memory; give "
      "it memory of its own");
  EXPECT_EQ(
      planChanged([](auto &, auto tensor) { tensor(1).address = 0x100000; }),
      "")
      << "two that are read";
  EXPECT_EQ(planChanged([](auto &kernel, auto tensor) {
              kernel.parameters[2].dense = false;
              tensor(2).strides = {0, 1};
            }),
            "kernel 'matmul': 'c' is written, but several of its elements lie "
            "at one address");
  EXPECT_EQ(planChanged([](auto &kernel, auto tensor) {
              kernel.parameters[1].access = ParameterInfo::Access::ReadWrite;
              tensor(2).address = 0x200000;
            }),
            "kernel 'matmul': 'b' is written, and overlaps 'c' in memory; give "
            "it memory of its own");
}

TEST(TensorMemory, NumbersBeyondAFloat) {
  std::vector<Argument> arguments = makeArguments();
  arguments[3] = 1e300;
  EXPECT_THAT(textOf(planLaunch(makeMatmul(), arguments)),
              HasSubstr("the value 1.000000e+300 of 'alpha' does not fit in "
                        "f32"));
  arguments[3] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(textOf(planLaunch(makeMatmul(), arguments)), "");
}

} // namespace
