//===- AlgebraTest.cpp - Laws of the algebra of layouts ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Most laws are checked on random layouts: an atom, possibly swizzled or with
// copies, under random repetitions.
//
//===----------------------------------------------------------------------===//

#include "LayoutMatchers.h"

#include "tessera/Layout/Algebra.h"
#include "llvm/ADT/STLExtras.h"
#include <random>

using namespace tessera::layout;
using testing::HasSubstr;

namespace {

class RandomLayouts {
public:
  explicit RandomLayouts(unsigned seed) : engine(seed) {}

  int64_t pick(int64_t n) { return engine() % n; }

  /// Of rank 2. With `copies`, not always bijective.
  Layout make(bool copies) {
    static const char *const atoms[] = {
        "1x1 =",
        "4x8 = register[8*(0,1)] lane[4*(1,0)]",
        "8x8 = offset[8*(0,1) 8*(1,1)]",
        "4x4 = lane[2*(1,2) 2*(3,1)] register[2*(2,0) 2*(0,1)]",
        "16x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)]",
    };
    Layout layout = parse(atoms[pick(std::size(atoms))]);
    for (int64_t i = pick(5); i > 0; --i) {
      static constexpr llvm::StringLiteral axes[] = {kRegister, kLane, kWarp,
                                                     kCta, kOffset};
      std::optional<unsigned> dim = pick(2);
      if (copies && pick(3) == 0)
        dim = std::nullopt;
      Layout bigger =
          get(repeat(layout, axes[pick(std::size(axes))], 1 + pick(7), dim));
      if (bigger.getNumPlaces() <= 2048)
        layout = bigger;
    }
    return layout;
  }

private:
  std::mt19937 engine;
};

/// Calls `check` with every place of a layout.
template <typename Check>
void forEachPlace(const Layout &layout, Check check) {
  for (int64_t i = 0; i < layout.getNumPlaces(); ++i)
    check(layout.getPlace(i));
}

/// The numbers of a place of `from` on the axes of `to`.
Point project(const Layout &from, llvm::ArrayRef<int64_t> place,
              const Layout &to) {
  Point result;
  for (const Axis &axis : to.getAxes()) {
    std::optional<unsigned> index = from.findAxis(axis.name);
    result.push_back(index ? place[*index] : 0);
  }
  return result;
}

TEST(AlgebraTest, RepeatBuildsTheAccumulator) {
  Layout atom = parse("64x8 = register[2*(0,1) 2*(8,0)] lane[4*(0,2) 8*(1,0)] "
                      "warp[4*(16,0)]");
  Layout wide = get(repeat(atom, kRegister, 22, 1));
  EXPECT_EQ(wide, parse("64x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] "
                        "lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]"));
  Layout split = get(repeat(get(repeat(wide, kWarp, 3, 0)), kCta, 2, 1));
  EXPECT_EQ(split.str(), "192x352 = register[2*(0,1) 2*(8,0) 22*(0,8)] "
                         "lane[4*(0,2) 8*(1,0)] warp[12*(16,0)] "
                         "cta[2*(0,176)]");
  EXPECT_EQ(get(repeat(split, kCta, 2, std::nullopt)).getNumCopies(), 2);
  EXPECT_EQ(getError(repeat(atom, kLane, 2, 2)),
            "there is no dimension 2 in a tile of rank 2");
}

TEST(AlgebraTest, PartUndoesRepeat) {
  Layout whole = parse("128x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] "
                       "lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]");
  Layout part = get(getPart(whole, kWarp, 2));
  EXPECT_EQ(part, parse("64x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] "
                        "lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]"));
  EXPECT_EQ(get(getPart(whole, kCta, 1)), whole);
  RandomLayouts random(7);
  for (int round = 0; round < 300; ++round) {
    Layout layout = random.make(true);
    int64_t count = 1 + random.pick(6);
    for (std::optional<unsigned> dim :
         {std::optional(0u), std::optional(1u), std::optional<unsigned>()})
      EXPECT_EQ(
          get(getPart(get(repeat(layout, kWarp, count, dim)), kWarp, count)),
          layout);
  }
  EXPECT_EQ(getError(getPart(whole, kWarp, 3)),
            "cannot divide the 8 numbers of 'warp' into 3 groups");
  // Lanes alternate within the columns of others; rows interleave.
  EXPECT_EQ(getError(getPart(parse("4 = lane[2*(2) 2*(1)]"), kLane, 2)),
            "the 2 groups along 'lane' do not hold parts of the tile, one "
            "after the other: '4 = lane[2*(2) 2*(1)]'");
  EXPECT_THAT(getError(getPart(parse("4 = lane[4*(1)] warp[2*(2)]"), kWarp, 2)),
              HasSubstr("the 2 groups along 'warp'"));
}

TEST(AlgebraTest, ProductPlacesWholeCopies) {
  RandomLayouts random(1);
  int checked = 0;
  for (int round = 0; round < 900; ++round) {
    Layout inner = random.make(true), outer = random.make(true);
    if (inner.getNumPlaces() * outer.getNumPlaces() > 4096)
      continue;
    llvm::Expected<Layout> both = product(inner, outer);
    if (!both) {
      // A swizzle cannot count in steps that are no powers of two.
      EXPECT_FALSE(llvm::all_of(inner.getShape(), [](int64_t extent) {
        return (extent & (extent - 1)) == 0;
      })) << inner.str();
      llvm::consumeError(both.takeError());
      continue;
    }
    ++checked;
    forEachPlace(*both, [&](const Point &place) {
      Point low, high;
      for (const Axis &axis : inner.getAxes())
        low.push_back(place[*both->findAxis(axis.name)] % axis.getSize());
      for (const Axis &axis : outer.getAxes())
        high.push_back(place[*both->findAxis(axis.name)] /
                       inner.getSize(axis.name));
      Point x = outer.evaluate(high), y = inner.evaluate(low);
      for (unsigned dim = 0; dim < 2; ++dim)
        x[dim] = x[dim] * inner.getShape()[dim] + y[dim];
      ASSERT_EQ(both->evaluate(place), x) << both->str();
    });
  }
  EXPECT_GT(checked, 100);
  EXPECT_EQ(getError(product(parse("2 = lane[2*(1)]"), parse("1x1 ="))),
            "a product of layouts of different rank, 1 and 2");
}

TEST(AlgebraTest, SliceOfAProductIsTheProductOfSlices) {
  RandomLayouts random(2);
  for (int round = 0; round < 300; ++round) {
    Layout inner = random.make(true), outer = random.make(true);
    llvm::Expected<Layout> both = product(inner, outer);
    if (!both) {
      llvm::consumeError(both.takeError());
      continue;
    }
    for (unsigned dim = 0; dim < 2; ++dim)
      EXPECT_EQ(
          get(sliceDim(*both, dim)),
          get(product(get(sliceDim(inner, dim)), get(sliceDim(outer, dim)))));
  }
  EXPECT_EQ(getError(sliceDim(parse("4 = lane[4*(1)]"), 1)),
            "there is no dimension 1 in a tile of rank 1");
}

TEST(AlgebraTest, SliceForgetsACoordinate) {
  RandomLayouts random(3);
  for (int round = 0; round < 200; ++round) {
    Layout layout = random.make(true);
    for (unsigned dim = 0; dim < 2; ++dim) {
      Layout sliced = get(sliceDim(layout, dim));
      EXPECT_EQ(sliced.getNumPlaces(), layout.getNumPlaces());
      forEachPlace(layout, [&](const Point &place) {
        Point x = layout.evaluate(place);
        x.erase(x.begin() + dim);
        ASSERT_EQ(sliced.evaluate(project(layout, place, sliced)), x);
      });
      Layout inserted = get(insertDim(sliced, dim));
      EXPECT_EQ(inserted.getShape()[dim], 1);
      EXPECT_EQ(get(sliceDim(inserted, dim)), sliced);
    }
  }
  EXPECT_EQ(getError(insertDim(parse("4 = lane[4*(1)]"), 2)),
            "cannot insert dimension 2 into a tile of rank 1");
}

TEST(AlgebraTest, PermuteDims) {
  Layout layout = parse("2x3x5 = lane[2*(1,0,0) 3*(0,1,0)] warp[5*(0,0,1)]");
  EXPECT_EQ(get(permuteDims(layout, {2, 0, 1})).str(),
            "5x2x3 = lane[2*(0,1,0) 3*(0,0,1)] warp[5*(1,0,0)]");
  RandomLayouts random(4);
  for (int round = 0; round < 100; ++round) {
    Layout any = random.make(true);
    EXPECT_EQ(get(permuteDims(get(permuteDims(any, {1, 0})), {1, 0})), any);
  }
  EXPECT_EQ(getError(permuteDims(layout, {0, 1, 1})),
            "expected each of the 3 dimensions once in a permutation");
}

TEST(AlgebraTest, DropDuplicatesKeepsWhatAThreadHolds) {
  // Bits that repeat each other within the registers, zero bits, odd copies.
  Layout layout = parse("4x3 = register[2*(1,0) 2*(2,0) 2*(3,0) 3*(0,0) "
                        "3*(0,1)] lane[2*(0,0)]");
  EXPECT_EQ(get(dropDuplicates(layout, kRegister)).str(),
            "4x3 = register[4*(1,0) 3*(0,1)] lane[2*(0,0)]");
  EXPECT_EQ(get(dropDuplicates(layout, kWarp)), layout);
  // Repetitions of another axis stay.
  Layout lanes = parse("2 = register[2*(1)] lane[2*(1)]");
  EXPECT_EQ(get(dropDuplicates(lanes, kLane)), lanes);
}

TEST(AlgebraTest, FoldGivesOneWarpWhatSeveralHad) {
  Layout tile = parse("128x64 = register[2*(0,1) 2*(8,0) 8*(0,8)] "
                      "lane[4*(0,2) 8*(1,0)] warp[8*(16,0)]");
  EXPECT_EQ(get(fold(tile, kWarp, 4, kRegister)).str(),
            "128x64 = register[2*(0,1) 2*(8,0) 8*(0,8) 2*(64,0)] "
            "lane[4*(0,2) 8*(1,0)] warp[4*(16,0)]");
  EXPECT_EQ(get(fold(tile, kWarp, 8, kRegister)), tile);
  EXPECT_EQ(get(fold(tile, kCta, 1, kRegister)), tile);
  // Warps that repeat a row leave no registers.
  EXPECT_EQ(get(fold(parse("64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] "
                           "warp[8*(0)]"),
                     kWarp, 4, kRegister)),
            parse("64 = register[2*(1) 8*(8)] lane[4*(2) 8*(0)] warp[4*(0)]"));
  RandomLayouts random(11);
  for (int round = 0; round < 300; ++round) {
    Layout part = random.make(true);
    int64_t left = part.getSize(kWarp), registers = part.getSize(kRegister);
    int64_t count = 1 + random.pick(4);
    Layout whole = get(repeat(part, kWarp, count, random.pick(2)));
    Layout folded = get(fold(whole, kWarp, left, kRegister));
    ASSERT_EQ(folded.getSize(kWarp), left);
    if (folded.getSize(kRegister) != registers * count)
      continue;
    for (int64_t number = 0; number < count; ++number)
      for (int64_t place = 0; place < registers * left; ++place)
        EXPECT_EQ(folded.evaluate(
                      {{kRegister, place % registers + number * registers},
                       {kWarp, place / registers}}),
                  whole.evaluate({{kRegister, place % registers},
                                  {kWarp, place / registers + number * left}}));
  }
  EXPECT_EQ(getError(fold(tile, kWarp, 3, kRegister)),
            "cannot leave 3 of the 8 numbers of 'warp'");
  EXPECT_EQ(getError(fold(tile, kCta, 2, kRegister)),
            "cannot leave 2 of the 1 numbers of 'cta'");
}

TEST(AlgebraTest, InverseUndoes) {
  RandomLayouts random(5);
  int inverted = 0;
  for (int round = 0; round < 600; ++round) {
    Layout layout = random.make(false);
    llvm::Expected<Layout> inverse = invert(layout);
    if (!inverse) {
      EXPECT_THAT(llvm::toString(inverse.takeError()),
                  HasSubstr("the inverse is not a layout"));
      continue;
    }
    ++inverted;
    forEachPlace(layout, [&](const Point &place) {
      llvm::SmallVector<Layout::NamedNumber> x;
      Point coordinates = layout.evaluate(place);
      std::string names[] = {"d0", "d1"};
      for (unsigned dim = 0; dim < 2; ++dim)
        x.push_back({names[dim], coordinates[dim]});
      ASSERT_EQ(inverse->evaluate(x), place) << layout.str();
    });
    // Composed, they are the identity.
    Layout identity = get(compose(layout, *inverse));
    forEachPlace(identity, [&](const Point &place) {
      ASSERT_EQ(identity.evaluate(place), place);
    });
  }
  EXPECT_GT(inverted, 400);
}

TEST(AlgebraTest, InverseOfTheSwizzle) {
  Layout inverse = get(invert(parse("8x64 = offset[64*(0,1) 8*(1,8)]")));
  // Row 1 begins at chunk 1 of the second line.
  EXPECT_EQ(inverse.str(), "512 = d0[8*(72)] d1[64*(1)]");
}

TEST(AlgebraTest, InverseRefuses) {
  EXPECT_EQ(getError(invert(parse("2 = register[2*(1)] lane[4*(0)]"))),
            "there is no inverse: elements repeat along 'lane'");
  EXPECT_EQ(getError(invert(parse("6x2 = offset[2*(0,1) 3*(2,0) 2*(1,1)]"))),
            "the inverse is not a layout: a bit of the atom lies above a count "
            "that is not a power of two");
}

TEST(AlgebraTest, CompositionOfInverseAndLayoutIsAChangeOfPlace) {
  // From rows over lanes to columns over lanes: a transposition of places.
  Layout rows = parse("4x12 = register[12*(0,1)] lane[4*(1,0)]");
  Layout columns = parse("4x12 = register[4*(1,0)] lane[12*(0,1)]");
  EXPECT_EQ(get(compose(rows, get(invert(columns)))).str(),
            "4x12 = register[12*(0,1)] lane[4*(1,0)]");
  // Digits of one side begin within a digit of the other.
  Layout line = parse("15 = lane[15*(1)]");
  Layout grid = parse("15 = register[3*(1)] lane[5*(3)]");
  EXPECT_EQ(get(compose(line, get(invert(grid)))).str(),
            "3x5 = lane[3*(1,0) 5*(0,1)]");
}

TEST(AlgebraTest, CompositionRefuses) {
  Layout threes = parse("6 = register[3*(1)] lane[2*(3)]");
  Layout twos = parse("6 = register[2*(1)] lane[3*(2)]");
  EXPECT_EQ(getError(compose(threes, get(invert(twos)))),
            "the composition is not a layout: the counts of '6 = "
            "register[3*(1)] lane[2*(3)]' and '2x3 = d0[2*(1,0) 3*(0,1)]' "
            "interleave");
  EXPECT_EQ(getError(compose(threes, twos)),
            "cannot compose: the axes of '6 = register[2*(1)] lane[3*(2)]' are "
            "not the dimensions of '6 = register[3*(1)] lane[2*(3)]'");
}

TEST(AlgebraTest, CompositionIsWhatItSays) {
  RandomLayouts random(6);
  int composed = 0;
  for (int round = 0; round < 8000; ++round) {
    Layout inner = random.make(true), target = random.make(false);
    if (inner.getShape() != target.getShape())
      continue;
    llvm::Expected<Layout> inverse = invert(target);
    if (!inverse) {
      llvm::consumeError(inverse.takeError());
      continue;
    }
    llvm::Expected<Layout> change = compose(inner, *inverse);
    if (!change) {
      llvm::consumeError(change.takeError());
      continue;
    }
    ++composed;
    forEachPlace(inner, [&](const Point &place) {
      Point moved = change->evaluate(project(inner, place, *change));
      ASSERT_EQ(target.evaluate(moved), inner.evaluate(place));
    });
  }
  EXPECT_GT(composed, 50);
}

} // namespace
