//===- LayoutTest.cpp - Layouts: form, text, evaluation ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/InverseMap.h"
#include "tessera/Layout/OffsetMap.h"
#include "llvm/ADT/STLExtras.h"
#include <map>

using namespace tessera::layout;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

/// One of everything: fragments, swizzles, broadcasts, counts above counts.
const char *const kLayouts[] = {
    "scalar =",
    "scalar = lane[32*()]",
    "1x1 =",
    "96 = register[3*(32)] lane[32*(1)]",
    "64x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] lane[4*(0,2) 8*(1,0)] "
    "warp[4*(16,0)]",
    "128x192 = register[2*(0,1) 2*(8,0) 12*(0,8)] lane[4*(0,2) 8*(1,0)] "
    "warp[8*(16,0)] cta[2*(0,96)]",
    "64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]",
    "8x64 = offset[64*(0,1) 8*(1,8)]",
    "176x128 = offset[64*(0,1) 8*(1,8) 22*(8,0) 2*(0,64)]",
    "30x7 = register[5*(6,0) 7*(0,1)] lane[2*(3,0) 3*(1,0)]",
    "8 = register[2*(1)] lane[2*(3) 4*(2)]",
    "4 = lane[2*(3) 2*(0) 4*(1)]",
    "12 = register[3*(1) 3*(0) 4*(3)] warp[5*(0)]",
    "2x3x5x7 = lane[2*(1,0,0,0) 3*(0,1,0,0)] warp[5*(0,0,1,0) 7*(0,0,0,1)]",
};

class EveryLayout : public testing::TestWithParam<const char *> {};
INSTANTIATE_TEST_SUITE_P(Layouts, EveryLayout, testing::ValuesIn(kLayouts));

TEST_P(EveryLayout, RoundTripsThroughText) {
  Layout layout = parse(GetParam());
  EXPECT_EQ(layout.str(), GetParam());
  EXPECT_EQ(parse(layout.str()), layout);
}

TEST_P(EveryLayout, HoldsEachElementEquallyOften) {
  Layout layout = parse(GetParam());
  std::map<Point, int64_t> copies;
  for (int64_t i = 0; i < layout.getNumPlaces(); ++i) {
    Point x = layout.evaluate(layout.getPlace(i));
    for (auto [value, extent] : llvm::zip_equal(x, layout.getShape()))
      ASSERT_TRUE(value >= 0 && value < extent) << formatPoint(x);
    ++copies[x];
  }
  EXPECT_EQ(int64_t(copies.size()), layout.getNumElements());
  for (auto &[x, count] : copies)
    EXPECT_EQ(count, layout.getNumCopies()) << formatPoint(x);
  EXPECT_EQ(layout.isBijective(), layout.getBroadcastAxes().empty());
}

TEST_P(EveryLayout, InverseMapFindsExactlyTheHolders) {
  Layout layout = parse(GetParam());
  InverseMap inverse(layout);
  std::map<Point, std::vector<Point>> holders;
  for (int64_t i = 0; i < layout.getNumPlaces(); ++i)
    holders[layout.evaluate(layout.getPlace(i))].push_back(layout.getPlace(i));
  for (auto &[x, places] : holders)
    EXPECT_EQ(inverse.getPlaces(x), places) << formatPoint(x);
}

TEST_P(EveryLayout, CombinesTheElementsOfTheAxes) {
  Layout layout = parse(GetParam());
  std::vector<std::vector<Point>> ofAxes;
  for (const Axis &axis : layout.getAxes()) {
    ofAxes.push_back(layout.evaluateAxis(axis.name));
    EXPECT_EQ(int64_t(ofAxes.back().size()), axis.getSize());
  }
  for (int64_t i = 0; i < layout.getNumPlaces(); ++i) {
    Point place = layout.getPlace(i), x(layout.getRank(), 0);
    for (auto [elements, number] : llvm::zip_equal(ofAxes, place))
      x = layout.combine(x, elements[number]);
    ASSERT_EQ(x, layout.evaluate(place)) << formatPoint(place);
  }
  EXPECT_EQ(layout.evaluateAxis("none"),
            std::vector<Point>{Point(layout.getRank(), 0)});
}

TEST(LayoutTest, OffsetMapInvertsTilesInSharedMemory) {
  for (const char *text :
       {"1x1 =", "8x64 = offset[64*(0,1) 8*(1,8)]",
        "176x128 = offset[64*(0,1) 8*(1,8) 22*(8,0) 2*(0,64)]",
        "12x7 = offset[3*(4,0) 4*(1,0) 7*(0,1)]",
        "6x5x4 = offset[5*(0,1,0) 4*(0,0,1) 3*(2,0,0) 2*(1,0,0)]",
        "64x128 = offset[128*(0,1) 64*(1,0)]"}) {
    Layout layout = parse(text);
    OffsetMap offsets(layout);
    for (int64_t i = 0; i < layout.getNumPlaces(); ++i)
      ASSERT_EQ(offsets.at(layout.evaluate(layout.getPlace(i))), i) << text;
  }
}

TEST(LayoutTest, EvaluatesTheAccumulatorOfTheEssay) {
  Layout layout = parse(kLayouts[4]);
  for (int64_t warp = 0; warp < 4; ++warp)
    for (int64_t lane = 0; lane < 32; ++lane)
      for (int64_t r = 0; r < 88; ++r) {
        int64_t j = r / 4, h = r / 2 % 2, e = r % 2;
        EXPECT_THAT(layout.evaluate({r, lane, warp}),
                    ElementsAre(16 * warp + lane / 4 + 8 * h,
                                8 * j + 2 * (lane % 4) + e));
      }
}

TEST(LayoutTest, EvaluatesTheSwizzleOfTheEssay) {
  Layout layout = parse("8x64 = offset[64*(0,1) 8*(1,8)]");
  for (int64_t offset = 0; offset < 512; ++offset) {
    int64_t row = offset / 64, chunk = offset / 8 % 8;
    EXPECT_THAT(layout.evaluate(offset),
                ElementsAre(row, 8 * (chunk ^ row) + offset % 8));
  }
}

TEST(LayoutTest, NormalFormMergesAndSplits) {
  // However the same function is written, it prints and compares the same.
  for (const char *text : {
           "4x48 = lane[2*(0,1) 2*(0,2) 3*(0,4) 2*(0,12)  2*(0,24) 4*(1,0)]",
           "4x48 = lane[6*(0,1) 8*(0,6) 2*(1,0) 2*(2,0)] warp[1*(7,7)]",
           "4x48 = warp[] lane[48*(0,1) 4*(1,0)]",
       })
    EXPECT_EQ(parse(text).str(), "4x48 = lane[48*(0,1) 4*(1,0)]");
  EXPECT_EQ(parse("8x64=offset[8*(0,1) 8*(0,8) 2*(1,8)2*(2 , 16) 2*(4,32)]"),
            parse("8x64 = offset[64*(0,1) 8*(1,8)]"));
  // Axes have one order.
  EXPECT_EQ(parse("8 = warp[2*(4)] register[2*(1)] lane[2*(2)]").str(),
            "8 = register[2*(1)] lane[2*(2)] warp[2*(4)]");
}

TEST(LayoutTest, EqualFunctionsCompareEqual) {
  // Random lists of terms over few values, so that equal functions occur.
  std::map<std::vector<Point>, Layout> known;
  uint64_t state = 1;
  auto random = [&](uint64_t n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return int64_t((state >> 33) % n);
  };
  int accepted = 0, repeated = 0;
  for (int round = 0; round < 60000; ++round) {
    Axis axis{"lane", {}};
    for (int64_t i = 0, e = 1 + random(4); i < e; ++i)
      axis.terms.push_back(
          {1 + random(6), {random(2) * random(13), random(2)}});
    llvm::Expected<Layout> layout = Layout::get(axis, 2);
    if (!layout) {
      llvm::consumeError(layout.takeError());
      continue;
    }
    ++accepted;
    std::vector<Point> values;
    for (int64_t i = 0; i < layout->getNumPlaces(); ++i)
      values.push_back(layout->evaluate(layout->getPlace(i)));
    auto [it, isNew] = known.try_emplace(values, *layout);
    repeated += !isNew;
    EXPECT_EQ(it->second, *layout);
  }
  EXPECT_GT(accepted, 2000);
  EXPECT_GT(repeated, 1000);
}

TEST(LayoutTest, AnyTextIsALayoutOrAnError) {
  uint64_t state = 7;
  auto random = [&](uint64_t n) {
    state = state * 6364136223846793005 + 1442695040888963407;
    return (state >> 33) % n;
  };
  const std::string alphabet = "0123456789*(),x=[] lanecta";
  int layouts = 0, errors = 0;
  for (int round = 0; round < 40000; ++round) {
    std::string text = kLayouts[random(std::size(kLayouts))];
    for (uint64_t i = 0; i <= random(3); ++i)
      text[random(text.size())] = alphabet[random(alphabet.size())];
    llvm::Expected<Layout> layout = Layout::parse(text);
    if (!layout) {
      ++errors;
      EXPECT_NE(llvm::toString(layout.takeError()), "") << text;
      continue;
    }
    ++layouts;
    EXPECT_EQ(parse(layout->str()), *layout) << text;
    InverseMap inverse(*layout);
    Point last = layout->getPlace(layout->getNumPlaces() - 1);
    EXPECT_THAT(inverse.getPlaces(layout->evaluate(last)),
                testing::Contains(last))
        << text;
  }
  EXPECT_GT(layouts, 300);
  EXPECT_GT(errors, 10000);
}

TEST(LayoutTest, BroadcastAxes) {
  EXPECT_THAT(parse(kLayouts[6]).getBroadcastAxes(), ElementsAre("lane"));
  EXPECT_EQ(parse(kLayouts[6]).getNumCopies(), 4);
  // A lane bit that repeats a register bit.
  EXPECT_THAT(parse("2 = register[2*(1)] lane[2*(1)]").getBroadcastAxes(),
              ElementsAre("lane"));
  EXPECT_THAT(parse(kLayouts[12]).getBroadcastAxes(),
              ElementsAre("register", "warp"));
}

TEST(LayoutTest, ReplicasAreTheMulticastMask) {
  // A 2x2 cluster; A is split by rows, and columns of the grid share it.
  Layout a = parse("128x64 = register[64*(0,1)] lane[32*(1,0)] warp[2*(32,0)] "
                   "cta[2*(64,0) 2*(0,0)]");
  EXPECT_THAT(a.getReplicas(kCta, 1), ElementsAre(1, 3));
  EXPECT_THAT(a.getReplicas(kCta, 2), ElementsAre(0, 2));
  EXPECT_THAT(a.getReplicas(kOffset, 0), ElementsAre(0));
}

TEST(LayoutTest, VectorWidth) {
  auto width = [](llvm::StringRef text) {
    return parse(text).getVectorWidth(kRegister);
  };
  EXPECT_EQ(width(kLayouts[4]), 2);
  EXPECT_EQ(width("64x96 = register[8*(0,1) 3*(0,32) 2*(32,0)] "
                  "lane[4*(0,8) 8*(1,0)] warp[4*(8,0)]"),
            8);
  EXPECT_EQ(width("12 = register[12*(1)]"), 4);
  EXPECT_EQ(width("3x2 = register[3*(1,0) 2*(0,1)]"), 1);
  EXPECT_EQ(width("4x2 = register[4*(1,0) 2*(0,1)]"), 1);
  EXPECT_EQ(width("6 = register[2*(3)] lane[3*(1)]"), 1);
  // Vectors of 4 begin at multiples of 3 only.
  EXPECT_EQ(width("12 = register[3*(1)] lane[4*(3)]"), 1);
  // The lane toggles column 1 as well.
  EXPECT_EQ(width("8 = register[4*(1)] lane[2*(5)]"), 1);
  EXPECT_EQ(width("8 = register[4*(1)] lane[2*(6)]"), 2);
  EXPECT_EQ(parse("1 = lane[2*(0)]").getVectorWidth(kLane), 1);
  EXPECT_EQ(parse("scalar = lane[2*()]").getVectorWidth(kLane), 1);
}

TEST(LayoutTest, RefusesWhatIsNoLayout) {
  auto error = [](llvm::StringRef text) {
    return getError(Layout::parse(text));
  };
  EXPECT_EQ(error("4x4 = lane[4*(1,0)] warp[2*(0,2)]"),
            "no place holds the element at (0, 1)");
  EXPECT_EQ(error("8 = lane[2*(1) 2*(2) 2*(3)]"),
            "the terms make a tile of (4), not of (8)");
  EXPECT_EQ(error("24 = lane[3*(1)] warp[2*(6)]"),
            "dimension 0: expected a count with stride 3, got 2 steps of 6");
  EXPECT_EQ(error("24 = lane[3*(1)] warp[3*(2)]"),
            "dimension 0: expected a count with stride 3, got 3 steps of 2");
  EXPECT_EQ(error("9 = lane[3*(3)]"),
            "dimension 0: expected the lowest count that is not a power of two "
            "to have a power of two as its stride, got 3");
  EXPECT_EQ(error("3x3 = lane[3*(1,1)]"),
            "axis 'lane': a stride along several dimensions, (1, 1), needs a "
            "count that is a power of two, below every other count");
  EXPECT_EQ(error("4x6 = lane[3*(0,1) 2*(1,3)]"),
            "axis 'lane': a stride along several dimensions, (1, 3), needs a "
            "count that is a power of two, below every other count");
  EXPECT_EQ(error("2 = lane[2*(1)] lane[2*(0)]"),
            "the axis 'lane' occurs twice");
  EXPECT_EQ(error("2 = lane[0*(1)]"),
            "axis 'lane': expected a count of at least 1, got 0");
  EXPECT_EQ(error("2 = lane[9999*(1) 9999*(1)]"),
            "expected at most 2^22 places");
  EXPECT_EQ(error("2 = lane[2*(2147483648)]"),
            "axis 'lane': expected a stride from 0 to 2^31-1, got 2147483648");
  EXPECT_EQ(error("2x2 = lane[2*(1073741824,1073741824)]"),
            "expected at most 2^31 elements");
  EXPECT_EQ(error("1x1x1x1x1x1x1x1x1 ="),
            "expected at most 8 dimensions, got 9");
  EXPECT_EQ(getError(Layout::get(Axis{"lane", {{2, {1}}}}, 2)),
            "axis 'lane': expected 2 components in a stride, got 1");
}

TEST(LayoutTest, RefusesWrongTextWithItsColumn) {
  auto error = [](llvm::StringRef text) {
    return getError(Layout::parse(text));
  };
  EXPECT_EQ(error(""), "column 1: expected a number, got the end");
  EXPECT_EQ(error("64x"), "column 4: expected a number, got the end");
  EXPECT_EQ(error("64 lane"), "column 4: expected '=', got 'lane'");
  EXPECT_EQ(error("64 = 3[]"),
            "column 6: expected the name of an axis, got '3[]'");
  EXPECT_EQ(error("64 = lane 2*(1)"), "column 11: expected '[', got '2*(1)'");
  EXPECT_EQ(error("64 = lane[2(1)]"), "column 12: expected '*', got '(1)]'");
  EXPECT_EQ(error("64 = lane[2*(1,2)]"), "column 15: expected ')', got ',2)]'");
  EXPECT_EQ(error("6x4 = lane[2*(1)]"), "column 16: expected ',', got ')]'");
  EXPECT_EQ(error("64 = lane[2*(-1)]"),
            "column 14: expected a number, got '-1)]'");
  EXPECT_EQ(error("64 = lane[2*(1)"),
            "column 16: expected a number, got the end");
  EXPECT_THAT(error("64 = lane[2*(99999999999999999999)]"),
              HasSubstr("column 14: expected a number"));
}

} // namespace
