//===- BarrierLowering.cpp - Memory barriers and words ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers mbarriers, proxy fences, and queues of words to nvvm and inline PTX.
// An arrival that releases a slot must follow the loads from the slot. The
// predicate of the arrival therefore depends on a register of each load
// (emitAfter), which no assembler can remove.
//
//===----------------------------------------------------------------------===//

#include "Kernel/InlinePTX.h"
#include "Kernel/Machine.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "llvm/ADT/SetVector.h"

using namespace tessera;
using namespace tessera::sm;

Value sm::emitAllocatedAddress(OpBuilder &builder,
                               const LoweringContext &context, Operation *op,
                               std::optional<int64_t> address) {
  if (!address) {
    op->emitOpError() << "expected an address in shared memory; run "
                         "'sm-allocate-smem' first";
    return Value();
  }
  return context.getSharedAddress(builder, op->getLoc(), *address);
}

/// Emits the address of an element of an array in shared memory.
static Value emitElement(OpBuilder &builder, Location loc, Value base,
                         Value index, int64_t bytes) {
  Value offset =
      LLVM::MulOp::create(builder, loc, index, emitI32(builder, loc, bytes));
  return LLVM::AddOp::create(builder, loc, base, offset);
}

static Value emitNumberInWarpgroup(OpBuilder &builder, Location loc,
                                   const ThreadGroup &threads) {
  return LLVM::AndOp::create(
      builder, loc, threads.thread,
      emitI32(builder, loc, threads.target->getWarpgroupThreads() - 1));
}

Value sm::emitIsFirstOfWarpgroup(OpBuilder &builder, Location loc,
                                 const ThreadGroup &threads) {
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                              emitNumberInWarpgroup(builder, loc, threads),
                              emitI32(builder, loc, 0));
}

static Value emitIsFirstOfWarp(OpBuilder &builder, Location loc,
                               const ThreadGroup &threads) {
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                              threads.lane, emitI32(builder, loc, 0));
}

static constexpr int64_t kBarrierBytes = 8;
static constexpr int64_t kWordBytes = 4;

Value sm::emitBarrierAddress(OpBuilder &builder, Location loc, Value barriers,
                             Value index) {
  return emitElement(builder, loc, barriers, index, kBarrierBytes);
}

namespace {
struct BarrierAllocLowering : KernelPattern<MbarrierAllocOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MbarrierAllocOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value base = emitAllocatedAddress(rewriter, context, op, op.getAddress());
    if (!base)
      return failure();
    // The other threads wait before the roles.
    Value isFirst = emitIsElected(rewriter, context, op);
    auto branch = scf::IfOp::create(rewriter, loc, isFirst,
                                    /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    Value arrivals = emitI32(inner, loc, op.getArrivals());
    for (int64_t i = 0; i < op.getType().getCount(); ++i) {
      Value address = context.getSharedAddress(
          inner, loc, *op.getAddress() + i * kBarrierBytes);
      NVVM::MBarrierInitOp::create(inner, loc,
                                   emitSharedPointer(inner, loc, address),
                                   arrivals, /*predicate=*/Value());
    }
    rewriter.replaceOp(op, base);
    return success();
  }
};

/// Lowers an op that only allocates shared memory.
template <typename OpTy>
struct AllocLowering : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpConversionPattern<OpTy>::OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Value base =
        emitAllocatedAddress(rewriter, this->context, op, op.getAddress());
    if (!base)
      return failure();
    rewriter.replaceOp(op, base);
    return success();
  }
};

struct SlotsAtLowering : KernelPattern<SlotsAtOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SlotsAtOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, emitElement(rewriter, op.getLoc(),
                                       adaptor.getSlots().front(),
                                       adaptor.getIndex().front(),
                                       op.getResult().getType().getBytes()));
    return success();
  }
};

struct SlotAfterLowering : KernelPattern<SlotAfterOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(SlotAfterOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value sum = LLVM::AddOp::create(rewriter, loc, adaptor.getIndex().front(),
                                    emitI32(rewriter, loc, op.getDistance()));
    rewriter.replaceOp(
        op, LLVM::URemOp::create(rewriter, loc, sum,
                                 emitI32(rewriter, loc, op.getCount())));
    return success();
  }
};

struct FenceLowering : KernelPattern<FenceOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(FenceOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    emitProxyFence(rewriter, op.getLoc());
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierWaitLowering : KernelPattern<MbarrierWaitOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MbarrierWaitOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier =
        emitBarrierAddress(rewriter, loc, adaptor.getBarrier().front(),
                           adaptor.getIndex().front());
    emitBarrierWait(rewriter, loc, barrier, adaptor.getParity().front());
    rewriter.eraseOp(op);
    return success();
  }
};

/// Emits the bits of `value`, or as many bits as an i32 holds.
static Value emitBits(OpBuilder &builder, Location loc, Value value) {
  Type type = value.getType(), word = builder.getI32Type();
  auto vector = dyn_cast<VectorType>(type);
  unsigned bits =
      vector ? vector.getNumElements() * vector.getElementTypeBitWidth()
             : type.getIntOrFloatBitWidth();
  Value integer = value;
  if (!type.isInteger())
    integer = LLVM::BitcastOp::create(builder, loc,
                                      builder.getIntegerType(bits), value);
  if (bits < 32)
    return LLVM::ZExtOp::create(builder, loc, word, integer);
  if (bits > 32)
    return LLVM::TruncOp::create(builder, loc, word, integer);
  return integer;
}

/// Collects the loads from which the bits of `value` come.
static void findLoads(Value value, llvm::SetVector<Operation *> &loads) {
  Operation *op = value.getDefiningOp();
  if (!op)
    return;
  if (isa<LLVM::LoadOp, NVVM::LdMatrixOp>(op)) {
    loads.insert(op);
    return;
  }
  for (Value operand : op->getOperands())
    findLoads(operand, loads);
}

/// Returns a register of each load of a tile. Assemblers change the order of
/// loads, so no load proves that another one is complete. Elements are not
/// split, because that would split the loads.
static SmallVector<Value> pickOfEachLoad(OpBuilder &builder, Location loc,
                                         ValueRange loaded) {
  llvm::SetVector<Operation *> loads;
  for (Value value : loaded)
    findLoads(value, loads);
  if (loads.empty())
    return SmallVector<Value>(loaded);
  return llvm::map_to_vector(loads, [&](Operation *load) -> Value {
    Value all = load->getResult(0);
    if (!isa<LLVM::LLVMStructType>(all.getType()))
      return all;
    return LLVM::ExtractValueOp::create(builder, loc, all, 0);
  });
}

/// Returns `value`, an i32, but not before `loaded` is complete. The value is
/// combined with cleared bits of `loaded`: a grid has one CTA in its third
/// dimension, which no assembler knows. A fence would not wait for loads
/// either.
static Value emitAfter(OpBuilder &builder, Location loc, Value value,
                       ValueRange loaded) {
  Value all;
  for (Value picked : pickOfEachLoad(builder, loc, loaded)) {
    Value bits = emitBits(builder, loc, picked);
    all = all ? LLVM::OrOp::create(builder, loc, all, bits).getResult() : bits;
  }
  Value none = NVVM::BlockIdZOp::create(builder, loc, builder.getI32Type());
  return LLVM::XOrOp::create(builder, loc, value,
                             LLVM::AndOp::create(builder, loc, all, none));
}

struct BarrierArriveLowering : KernelPattern<MbarrierArriveOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MbarrierArriveOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier =
        emitBarrierAddress(rewriter, loc, adaptor.getBarrier().front(),
                           adaptor.getIndex().front());
    const ThreadGroup &threads = context.getThreads(op);
    if (op.getFetches()) {
      emitAsyncCopyArrive(rewriter, loc, barrier);
      rewriter.eraseOp(op);
      return success();
    }
    if (op.getCluster()) {
      Value thread;
      if (!threads.elected)
        thread = emitNumberInWarpgroup(rewriter, loc, threads);
      emitClusterArrive(rewriter, loc, barrier, thread,
                        context.getClusterSize());
      rewriter.eraseOp(op);
      return success();
    }
    Value predicate;
    if (!threads.elected) {
      // One thread arrives on behalf of the other threads of its warp.
      if (op.getWarps())
        NVVM::SyncWarpOp::create(rewriter, loc, emitI32(rewriter, loc, -1));
      Value isFirst = op.getWarps()
                          ? emitIsFirstOfWarp(rewriter, loc, threads)
                          : emitIsFirstOfWarpgroup(rewriter, loc, threads);
      predicate =
          LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(), isFirst);
      for (ValueRange loaded : adaptor.getAfter())
        predicate = emitAfter(rewriter, loc, predicate, loaded);
    }
    emitBarrierArrive(rewriter, loc, barrier, predicate);
    rewriter.eraseOp(op);
    return success();
  }
};

struct BarrierExpectLowering : KernelPattern<MbarrierExpectOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(MbarrierExpectOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value barrier =
        emitBarrierAddress(rewriter, loc, adaptor.getBarrier().front(),
                           adaptor.getIndex().front());
    emitBarrierExpect(rewriter, loc, barrier,
                      emitI32(rewriter, loc, op.getBytes()));
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

//===----------------------------------------------------------------------===//
// Words
//===----------------------------------------------------------------------===//

/// Emits a pointer to one of the words of an op.
template <typename OpTy, typename Adaptor>
static Value emitWordPointer(OpBuilder &builder, OpTy op, Adaptor adaptor) {
  Location loc = op.getLoc();
  Value address = emitElement(builder, loc, adaptor.getWords().front(),
                              adaptor.getIndex().front(), kWordBytes);
  return emitSharedPointer(builder, loc, address);
}

namespace {
struct WordsStoreLowering : KernelPattern<WordsStoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(WordsStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value pointer = emitWordPointer(rewriter, op, adaptor);
    Value isElected = emitIsElected(rewriter, context, op);
    auto branch = scf::IfOp::create(rewriter, loc, isElected,
                                    /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    LLVM::StoreOp::create(inner, loc, adaptor.getNumber().front(), pointer,
                          kWordBytes);
    rewriter.eraseOp(op);
    return success();
  }
};

struct WordsLoadLowering : KernelPattern<WordsLoadOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(WordsLoadOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Location loc = op.getLoc();
    Value pointer = emitWordPointer(rewriter, op, adaptor);
    Value number = LLVM::LoadOp::create(rewriter, loc, rewriter.getI32Type(),
                                        pointer, kWordBytes);
    // After a shuffle, all lanes have read the number before one lane
    // continues. The shuffle also shows ptxas that the number is uniform.
    if (!context.getThreads(op).elected)
      number = NVVM::ShflOp::create(
          rewriter, loc, rewriter.getI32Type(), emitI32(rewriter, loc, -1),
          number, emitI32(rewriter, loc, 0), emitI32(rewriter, loc, 31),
          NVVM::ShflKind::idx, UnitAttr());
    rewriter.replaceOp(op, number);
    return success();
  }
};
} // namespace

void sm::populateBarrierPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<BarrierAllocLowering, AllocLowering<SlotsAllocOp>,
               AllocLowering<ScratchOp>, AllocLowering<WordsAllocOp>,
               WordsStoreLowering, WordsLoadLowering, SlotsAtLowering,
               SlotAfterLowering, FenceLowering, BarrierWaitLowering,
               BarrierArriveLowering, BarrierExpectLowering>(converter,
                                                             context);
}
