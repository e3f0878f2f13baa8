//===- PingPongLowering.cpp - Turns as named barriers -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roles, or the warpgroups of one role, alternate. Each of them waits at a
// hardware barrier of its own, at which its predecessor arrives. Invariant:
// each barrier expects the threads of one waiting and one arriving warpgroup.
//
//===----------------------------------------------------------------------===//

#include "Kernel/Machine.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the first hardware barrier of ping-pong of `role`. The barriers of
/// ping-pong follow those of all roles, role by role, one for each warpgroup.
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
/// The ping-pong of warpgroups of a role, or of roles of one warpgroup: a
/// hardware barrier for each of them.
class Turns {
public:
  static FailureOr<Turns> get(OpBuilder &builder,
                              const LoweringContext &context, Operation *op,
                              bool ofRoles);

  /// Emits a wait of the executing warpgroup or role for its predecessor.
  void emitWait(OpBuilder &builder) const;
  /// Emits the arrival at the barrier of the successor.
  void emitArrival(OpBuilder &builder) const;
  /// Emits the arrival of the last one at the barrier of the first one.
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
  /// Of roles: the barrier of the successor.
  std::optional<int64_t> next;
  /// Of warpgroups: their number, and the number of the executing one.
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
  return op->emitOpError() << "needs named barriers up to number " << last
                           << "; a block has " << limit
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
  // The op is in the last of the roles.
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
struct PingPongLowering : KernelPattern<OpTy> {
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

void sm::populateTurnPatterns(const LoweringContext &context,
                              const RegisterTypeConverter &converter,
                              RewritePatternSet &patterns) {
  patterns.add<PingPongLowering<PingPongStartOp, &Turns::emitStart>,
               PingPongLowering<PingPongWaitOp, &Turns::emitWait>,
               PingPongLowering<PingPongPassOp, &Turns::emitArrival>>(converter,
                                                                      context);
}
