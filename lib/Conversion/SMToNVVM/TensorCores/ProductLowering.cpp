//===- ProductLowering.cpp - Products on tensor cores -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers an MMA of a role to wgmma instructions. Each of its warpgroups issues
// instructions over its blocks of 64 rows, over blocks of columns of equal
// size, and over steps of 32 bytes along K. Invariant: all instructions of an
// MMA are one group.
//
//===----------------------------------------------------------------------===//

#include "InFlightOperands.h"
#include "Kernel/InlinePTX.h"
#include "Kernel/Machine.h"
#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

ProductPart sm::emitProductPart(OpBuilder &builder, Location loc,
                                Value warpgroup, layout::ProductSplit split) {
  if (split.columns == 1)
    return {warpgroup, Value()};
  if (split.rows == 1)
    return {Value(), warpgroup};
  Value rows = emitI32(builder, loc, split.rows);
  return {LLVM::URemOp::create(builder, loc, warpgroup, rows),
          LLVM::UDivOp::create(builder, loc, warpgroup, rows)};
}

namespace {
/// An operand in shared memory: descriptors of its parts. Arithmetic is on the
/// lower half, from uniform values, so that it does not use vector registers.
class SharedOperand {
public:
  /// `part` is the number of the warpgroup's part, of `blocksEach` blocks, or
  /// null for 0.
  SharedOperand(OpBuilder &builder, Location loc, Value address, SmemType tile,
                unsigned kDim, int64_t block, Value part, int64_t blocksEach);

  bool isTransposed() const { return descriptor.isTransposed; }
  Value get(OpBuilder &builder, Location loc, int64_t block,
            int64_t step) const;

private:
  layout::MatrixDescriptor descriptor;
  /// The lower half for the first part.
  Value low;
};
} // namespace

SharedOperand::SharedOperand(OpBuilder &builder, Location loc, Value address,
                             SmemType tile, unsigned kDim, int64_t block,
                             Value part, int64_t blocksEach)
    // Cannot fail: the verifier created the descriptor already.
    : descriptor(llvm::cantFail(getMatrixDescriptor(tile, kDim, block))) {
  // The bits above bit 17 hold the CTA's rank in the cluster.
  low = LLVM::AndOp::create(builder, loc, address,
                            emitI32(builder, loc, 0x3FFFF));
  low = LLVM::LShrOp::create(builder, loc, low, emitI32(builder, loc, 4));
  if (!part)
    return;
  int64_t stride =
      (descriptor.getStart(blocksEach, 0) - descriptor.getStart(0, 0)) >> 4;
  Value offset =
      LLVM::MulOp::create(builder, loc, part, emitI32(builder, loc, stride));
  low = LLVM::AddOp::create(builder, loc, low, offset);
}

Value SharedOperand::get(OpBuilder &builder, Location loc, int64_t block,
                         int64_t step) const {
  uint64_t fixed = descriptor.encode(0);
  int64_t constant =
      static_cast<uint32_t>(fixed) + (descriptor.getStart(block, step) >> 4);
  Value half =
      LLVM::AddOp::create(builder, loc, low, emitI32(builder, loc, constant));
  Type i64 = builder.getI64Type();
  Value wide = LLVM::ZExtOp::create(builder, loc, i64, half);
  Value high = LLVM::ConstantOp::create(
      builder, loc, i64,
      builder.getI64IntegerAttr(static_cast<int64_t>(fixed >> 32 << 32)));
  return LLVM::OrOp::create(builder, loc, wide, high);
}

/// Returns A's fragments as i32, four for each block of 64 rows and step.
static SmallVector<Value> packFragments(OpBuilder &builder, Location loc,
                                        RankedTensorType tile,
                                        ValueRange values) {
  Type i32 = builder.getI32Type();
  SmallVector<Value> packed;
  if (isPacked(tile)) {
    for (Value pair : values)
      packed.push_back(LLVM::BitcastOp::create(builder, loc, i32, pair));
    return packed;
  }
  if (tile.getElementType().isF32()) {
    for (Value value : values)
      packed.push_back(LLVM::BitcastOp::create(builder, loc, i32, value));
    return packed;
  }
  Type four = VectorType::get(4, builder.getI8Type());
  for (size_t i = 0; i < values.size(); i += 4) {
    Value vector = LLVM::PoisonOp::create(builder, loc, four);
    for (int64_t j = 0; j < 4; ++j)
      vector = LLVM::InsertElementOp::create(
          builder, loc, vector, values[i + j], emitI32(builder, loc, j));
    packed.push_back(LLVM::BitcastOp::create(builder, loc, i32, vector));
  }
  return packed;
}

static bool isZero(Value value) {
  if (matchPattern(value, m_AnyZeroFloat()) || matchPattern(value, m_Zero()))
    return true;
  auto constant = value.getDefiningOp<LLVM::ConstantOp>();
  if (!constant)
    return false;
  if (auto number = dyn_cast<IntegerAttr>(constant.getValue()))
    return number.getValue().isZero();
  auto number = dyn_cast<FloatAttr>(constant.getValue());
  return number && number.getValue().isPosZero();
}

/// Checks whether only this op needs the registers of `tile`. A transpose
/// renames them.
static bool isOnlyUser(Value tile) {
  while (auto transpose = tile.getDefiningOp<TransposeOp>()) {
    if (!tile.hasOneUse())
      return false;
    tile = transpose.getSource();
  }
  return tile.hasOneUse();
}

/// Checks whether `accumulators`, the registers of `tile`, are known to hold no
/// other value: an MMA or a loop defines them. LLVM may merge computed values,
/// for example those of a broadcast row.
static bool haveOwnRegisters(Value tile, ValueRange accumulators) {
  llvm::SmallDenseSet<Value, 64> distinct(accumulators.begin(),
                                          accumulators.end());
  return distinct.size() == accumulators.size() && isOnlyUser(tile) &&
         llvm::all_of(accumulators, [](Value value) {
           return isa<BlockArgument>(value) ||
                  value.getDefiningOp<LLVM::ExtractValueOp>();
         });
}

/// Issues the MMA of `op` as one group. Returns its accumulators. `fragments`
/// are the operands in registers.
template <typename OpTy>
static SmallVector<Value>
emitProduct(ConversionPatternRewriter &builder, const LoweringContext &context,
            OpTy op, ValueRange a, Value b, ValueRange accumulators,
            SmallVector<Value> &fragments) {
  Location loc = op.getLoc();
  const GpuTarget &target = context.getTarget();
  const ThreadGroup &threads = context.getThreads(op);
  auto right = cast<SmemType>(op.getB().getType());
  auto left = dyn_cast<SmemType>(op.getA().getType());
  Type tile = op.getAccumulator().getType();
  if (auto pending = dyn_cast<PendingType>(tile))
    tile = pending.getTensor();
  int64_t warpgroups = threads.warps / target.warpsPerWarpgroup;
  layout::ProductSplit split = layout::getProductSplit(
      cast<RankedTensorType>(tile).getDimSize(0), warpgroups);
  int64_t n = right.getShape()[!op.getTransposeB()] / split.columns;
  int64_t k = right.getShape()[op.getTransposeB()];
  int64_t steps = k * right.getElementBytes() / 32;
  Type sum = right.getElementType().isInteger() ? builder.getI32Type()
                                                : Type(builder.getF32Type());
  int64_t block =
      getInstructionColumns(target, right, op.getTransposeB(), split.columns);
  int64_t columns = n / block;
  int64_t count = block / 2; // accumulators of an instruction
  int64_t rows = accumulators.size() / (count * columns);

  ProductPart part;
  if (warpgroups > 1 && (left || split.columns > 1)) {
    Value warpgroup = LLVM::LShrOp::create(builder, loc, threads.warp,
                                           emitI32(builder, loc, 2));
    part = emitProductPart(builder, loc, warpgroup, split);
  }
  SharedOperand rightOperand(builder, loc, b, right,
                             /*kDim=*/op.getTransposeB() ? 1 : 0, block,
                             part.columns, columns);
  std::optional<SharedOperand> leftOperand;
  if (left) {
    leftOperand.emplace(builder, loc, a.front(), left,
                        /*kDim=*/op.getTransposeA() ? 0 : 1, target.wgmmaM,
                        part.rows, rows);
  } else {
    fragments = packFragments(builder, loc,
                              cast<RankedTensorType>(op.getA().getType()), a);
  }

  WgmmaForm form;
  form.n = block;
  form.a = left ? left.getElementType()
                : cast<RankedTensorType>(op.getA().getType()).getElementType();
  form.b = right.getElementType();
  form.transposesA = leftOperand && leftOperand->isTransposed();
  form.transposesB = rightOperand.isTransposed();

  // Sums that start from zero are not zeroed: the first step overwrites them.
  bool overwrites = llvm::all_of(accumulators, isZero);
  SmallVector<Value> sums(accumulators);
  if (overwrites)
    llvm::fill(sums, LLVM::PoisonOp::create(builder, loc, sum).getResult());
  // The MMA writes its accumulators, so other values in their registers are
  // copied first.
  if (!overwrites && !haveOwnRegisters(op.getAccumulator(), accumulators))
    sums = emitWgmmaFence(builder, loc, sums, fragments);
  else if (!fragments.empty())
    emitWgmmaFence(builder, loc, {}, fragments);
  else
    NVVM::WgmmaFenceAlignedOp::create(builder, loc);
  for (int64_t step = 0; step < steps; ++step) {
    form.accumulates = !(overwrites && step == 0);
    for (int64_t row = 0; row < rows; ++row) {
      SmallVector<Value> fragment;
      if (leftOperand)
        fragment.push_back(leftOperand->get(builder, loc, row, step));
      else
        fragment.assign(fragments.begin() + 4 * (row * steps + step),
                        fragments.begin() + 4 * (row * steps + step) + 4);
      for (int64_t column = 0; column < columns; ++column) {
        auto *first = sums.begin() + (row * columns + column) * count;
        SmallVector<Value> results =
            emitWgmma(builder, loc, form, ValueRange(ArrayRef(first, count)),
                      fragment, rightOperand.get(builder, loc, column, step));
        llvm::copy(results, first);
      }
    }
  }
  NVVM::WgmmaGroupSyncAlignedOp::create(builder, loc);
  return sums;
}

namespace {
/// A pattern with the registers that MMAs in flight read.
template <typename OpTy>
class ProductPattern : public KernelPattern<OpTy> {
public:
  ProductPattern(const TypeConverter &converter, const LoweringContext &context,
                 std::shared_ptr<InFlightOperands> borrowed)
      : KernelPattern<OpTy>(converter, context), borrowed(std::move(borrowed)) {
  }

protected:
  std::shared_ptr<InFlightOperands> borrowed;
};

template <typename OpTy>
struct ProductLowering : ProductPattern<OpTy> {
  using ProductPattern<OpTy>::ProductPattern;

  LogicalResult
  matchAndRewrite(OpTy op,
                  typename OpConversionPattern<OpTy>::OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> read;
    SmallVector<Value> sums =
        emitProduct(rewriter, this->context, op, adaptor.getA(),
                    adaptor.getB().front(), adaptor.getAccumulator(), read);
    if constexpr (std::is_same_v<OpTy, MmaOp>)
      sums = emitWgmmaWait(rewriter, op.getLoc(), /*leave=*/0, sums, read);
    else
      this->borrowed->set(op, std::move(read));
    replaceByRegisters(rewriter, op, sums);
    return success();
  }
};

struct AwaitLowering : ProductPattern<MmaAwaitOp> {
  using ProductPattern::ProductPattern;

  LogicalResult
  matchAndRewrite(MmaAwaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    replaceByRegisters(rewriter, op,
                       emitWgmmaWait(rewriter, op.getLoc(), op.getLeave(),
                                     adaptor.getPending(), borrowed->get(op)));
    return success();
  }
};

struct RetireLowering : ProductPattern<MmaRetireOp> {
  using ProductPattern::ProductPattern;

  LogicalResult
  matchAndRewrite(MmaRetireOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    (void)emitWgmmaWait(rewriter, op.getLoc(), op.getLeave(), {},
                        borrowed->get(op));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::populateProductPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  auto borrowed = std::make_shared<InFlightOperands>(context.getFunction());
  patterns.add<ProductLowering<MmaOp>, ProductLowering<MmaIssueOp>,
               AwaitLowering, RetireLowering>(converter, context, borrowed);
}
