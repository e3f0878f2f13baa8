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

#include "tessera/Dialect/SM/IR/CostModel.h"
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

namespace {
/// The sizes of a product. Tensor cores compute its transpose or repeat its
/// rows.
struct FewRows {
  explicit FewRows(tile::GemmOp gemm)
      : gemm(gemm), target(getTarget(gemm)),
        element(getMatrixType(gemm.getA()).getElementType()),
        bits(element.getIntOrFloatBitWidth()),
        m(getMatrixType(gemm).getDimSize(0)),
        n(getMatrixType(gemm).getDimSize(1)),
        k(getMatrixType(gemm.getA()).getDimSize(!gemm.getTransposeA())) {}

  bool mayBeTransposed() {
    if ((bits > 16 && !gemm.getTf32()) || m % target.wgmmaM == 0 ||
        n % target.wgmmaM != 0 || k % (256 / bits) != 0 ||
        target.getWgmmaColumns(m, element.isInteger()) == 0)
      return false;
    // An operand has a multiple of 32 bytes along its rows.
    return bits != 16 || !gemm.getTransposeA() || m % 16 == 0;
  }

  /// Checks whether an instruction of 64 rows may repeat the rows. Threads hold
  /// two rows of an instruction. With at most 8 rows, a thread would hold a row
  /// twice and repeat its computations.
  bool mayRepeat() const {
    return m < target.wgmmaM && target.wgmmaM % m == 0 && m > target.wgmmaStepN;
  }

  /// Returns the words of each thread of a warpgroup that hold 64 rows.
  int64_t countWords(int64_t columns, int64_t width) const {
    return target.wgmmaM * columns * width /
           (32 * target.getWarpgroupThreads());
  }

  tile::GemmOp gemm;
  const GpuTarget &target;
  Type element;
  int64_t bits, m, n, k;
};
} // namespace

/// Counts the registers that products of `kernel` with repeated rows take in
/// the block that takes the most: sums, and left operands.
static int64_t countRepeatedRegisters(tile::KernelOp kernel) {
  llvm::MapVector<Block *, int64_t> registers;
  llvm::SetVector<std::pair<Block *, Value>> operands;
  kernel.walk([&](tile::GemmOp gemm) {
    FewRows rows(gemm);
    if (!rows.mayRepeat() || !rows.mayBeTransposed())
      return;
    Block *block = gemm->getBlock();
    if (!gemm.getAccumulator().getDefiningOp<tile::GemmOp>())
      registers[block] += rows.countWords(rows.n, 32);
    if (operands.insert({block, gemm.getA()}))
      registers[block] += rows.countWords(rows.k, rows.bits);
  });
  int64_t most = 0;
  for (auto [block, count] : registers)
    most = std::max(most, count);
  return most;
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
  // Repeated rows take the registers of 64 rows.
  bool isRepeatable =
      countRepeatedRegisters(kernel) <=
      getTarget(kernel).registersPerThread - cost::kMmaRegisters;
  kernel.walk([&](tile::GemmOp gemm) {
    FewRows rows(gemm);
    bool isRepeated = rows.mayRepeat() && isRepeatable &&
                      !(isLoaded(gemm.getA()) && isLoaded(gemm.getB()) &&
                        !areRowsCombined(gemm));
    if (rows.mayBeTransposed() && !isRepeated)
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
