//===- DelayedProducts.h - Products fused with a later sum ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Delays the product of a tile with a scalar until a sum, where the two become
// one fused multiply-add:
//
//   s = x * c                        t = select(mask, x, fill)
//   t = select(mask, s, -inf)   ->   m = rowmax(t) * c
//   m = rowmax(t)                    p = exp2(fma(t, c, -m))
//   p = exp2(t - m)
//
// This is right for any c, not only for a positive one:
//
// - rowmax(c * x) is c * rowmax(x) for c >= 0 and c * rowmin(x) for c <= 0. If
//   the sign is not known, an scf.if on the scalar chooses the reduction. It is
//   the same for all iterations and all threads, so it costs a branch that is
//   always predicted. The loop stays one loop, and a later pass may unswitch
//   it. Alternatives cost more. Two loops at once would double the code of
//   every softmax for a rare case. max(c * rowmax(x), c * rowmin(x)) would
//   reduce twice. A changed sign of an operand of the product would forbid
//   copying the operand directly to shared memory.
// - The masked elements have to become -inf after the product: `fill` is -inf
//   for c > 0 and +inf for c < 0.
// - c = 0 would give 0 * inf = NaN there. It is replaced by 2^-126, the least
//   normal number. The products change by less than |x| * 2^-126, which is
//   negligible for |x| below 2^100, and the infinities keep their sign.
//
// The multiply-add does not round c * x, but the maximum is rounded. The
// difference is at most half a unit in the last place of the maximum. It is
// equal for all elements of a row, so it cancels in a softmax, unless its exp2
// is not finite, from 2^31 on. Only moderate numbers are therefore delayed
// (Magnitude.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_DELAYEDPRODUCTS_H
#define TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_DELAYEDPRODUCTS_H

#include "UniformScalars.h"

namespace tessera::tile {

class DelayedProducts {
public:
  DelayedProducts(UniformBuilder &uniforms, bool assumePositive)
      : uniforms(uniforms), assumePositive(assumePositive) {}

  /// Delays `product` if each of its uses, through masks, is a sum or a row
  /// maximum or minimum, and one of the sums is an operand of an exp2.
  /// Otherwise returns failure, and a `reason` if the product does reach an
  /// exp2.
  LogicalResult delay(arith::MulFOp product, std::string &reason);

  unsigned getNumFused() const { return numFused; }

private:
  struct Delayed;

  LogicalResult check(Value value, Delayed &delayed, std::string &reason);
  void rewriteUses(Value value, Value base, Delayed &delayed);
  void rewriteSelect(arith::SelectOp select, Value value, Value base,
                     Delayed &delayed);
  void rewriteReduce(ReduceOp reduce, Value base, Delayed &delayed);
  void rewriteSum(Operation *sum, unsigned index, Value base, Delayed &delayed);
  Value negate(OpBuilder &builder, Value value);

  UniformBuilder &uniforms;
  bool assumePositive;
  unsigned numFused = 0;
};

} // namespace tessera::tile

#endif // TESSERA_LIB_DIALECT_TILE_TRANSFORMS_ARITHMETIC_DELAYEDPRODUCTS_H
