//===- TransposedProducts.cpp - Products computed transposed ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Rewrites a product as the transpose of b^T a^T. Transpositions then cancel by
// folding, and a loop carries the transposed sum if it only transposes its
// value. Inner loops come first, so that a transposition moves outwards through
// a nest.
//
//===----------------------------------------------------------------------===//

#include "TransposedProducts.h"

#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Which products
//===----------------------------------------------------------------------===//

static RankedTensorType getMatrixType(Value value) {
  return cast<RankedTensorType>(value.getType());
}

static bool isLoaded(Value tile) {
  while (auto transpose = tile.getDefiningOp<tile::TransposeOp>())
    tile = transpose.getSource();
  return tile.getDefiningOp<tile::LoadOp>() != nullptr;
}

/// Checks whether rows of `tile`, or of values computed from it, are reduced or
/// multiplied.
static bool areRowsCombined(Value tile) {
  llvm::SetVector<Value> values;
  values.insert(tile);
  for (unsigned next = 0; next < values.size(); ++next)
    for (OpOperand &use : values[next].getUses()) {
      Operation *op = use.getOwner();
      if (isa<tile::ReduceOp, tile::ScanOp, tile::ReduceWithOp,
              tile::ScanWithOp>(op))
        return true;
      if (auto gemm = dyn_cast<tile::GemmOp>(op);
          gemm && use.get() != gemm.getAccumulator())
        return true;
      values.insert(op->result_begin(), op->result_end());
      if (auto loop = dyn_cast<scf::ForOp>(op)) {
        values.insert(loop.getRegionIterArgs().begin(),
                      loop.getRegionIterArgs().end());
      } else if (isa<scf::YieldOp>(op)) {
        Operation *parent = op->getParentOp();
        values.insert(parent->result_begin(), parent->result_end());
        if (auto loop = dyn_cast<scf::ForOp>(parent))
          values.insert(loop.getRegionIterArgs().begin(),
                        loop.getRegionIterArgs().end());
      }
    }
  return false;
}

static bool isBetterTransposed(tile::GemmOp gemm) {
  const GpuTarget &target = getTarget(gemm);
  RankedTensorType type = getMatrixType(gemm);
  Type element = getMatrixType(gemm.getA()).getElementType();
  int64_t m = type.getDimSize(0), n = type.getDimSize(1);
  int64_t k = getMatrixType(gemm.getA()).getDimSize(!gemm.getTransposeA());
  int64_t bits = element.getIntOrFloatBitWidth();
  bool isPossible = (bits <= 16 || gemm.getTf32()) && m % target.wgmmaM != 0 &&
                    n % target.wgmmaM == 0 && k % (256 / bits) == 0 &&
                    target.getWgmmaColumns(m, element.isInteger()) != 0;
  // An operand has a multiple of 32 bytes along its rows.
  if (!isPossible || (bits == 16 && gemm.getTransposeA() && m % 16 != 0))
    return false;
  // Threads hold two rows of an instruction. With at most 8 rows, a thread
  // would hold a row twice and repeat its computations.
  bool mayRepeat =
      m < target.wgmmaM && target.wgmmaM % m == 0 && m > target.wgmmaStepN;
  return !mayRepeat || (isLoaded(gemm.getA()) && isLoaded(gemm.getB()) &&
                        !areRowsCombined(gemm));
}

//===----------------------------------------------------------------------===//
// Rewriting
//===----------------------------------------------------------------------===//

static void transposeProduct(tile::GemmOp gemm) {
  OpBuilder builder(gemm);
  Location loc = gemm.getLoc();
  Value accumulator =
      builder.createOrFold<tile::TransposeOp>(loc, gemm.getAccumulator());
  Value turned =
      tile::GemmOp::create(builder, loc, accumulator.getType(), gemm.getB(),
                           gemm.getA(), accumulator, !gemm.getTransposeB(),
                           !gemm.getTransposeA(), gemm.getTf32());
  gemm.replaceAllUsesWith(
      tile::TransposeOp::create(builder, loc, turned).getResult());
  gemm.erase();
}

/// Makes `loop` carry the transpose of its value `index`, if the loop only
/// reads and yields the transpose.
static bool carryTransposed(scf::ForOp loop, unsigned index) {
  BlockArgument argument = loop.getRegionIterArg(index);
  OpOperand &yielded = *loop.getTiedLoopYieldedValue(argument);
  auto last = yielded.get().getDefiningOp<tile::TransposeOp>();
  if (!last || argument.use_empty() ||
      !llvm::all_of(argument.getUsers(), llvm::IsaPred<tile::TransposeOp>))
    return false;
  OpBuilder builder(loop);
  OpOperand &init = *loop.getTiedLoopInit(argument);
  init.set(builder.createOrFold<tile::TransposeOp>(loop.getLoc(), init.get()));
  Type type = init.get().getType();
  argument.setType(type);
  for (Operation *user : llvm::make_early_inc_range(argument.getUsers())) {
    user->getResult(0).replaceAllUsesWith(argument);
    user->erase();
  }
  yielded.set(last.getSource());
  if (last->use_empty())
    last.erase();
  Value result = loop.getResult(index);
  result.setType(type);
  builder.setInsertionPointAfter(loop);
  auto back = tile::TransposeOp::create(builder, loop.getLoc(), result);
  result.replaceAllUsesExcept(back, back);
  return true;
}

void sm::transposeProducts(tile::KernelOp kernel, bool remarks) {
  SmallVector<tile::GemmOp> products;
  kernel.walk([&](tile::GemmOp gemm) {
    if (isBetterTransposed(gemm))
      products.push_back(gemm);
  });
  if (products.empty())
    return;
  for (tile::GemmOp gemm : products) {
    if (remarks) {
      RankedTensorType type = getMatrixType(gemm);
      gemm.emitRemark() << "the product of " << type.getDimSize(0) << " rows "
                        << "and " << type.getDimSize(1)
                        << " columns is computed as its transpose"
                        << " [product-transposed]";
    }
    transposeProduct(gemm);
  }
  // Inner loops come first, and loops come before those that continue their
  // sums.
  kernel.walk([](scf::ForOp loop) {
    for (unsigned index = 0; index < loop.getNumResults(); ++index)
      if (isa<RankedTensorType>(loop.getResult(index).getType()))
        (void)carryTransposed(loop, index);
  });
}
