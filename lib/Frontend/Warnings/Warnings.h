//===- Warnings.h - Warnings of surprising programs -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_WARNINGS_H
#define TESSERA_FRONTEND_WARNINGS_H

#include "KernelContext.h"

namespace tessera::frontend {

/// Warns once in a kernel of a function or a division of bf16 or an 8-bit
/// float, which has at most three digits.
void warnOfNarrowFunction(KernelContext &context, const Entity &operand,
                          StringRef name, SourcePlace place);
/// Warns if a scalar made by a reduction is stored to a tile of type `stored`.
void warnOfRepeatedReduction(KernelContext &context, const Entity &value,
                             Type stored, SourcePlace place);
/// Warns of `number`, which is not 0, but is rounded to 0 in `element`.
void warnOfUnderflow(KernelContext &context, const Entity &number, Type element,
                     SourcePlace place);
/// Warns of a comparison that NaN decides: `x == nan` is always false.
void warnOfNanComparison(KernelContext &context, TokenKind op,
                         SourcePlace place);
/// Warns if `index` is a grid axis over a size, and dimension `dim` of the
/// tensor has a `size` of another name. `expr` names the axis, or a parameter
/// of a fn with its value.
void warnOfOtherDimension(KernelContext &context, Value index, const Expr &expr,
                          StringRef tensor, size_t dim, tile::SizeAttr size);
/// Warns of text for `print` with the placeholders of other languages, such as
/// `{}` and `%d`.
void warnOfPlaceholders(KernelContext &context, StringRef text,
                        SourcePlace place);
/// Warns of a kernel without effect: it stores, prints and checks nothing.
void warnOfNoOutput(KernelContext &context, tile::KernelOp kernel);
/// Warns of each access that is past the end of its tensor in every run.
void warnOfOutsideAccesses(KernelContext &context, tile::KernelOp kernel);
/// Warns of the first tile that no GPU holds.
void warnOfLargeTile(KernelContext &context, tile::KernelOp kernel);
/// Warns of a `while` whose condition never changes. `yields` are the values of
/// the `var`s after an iteration, which are the arguments of `body` before it,
/// after the number of the iteration. `runs` is the number of the `var` that
/// ends the loop.
void warnOfEndlessLoop(KernelContext &context, SourcePlace place, Block &body,
                       ArrayRef<Value> yields, unsigned runs);
/// Warns of each quotient of integers that may be rounded down and becomes a
/// float without `as`.
void warnOfIntegerQuotients(KernelContext &context, tile::KernelOp kernel);
/// Warns of each reduction, product and order that includes elements past the
/// end.
void warnOfPaddedReductions(KernelContext &context, tile::KernelOp kernel);
/// Warns of each access that follows a store of the same program to the same
/// elements without a barrier.
void warnOfOwnStores(KernelContext &context, tile::KernelOp kernel);
/// Warns of each `y[i] = y[i] + t` that several elements or programs may do for
/// the same `i`.
void warnOfLostUpdates(KernelContext &context, tile::KernelOp kernel);
/// Warns of each reduction or scan by a function that is not associative.
void warnOfCombiners(KernelContext &context, tile::KernelOp kernel);
/// Warns of each load that is stored with its ranges in another order without a
/// transpose.
void warnOfSwappedTiles(KernelContext &context, tile::KernelOp kernel);
/// Warns of each store of different values to one element by several programs,
/// and of each load of elements that other programs store.
void warnOfOtherPrograms(KernelContext &context, tile::KernelOp kernel);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_WARNINGS_H
