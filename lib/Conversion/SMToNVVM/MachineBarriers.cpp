//===- MachineBarriers.cpp - Memory barriers and turns ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "PTXText.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

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

/// The address of one of equal things that lie one after the other.
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

/// What is only a place in shared memory.
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

struct StagesAtLowering : KernelPattern<StagesAtOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(StagesAtOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOp(op, emitElement(rewriter, op.getLoc(),
                                       adaptor.getStages().front(),
                                       adaptor.getIndex().front(),
                                       op.getResult().getType().getBytes()));
    return success();
  }
};

struct StageAfterLowering : KernelPattern<StageAfterOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(StageAfterOp op, OneToNOpAdaptor adaptor,
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
      // One thread speaks for what the others have read and written.
      if (op.getWarps())
        NVVM::SyncWarpOp::create(rewriter, loc, emitI32(rewriter, loc, -1));
      Value isFirst = op.getWarps()
                          ? emitIsFirstOfWarp(rewriter, loc, threads)
                          : emitIsFirstOfWarpgroup(rewriter, loc, threads);
      predicate =
          LLVM::ZExtOp::create(rewriter, loc, rewriter.getI32Type(), isFirst);
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

/// A pointer to one of the words of an op.
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
    // By a shuffle all lanes have read it where one goes on, and the machine
    // sees that it is the same in all of them.
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

//===----------------------------------------------------------------------===//
// Turns
//===----------------------------------------------------------------------===//

/// The hardware barriers of turns come after those of all roles, role by role:
/// one for each warpgroup. This is the first one of `role`.
static int64_t getFirstTurn(const LoweringContext &context,
                            const ThreadGroup &role) {
  int64_t first = 0;
  for (const ThreadGroup &group : context.getGroups())
    first = std::max(first, group.barrier + 1);
  for (const ThreadGroup &group : context.getGroups())
    if (group.barrier && group.firstWarp < role.firstWarp)
      first += group.warps / context.getTarget().warpsPerWarpgroup;
  return first;
}

namespace {
/// Turns of warpgroups of a role, or of roles of one warpgroup: a hardware
/// barrier for each of them, at which it waits and the one before it arrives.
class Turns {
public:
  static FailureOr<Turns> get(OpBuilder &builder,
                              const LoweringContext &context, Operation *op,
                              bool ofRoles);

  /// Who executes the op waits for its turn.
  void emitWait(OpBuilder &builder) const;
  /// It gives the next one its turn.
  void emitArrival(OpBuilder &builder) const;
  /// As if the last one had passed its turn to the first one.
  void emitStart(OpBuilder &builder) const;

private:
  Turns(Location loc, const GpuTarget &target) : loc(loc), target(target) {}
  Value getThreads(OpBuilder &builder) const {
    return emitI32(builder, loc, 2 * target.getWarpgroupThreads());
  }
  Value emitBarrierOf(OpBuilder &builder, Value index) const {
    return LLVM::AddOp::create(builder, loc, index,
                               emitI32(builder, loc, first));
  }

  Location loc;
  const GpuTarget &target;
  int64_t first = 0;
  /// Of roles: the barrier of the next one.
  std::optional<int64_t> next;
  /// Of warpgroups: how many there are, and which one this is.
  int64_t warpgroups = 1;
  Value warpgroup;
};
} // namespace

FailureOr<Turns> Turns::get(OpBuilder &builder, const LoweringContext &context,
                            Operation *op, bool ofRoles) {
  const ThreadGroup &threads = context.getThreads(op);
  const GpuTarget &target = context.getTarget();
  Turns turns(op->getLoc(), target);
  turns.first = getFirstTurn(context, threads);
  int64_t last = turns.first;
  if (ofRoles) {
    turns.next = getFirstTurn(context, context.getGroups()[*threads.next]);
    last = std::max(last, *turns.next);
  } else {
    turns.warpgroups = threads.warps / target.warpsPerWarpgroup;
    last += turns.warpgroups - 1;
    turns.warpgroup = LLVM::LShrOp::create(builder, turns.loc, threads.warp,
                                           emitI32(builder, turns.loc, 2));
  }
  int64_t limit = target.namedBarriers;
  if (last < limit)
    return turns;
  return op->emitOpError() << "needs barriers up to number " << last
                           << ", of which a block has " << limit
                           << "; expected fewer roles or warpgroups";
}

void Turns::emitWait(OpBuilder &builder) const {
  Value barrier =
      next ? emitI32(builder, loc, first) : emitBarrierOf(builder, warpgroup);
  NVVM::BarrierOp::create(builder, loc, TypeRange(), barrier,
                          getThreads(builder), NVVM::BarrierReductionAttr(),
                          Value());
}

void Turns::emitArrival(OpBuilder &builder) const {
  Value barrier;
  if (next) {
    barrier = emitI32(builder, loc, *next);
  } else {
    Value index =
        LLVM::AddOp::create(builder, loc, warpgroup, emitI32(builder, loc, 1));
    Value wraps =
        LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, index,
                             emitI32(builder, loc, warpgroups));
    index = LLVM::SelectOp::create(builder, loc, wraps,
                                   emitI32(builder, loc, 0), index);
    barrier = emitBarrierOf(builder, index);
  }
  NVVM::BarrierArriveOp::create(builder, loc, barrier, getThreads(builder));
}

void Turns::emitStart(OpBuilder &builder) const {
  // The op stands in the last of the roles.
  if (next)
    return emitArrival(builder);
  Value isLast =
      LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq, warpgroup,
                           emitI32(builder, loc, warpgroups - 1));
  auto branch = scf::IfOp::create(builder, loc, isLast,
                                  /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  NVVM::BarrierArriveOp::create(inner, loc,
                                emitBarrierOf(inner, emitI32(inner, loc, 0)),
                                getThreads(inner));
}

namespace {
template <typename OpTy, void (Turns::*emit)(OpBuilder &) const>
struct TurnLowering : KernelPattern<OpTy> {
  using KernelPattern<OpTy>::KernelPattern;

  LogicalResult
  matchAndRewrite(OpTy op, typename OpConversionPattern<OpTy>::OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    FailureOr<Turns> turns =
        Turns::get(rewriter, this->context, op, op.getRoles());
    if (failed(turns))
      return failure();
    ((*turns).*emit)(rewriter);
    rewriter.eraseOp(op);
    return success();
  }
};
} // namespace

void sm::populateBarrierPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  patterns.add<BarrierAllocLowering, AllocLowering<StagesAllocOp>,
               AllocLowering<ScratchOp>, AllocLowering<WordsAllocOp>,
               WordsStoreLowering, WordsLoadLowering, StagesAtLowering,
               StageAfterLowering, FenceLowering, BarrierWaitLowering,
               BarrierArriveLowering, BarrierExpectLowering,
               TurnLowering<TurnStartOp, &Turns::emitStart>,
               TurnLowering<TurnTakeOp, &Turns::emitWait>,
               TurnLowering<TurnPassOp, &Turns::emitArrival>>(converter,
                                                              context);
}
