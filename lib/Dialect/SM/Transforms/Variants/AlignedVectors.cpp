//===- AlignedVectors.cpp - Accesses whose vectors are aligned --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "AlignedVectors.h"
#include "Roles/TmaFetch.h"

#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/Layouts.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <numeric>

using namespace tessera;
using namespace tessera::sm;

namespace {
/// A size that must be a multiple of `width`.
struct Multiple {
  tile::SizeAttr size;
  int64_t width;

  tile::SizeAttr getRemainder() const {
    return tile::SizeAttr::getNormalized(size.getContext(), size.getSymbols(),
                                         size.getExpr() % width);
  }
  /// Checks whether no sizes let `other` hold as well: B and B + 1 are not both
  /// even.
  bool contradicts(const Multiple &other) const {
    SmallVector<StringAttr> symbols(size.getSymbols());
    llvm::append_range(symbols, other.size.getSymbols());
    AffineExpr shifted = other.size.getExpr().shiftSymbols(
        other.size.getSymbols().size(), size.getSymbols().size());
    auto remainder = tile::SizeAttr::getNormalized(
        size.getContext(), symbols,
        (size.getExpr() - shifted) % std::gcd(width, other.width));
    return remainder.getConstantValue().value_or(0) != 0;
  }
};

/// Collects the conditions that make sizes and positions multiples of `width`;
/// those of `known` are multiples already.
class Multiples {
public:
  Multiples(int64_t width, ArrayRef<Multiple> known)
      : width(width), known(known) {}

  /// Checks whether they can be.
  bool require(tile::SizeAttr size);
  bool require(Value position);

  ArrayRef<Multiple> get() const { return own; }

private:
  bool requireAll(ValueRange positions) {
    return llvm::all_of(positions, [&](Value v) { return require(v); });
  }

  int64_t width;
  ArrayRef<Multiple> known;
  SmallVector<Multiple> own;
};
} // namespace

bool Multiples::require(tile::SizeAttr size) {
  Multiple multiple{size, width};
  if (std::optional<int64_t> value = multiple.getRemainder().getConstantValue())
    return *value == 0;
  if (llvm::any_of(
          llvm::concat<const Multiple>(known, own),
          [&](const Multiple &other) { return multiple.contradicts(other); }))
    return false;
  own.push_back(multiple);
  return true;
}

bool Multiples::require(Value position) {
  if (std::optional<int64_t> value = getConstantIntValue(position))
    return *value % width == 0;
  if (auto argument = dyn_cast<BlockArgument>(position)) {
    auto loop = dyn_cast<scf::ForOp>(argument.getOwner()->getParentOp());
    return loop && argument == loop.getInductionVar() &&
           require(loop.getLowerBound()) && require(loop.getStep());
  }
  Operation *op = position.getDefiningOp();
  if (auto size = dyn_cast<tile::SizeOp>(op))
    return require(size.getSize());
  // One factor is enough; that of a constant takes no condition.
  if (auto product = dyn_cast<arith::MulIOp>(op))
    return require(product.getRhs()) || require(product.getLhs());
  if (isa<arith::AddIOp, arith::SubIOp, arith::MinSIOp, arith::MaxSIOp>(op))
    return requireAll(op->getOperands());
  if (isa<arith::IndexCastOp, arith::ExtSIOp>(op))
    return require(op->getOperand(0));
  return false;
}

/// Finds the sizes that must be multiples, in addition to `known`, for the
/// vectors of `op` to be aligned.
template <typename OpTy>
static FailureOr<SmallVector<Multiple>>
findMultiples(OpTy op, RankedTensorType tile, ArrayRef<Multiple> known) {
  tile::GlobalType global = op.getGlobalType();
  int64_t width = getGlobalVectorWidth(
      getLayout(tile), getElementBytes(global.getElementType()));
  unsigned last = global.getRank() - 1;
  if (width == 1 || op.getDims().empty() || op.getDims().back() != last)
    return failure();
  Multiples multiples(width, known);
  // Rows of a tensor of rank 1 all begin where it does.
  if (last > 0 && !multiples.require(global.getShape().back()))
    return failure();
  Value start = op.getIndices()[last];
  if (isa<RankedTensorType>(start.getType()) || !multiples.require(start))
    return failure();
  unsigned walked = op.getDims().size() - 1;
  if (!op.isInBounds(walked) && !multiples.require(op.getLimits()[walked]))
    return failure();
  return llvm::to_vector(multiples.get());
}

unsigned sm::alignVectors(KernelOp kernel) {
  unsigned aligned = 0;
  SmallVector<Multiple> known;
  auto align = [&](auto op, Type type) {
    auto tile = dyn_cast<RankedTensorType>(type);
    if (!tile)
      return;
    FailureOr<SmallVector<Multiple>> multiples = findMultiples(op, tile, known);
    if (failed(multiples))
      return;
    llvm::append_range(known, *multiples);
    addConditions(kernel,
                  llvm::map_to_vector(*multiples, [](Multiple multiple) {
                    return multiple.getRemainder();
                  }));
    op->setAttr(kAlignedAttrName, UnitAttr::get(op.getContext()));
    ++aligned;
  };
  kernel.walk([&](LoadOp op) { align(op, op.getType()); });
  kernel.walk([&](StoreOp op) { align(op, op.getValue().getType()); });
  return aligned;
}
