//===- KernelPatterns.cpp - Uniform values of a kernel ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "InlinePTX.h"
#include "Patterns.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// Converts an op to a special register, as an `index` of the kernel.
template <typename OpTy, typename RegisterOp>
class SpecialRegister : public OpConversionPattern<OpTy> {
public:
  using OpConversionPattern<OpTy>::OpConversionPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpTy::Adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value number =
        RegisterOp::create(rewriter, op.getLoc(), rewriter.getI32Type());
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    number);
    return success();
  }
};

/// Fetches the next program with one atomic, which wraps to 0 at the last fetch
/// of the launch: CTAs fetch as often as there are programs.
class NextProgram : public KernelPattern<NextProgramOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(NextProgramOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value programs = emitToI32(rewriter, loc, adaptor.getPrograms().front());
    Value last =
        LLVM::SubOp::create(rewriter, loc, programs, emitI32(rewriter, loc, 1));
    Value drawn = LLVM::AtomicRMWOp::create(
        rewriter, loc, LLVM::AtomicBinOp::uinc_wrap, context.getCounter(), last,
        LLVM::AtomicOrdering::monotonic, /*syncscope=*/"device");
    // The first programs are those with which CTAs begin.
    Value ctas = NVVM::GridDimXOp::create(rewriter, loc, rewriter.getI32Type());
    Value next = LLVM::AddOp::create(rewriter, loc, ctas, drawn);
    rewriter.replaceOpWithNewOp<arith::IndexCastOp>(op, rewriter.getIndexType(),
                                                    next);
    return success();
  }
};

class ClusterBarrier : public KernelPattern<ClusterBarrierOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(ClusterBarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    // Not aligned: the warps arrive from different roles.
    NVVM::ClusterArriveOp::create(rewriter, op.getLoc(), UnitAttr());
    NVVM::ClusterWaitOp::create(rewriter, op.getLoc(), UnitAttr());
    rewriter.eraseOp(op);
    return success();
  }
};

/// A barrier of the grid has one counter for all CTAs. Each CTA adds 1, and the
/// first one adds what is missing to 2^31. So the last CTA, whichever it is,
/// flips the sign, and the other bits are 0 again. One thread of a CTA arrives
/// and waits; barriers of the role pass on what it releases and acquires (PTX
/// ISA, "Memory Consistency Model").
class Barrier : public KernelPattern<BarrierOp> {
public:
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(BarrierOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitRoleBarrier(rewriter, context, op);
    if (op.getGrid()) {
      auto branch = scf::IfOp::create(rewriter, op.getLoc(),
                                      emitIsElected(rewriter, context, op),
                                      /*withElseRegion=*/false);
      OpBuilder::InsertionGuard guard(rewriter);
      rewriter.setInsertionPointToStart(branch.thenBlock());
      meetGrid(rewriter, op.getLoc());
      rewriter.setInsertionPointAfter(branch);
      emitRoleBarrier(rewriter, context, op);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  void meetGrid(OpBuilder &builder, Location loc) const {
    Type i32 = builder.getI32Type();
    Value counter = context.getCounter();
    Value arrivals = LLVM::GEPOp::create(
        builder, loc, counter.getType(), i32, counter,
        ArrayRef<LLVM::GEPArg>{rt::ArgumentInfo::kArrivalsWord});
    Value number = NVVM::BlockIdXOp::create(builder, loc, i32);
    Value ctas = NVVM::GridDimXOp::create(builder, loc, i32);
    Value zero = emitI32(builder, loc, 0);
    Value sign = emitI32(builder, loc, std::numeric_limits<int32_t>::min());
    Value others =
        LLVM::SubOp::create(builder, loc, ctas, emitI32(builder, loc, 1));
    Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                         number, zero);
    Value share = LLVM::SelectOp::create(
        builder, loc, isFirst, LLVM::SubOp::create(builder, loc, sign, others),
        emitI32(builder, loc, 1));
    emitGridMeeting(builder, loc, arrivals, share);
  }
};
} // namespace

void sm::populateKernelPatterns(const LoweringContext &context,
                                const RegisterTypeConverter &converter,
                                RewritePatternSet &patterns) {
  MLIRContext *mlir = patterns.getContext();
  if (context.hasCluster())
    patterns.add<SpecialRegister<ProgramIdOp, NVVM::ClusterIdXOp>,
                 SpecialRegister<CtaCountOp, NVVM::ClusterDimXOp>>(converter,
                                                                   mlir);
  else
    patterns.add<SpecialRegister<ProgramIdOp, NVVM::BlockIdXOp>,
                 SpecialRegister<CtaCountOp, NVVM::GridDimXOp>>(converter,
                                                                mlir);
  patterns.add<SpecialRegister<CtaRankOp, NVVM::BlockInClusterIdXOp>>(converter,
                                                                      mlir);
  patterns.add<NextProgram, Barrier, ClusterBarrier>(converter, context);
}

void sm::replaceByRegisters(ConversionPatternRewriter &rewriter, Operation *op,
                            ValueRange registers) {
  Type type = op->getResult(0).getType();
  // A pending tile has the registers of its tile.
  if (auto pending = dyn_cast<PendingType>(type))
    type = pending.getTensor();
  auto tile = cast<RankedTensorType>(type);
  SmallVector<Value> values =
      packRegisters(rewriter, op->getLoc(), tile, registers);
  rewriter.replaceOpWithMultiple(op, ArrayRef<ValueRange>{values});
}
