//===- Layout.h - Which place holds which element ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is an array of elements at coordinates (x0, x1, …). A machine has
// places: register r of lane l of warp w of CTA c, or offset o of a buffer in
// shared memory. A layout is a function from places to coordinates; it says
// which element each place holds. Every element is held somewhere; an element
// held by several places is broadcast.
//
// 1. The form
//
// A place has a number on each of a few named axes. An axis is a list of
// *terms* `n*(s0, s1, …)`, the fastest first: the number is written in the
// mixed radix of the counts n, and a digit v contributes v times the stride
// (s0, s1, …). The accumulator of one wgmma m64n176k16, over a warpgroup:
//
//   64x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] lane[4*(0,2) 8*(1,0)]
//            warp[4*(16,0)]
//
// Register 4j+2h+e of lane l of warp w holds row 16w + l/4 + 8h, column
// 8j + 2(l%4) + e. Columns count to 176 = 22*8: counts are any integers.
//
// A swizzle does not fit additive strides: TMA's 128-byte swizzle moves the
// 16-byte chunk c of row r to c xor r%8. But it is linear over F2, bit for
// bit, so contributions combine by *exclusive or* where they may overlap:
//
//   128x128 = offset[64*(0,1) 8*(1,8) 16*(8,0) 2*(0,64)]        (16-bit type)
//
// Digits: 64 elements of a row; then 8 rows, of which row r also toggles
// column 8r; then 16 such groups of rows; then the next box of 64 columns.
//
// 2. Xor below, plus above
//
// Xor asks for powers of two, 176 for plus. Both live in one layout since
// they live at different heights of a coordinate. An even count 2m*(s) is
// shorthand for the bit 2*(s) followed by m*(2s), so that every term is a
// sequence of bits and at most one odd count. In each dimension, let q be the
// stride of the lowest odd count (if there is none, the whole extent). Then
//
//   below q    contributions are bits of a linear map over F2 (*the atom*)
//              and combine by xor; together they reach every element of the
//              box of extents q, itself a power of two;
//   from q up  each digit counts along one dimension, and its stride is the
//              product of the counts below it, so that no carry ever occurs.
//
// In the accumulator above the atom is a box of 64x16 (the 22 gives it one
// bit) and 11*(0,16) counts above it. `get` refuses lists that break the rule,
// with the reason; hence any Layout is onto, and every element has the same
// number of copies.
//
// The rule is what makes this one algebra. Repeating along a dimension appends
// a term whose stride is the present extent. Dropping a dimension (a reduced
// tile) drops a component of the strides; terms that become zero are the
// broadcast. Inverting is Gaussian elimination on the atom and a renaming of
// digits above it. Merging neighbours n*(s) m*(ns) into nm*(s) gives a normal
// form, which `get` establishes: equal functions compare equal.
//
// 3. More examples
//
// Row sums of the accumulator: `sliceDim(accumulator, 1)` and then
// `dropDuplicates(…, "register")`; 2 registers per thread, 4 lanes with the
// same value (`4*(0)`), as a quad reduction by shuffles leaves it:
//
//   64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]
//
// The A operand of m64k16 in registers, for K = 176: first 8 columns of rows r
// and r+8, then the next 8. Merged, 2*(0,8) 11*(0,16) is 22*(0,8): the layout
// *equals* the accumulator's, so P = exp(S) stays where it is. With 8-bit
// elements it is another layout, and the algebra says so.
//
// A blocked layout of a 64x96 tile for loads of 8 elements: 12 vectors to a
// row, of which 4 lanes take 4 and registers take 3 rounds:
//
//   64x96 = register[8*(0,1) 3*(0,32) 2*(32,0)] lane[4*(0,8) 8*(1,0)]
//           warp[4*(8,0)]
//
// The split of a tile over the CTAs of a cluster is one more axis. An operand
// of a 2x2 cluster, split along rows and shared by the CTAs of a column:
// `… cta[2*(64,0) 2*(0,0)]`; CTAs that hold the same rows are the multicast
// mask (`getReplicas`), and `getPart` is what one CTA, or one warpgroup, holds.
//
// 4. Why not something else
//
// CuTe's layouts add integer strides; a swizzle is a function of its own there,
// composed from outside. Triton's linear layouts are F2 throughout, elegant,
// and confined to powers of two. Here one list of terms says both, and the F2
// part is kept to where the hardware has it.
//
// Limits: no holes (a padded buffer cannot be said; swizzle instead), the
// linear part of a dimension lies below its odd counts, and a composition or
// inverse whose radices interleave (2x3 against 3x2) is refused. What must
// always have an answer, `InverseMap` and `getMovement`, works without it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LAYOUT_LAYOUT_H
#define TESSERA_LAYOUT_LAYOUT_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace llvm {
class raw_ostream;
} // namespace llvm

namespace tessera::layout {

/// The axes of places, in the order in which a layout keeps them.
inline constexpr llvm::StringLiteral kRegister = "register";
inline constexpr llvm::StringLiteral kLane = "lane";
inline constexpr llvm::StringLiteral kWarp = "warp";
inline constexpr llvm::StringLiteral kCta = "cta";
/// Offsets in shared memory, in elements.
inline constexpr llvm::StringLiteral kOffset = "offset";

/// Coordinates of an element, or the numbers of a place on each axis.
using Point = llvm::SmallVector<int64_t, 4>;

/// One digit of an axis: `count` steps of `stride`.
struct Term {
  int64_t count = 1;
  Point stride;

  bool operator==(const Term &other) const {
    return count == other.count && stride == other.stride;
  }
};

struct Axis {
  std::string name;
  std::vector<Term> terms;

  int64_t getSize() const;
  bool operator==(const Axis &other) const {
    return name == other.name && terms == other.terms;
  }
};

/// A term, or a part of one, in the form in which it acts: a bit of the atom,
/// a count above it, or a repetition that changes nothing.
struct Digit {
  enum class Kind { Bit, Count, Broadcast };

  Kind kind = Kind::Broadcast;
  unsigned axis = 0;
  /// What one step is worth on the axis.
  int64_t place = 1;
  /// 2 for a bit.
  int64_t count = 1;
  Point stride;
  /// The dimension of a count.
  unsigned dim = 0;
};

class Layout {
public:
  /// Checks the rule of the essay and brings the terms into normal form: axes
  /// in their fixed order, without those of size 1; terms merged.
  static llvm::Expected<Layout> get(llvm::ArrayRef<Axis> axes, unsigned rank);

  /// Reads what `print` writes.
  static llvm::Expected<Layout> parse(llvm::StringRef text);

  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const;

  /// Axes of size 1 are left out.
  llvm::ArrayRef<Axis> getAxes() const { return axes; }
  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// 1 for an axis that the layout lacks.
  int64_t getSize(llvm::StringRef axis) const;
  int64_t getNumPlaces() const;
  /// Whether all axes are among `names`.
  bool hasOnlyAxes(llvm::ArrayRef<llvm::StringRef> names) const;

  /// The element at a place: one number per axis, in the order of `getAxes`.
  Point evaluate(llvm::ArrayRef<int64_t> place) const;

  /// Axes by name; those not named are at 0.
  using NamedNumber = std::pair<llvm::StringRef, int64_t>;
  Point evaluate(llvm::ArrayRef<NamedNumber> place) const;

  /// The place with a number, the first axis running fastest.
  Point getPlace(int64_t number) const;

  /// How many places hold each element.
  int64_t getNumCopies() const { return getNumPlaces() / getNumElements(); }
  bool isBijective() const { return getNumCopies() == 1; }
  /// Axes along which elements repeat, given what the axes before them hold.
  llvm::SmallVector<llvm::StringRef> getBroadcastAxes() const;
  /// The numbers on `axis` with the same elements as `number`, itself
  /// included: for CTAs, the mask of a multicast.
  llvm::SmallVector<int64_t> getReplicas(llvm::StringRef axis,
                                         int64_t number) const;

  /// The largest power of two v such that v consecutive numbers on `axis`,
  /// from any multiple of v, hold v consecutive elements of the last
  /// dimension, from a multiple of v: how wide a vector access may be.
  int64_t getVectorWidth(llvm::StringRef axis) const;

  llvm::ArrayRef<Digit> getDigits() const { return digits; }
  /// The box of the atom: a power of two for each dimension.
  llvm::ArrayRef<int64_t> getAtomShape() const { return atomShape; }
  /// The bits of the atom's coordinates in one number, dimension 0 lowest.
  uint64_t packAtom(llvm::ArrayRef<int64_t> coordinates) const;

  bool operator==(const Layout &other) const {
    return shape == other.shape && axes == other.axes;
  }
  bool operator!=(const Layout &other) const { return !(*this == other); }

private:
  Layout() = default;
  void normalize();
  llvm::Error classifyDigits();
  llvm::Error checkAtom();
  llvm::Error checkCounts();

  std::vector<Axis> axes;
  Point shape;
  // Derived from the above.
  std::vector<Digit> digits;
  Point atomShape;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const Layout &layout) {
  layout.print(os);
  return os;
}

/// "(3, 5)".
std::string formatPoint(llvm::ArrayRef<int64_t> point);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_LAYOUT_H
