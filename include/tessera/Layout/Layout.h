//===- Layout.h - Map from places to elements -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A tile is an array of elements at coordinates (x0, x1, …). A machine has
// places: register r of lane l of warp w of CTA c, or offset o of a buffer in
// shared memory. A layout is a function from places to coordinates: it defines
// the element at each place. Every element has a place; an element at several
// places is broadcast.
//
// 1. The form
//
// A place has a number on each of a few named axes. An axis is a list of
// *terms* `n*(s0, s1, …)`, the fastest first. The number is written in the
// mixed radix of the counts n, and a digit v contributes v times the stride
// (s0, s1, …). The accumulator of one wgmma m64n176k16, over a warpgroup:
//
//   64x176 = register[2*(0,1) 2*(8,0) 22*(0,8)] lane[4*(0,2) 8*(1,0)]
//            warp[4*(16,0)]
//
// Register 4j+2h+e of lane l of warp w holds row 16w + l/4 + 8h, column 8j +
// 2(l%4) + e. Columns count to 176 = 22*8: counts are any integers.
//
// A swizzle does not fit additive strides: TMA's 128-byte swizzle moves the
// 16-byte chunk c of row r to c xor r%8. But it is linear over F2, bit for bit,
// so contributions combine by *exclusive or* where they may overlap:
//
//   128x128 = offset[64*(0,1) 8*(1,8) 16*(8,0) 2*(0,64)]        (16-bit type)
//
// The digits are: 64 elements of a row; 8 rows, where row r also toggles column
// 8r; 16 such groups of rows; the next box of 64 columns.
//
// 2. Xor below, plus above
//
// Exclusive or needs powers of two, and a count of 176 needs addition. One
// layout has both, at different heights of a coordinate. An even count 2m*(s)
// is shorthand for the bit 2*(s) followed by m*(2s), so every term is a
// sequence of bits and at most one odd count. In each dimension, let q be the
// stride of the lowest odd count (or the whole extent, if there is none). Then
//
//   below q    contributions are bits of a linear map over F2 (*the atom*)
//              and combine by xor; together they reach every element of the
//              box of extents q, itself a power of two;
//   from q up  each digit counts along one dimension, and its stride is the
//              product of the counts below it, so that no carry ever occurs.
//
// In the accumulator above, the atom is a box of 64x16 (the 22 gives it one
// bit), and 11*(0,16) counts above it. `get` refuses lists that break the rule,
// with the reason. Hence any Layout is onto, and every element has the same
// number of copies.
//
// This rule makes the layouts one algebra. Repeating along a dimension appends
// a term whose stride is the present extent. Dropping a dimension (a reduced
// tile) drops a component of the strides; terms that become zero are the
// broadcast. Inversion is Gaussian elimination on the atom and a renaming of
// digits above it. Merging neighbours n*(s) m*(ns) into nm*(s) gives a normal
// form, which `get` establishes: equal functions compare equal.
//
// 3. More examples
//
// Row sums of the accumulator: `sliceDim(accumulator, 1)` and then
// `dropDuplicates(…, "register")`. The result has 2 registers per thread and 4
// lanes with the same value (`4*(0)`), as after a quad reduction by shuffles:
//
//   64 = register[2*(8)] lane[4*(0) 8*(1)] warp[4*(16)]
//
// The A operand of m64k16 in registers, for K = 176: first 8 columns of rows r
// and r+8, then the next 8. Merged, 2*(0,8) 11*(0,16) is 22*(0,8): the layout
// *equals* the accumulator's, so P = exp(S) needs no movement. With 8-bit
// elements the layouts differ.
//
// A blocked layout of a 64x96 tile for loads of 8 elements. A row has 12
// vectors: 4 lanes times 3 rounds of registers:
//
//   64x96 = register[8*(0,1) 3*(0,32) 2*(32,0)] lane[4*(0,8) 8*(1,0)]
//           warp[4*(8,0)]
//
// The split of a tile over the CTAs of a cluster is one more axis. An operand
// of a 2x2 cluster, split along rows and shared by the CTAs of a column, has `…
// cta[2*(64,0) 2*(0,0)]`. CTAs that hold the same rows are the multicast mask
// (`getReplicas`); `getPart` returns the part of one CTA or one warpgroup.
//
// 4. Alternatives
//
// CuTe's layouts add integer strides; a swizzle is a separate function composed
// with them. Triton's linear layouts are F2-linear throughout, elegant, and
// limited to powers of two. Here one list of terms expresses both, with F2 only
// where the hardware has it.
//
// Limits: a layout has no holes (no padded buffers; use a swizzle), and the
// linear part of a dimension lies below its odd counts. A composition or
// inverse whose radices interleave (2x3 against 3x2) is refused. `InverseMap`
// and `getMovement`, which must always have a result, do not need it.
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

/// A term or a part of one, by its effect: a bit of the atom, a count above the
/// atom, or a repetition without effect.
struct Digit {
  enum class Kind { Bit, Count, Broadcast };

  Kind kind = Kind::Broadcast;
  unsigned axis = 0;
  /// The weight of one step on the axis.
  int64_t place = 1;
  /// 2 for a bit.
  int64_t count = 1;
  Point stride;
  /// The dimension of a count.
  unsigned dim = 0;
};

class Layout {
public:
  /// Checks the rule above, and brings the terms into normal form: axes in
  /// their fixed order, without axes of size 1; terms merged.
  static llvm::Expected<Layout> get(llvm::ArrayRef<Axis> axes, unsigned rank);

  /// Parses the output of `print`.
  static llvm::Expected<Layout> parse(llvm::StringRef text);

  void print(llvm::raw_ostream &os) const;
  std::string str() const;

  llvm::ArrayRef<int64_t> getShape() const { return shape; }
  unsigned getRank() const { return shape.size(); }
  int64_t getNumElements() const;

  /// Returns the axes, without those of size 1.
  llvm::ArrayRef<Axis> getAxes() const { return axes; }
  std::optional<unsigned> findAxis(llvm::StringRef name) const;
  /// Returns the size of an axis; 1 if the layout does not have it.
  int64_t getSize(llvm::StringRef axis) const;
  int64_t getNumPlaces() const;
  /// Checks whether all axes are among `names`.
  bool hasOnlyAxes(llvm::ArrayRef<llvm::StringRef> names) const;

  /// Returns the element at a place: one number per axis, in the order of
  /// `getAxes`.
  Point evaluate(llvm::ArrayRef<int64_t> place) const;

  /// Numbers of axes by name; 0 for other axes.
  using NamedNumber = std::pair<llvm::StringRef, int64_t>;
  Point evaluate(llvm::ArrayRef<NamedNumber> place) const;

  /// Returns the elements at all numbers of `axis`, where the numbers of the
  /// other axes are 0.
  std::vector<Point> evaluateAxis(llvm::StringRef axis) const;
  /// Returns the element at the sum of two places without a common axis, given
  /// the elements at the two places.
  Point combine(llvm::ArrayRef<int64_t> x, llvm::ArrayRef<int64_t> y) const;

  /// Returns the place with a number; the first axis is the fastest.
  Point getPlace(int64_t number) const;

  /// Returns the number of places that hold each element.
  int64_t getNumCopies() const { return getNumPlaces() / getNumElements(); }
  bool isBijective() const { return getNumCopies() == 1; }
  /// Returns the axes along which elements repeat, after the axes before them.
  llvm::SmallVector<llvm::StringRef> getBroadcastAxes() const;
  /// Returns the numbers on `axis` with the same elements as `number`, itself
  /// included: for CTAs, the mask of a multicast.
  llvm::SmallVector<int64_t> getReplicas(llvm::StringRef axis,
                                         int64_t number) const;

  /// Returns the width of vector accesses: the largest power of two v that
  /// fits. Aligned groups of v consecutive numbers on `axis` hold aligned
  /// groups of v consecutive elements of the last dimension.
  int64_t getVectorWidth(llvm::StringRef axis) const;

  llvm::ArrayRef<Digit> getDigits() const { return digits; }
  /// Returns the box of the atom: a power of two for each dimension.
  llvm::ArrayRef<int64_t> getAtomShape() const { return atomShape; }
  /// Packs the bits of the atom's coordinates into one number, dimension 0
  /// lowest.
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
  // Derived from the axes.
  std::vector<Digit> digits;
  Point atomShape;
};

inline llvm::raw_ostream &operator<<(llvm::raw_ostream &os,
                                     const Layout &layout) {
  layout.print(os);
  return os;
}

/// Returns the text "(3, 5)".
std::string formatPoint(llvm::ArrayRef<int64_t> point);

} // namespace tessera::layout

#endif // TESSERA_LAYOUT_LAYOUT_H
