//===- RoleLowering.cpp - Roles as branches ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers roles to one chain of branches on the warp number, with an arm for the
// roles of each warpgroup. ptxas gives each arm the registers that it requests
// (setmaxnreg). Invariant: all arms join after the chain.
//
//===----------------------------------------------------------------------===//

#include "Machine.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

namespace {
/// A role and its group number in the context.
struct NumberedRole {
  RoleOp role;
  unsigned group;
};
/// Roles that share warpgroups: `setmaxnreg` applies to all of them at once.
using Unit = SmallVector<NumberedRole, 1>;

class RoleChain {
public:
  RoleChain(LoweringContext &context, int64_t registersAtEntry)
      : context(context), warp(context.getGroups().front().warp),
        registersAtEntry(registersAtEntry) {}

  void emitUnits(OpBuilder builder, ArrayRef<Unit> units);

private:
  void emitUnit(OpBuilder builder, const Unit &unit);
  void emitRoles(OpBuilder builder, ArrayRef<NumberedRole> roles);
  void emitBody(OpBuilder builder, NumberedRole role);
  const ThreadGroup &getGroup(const NumberedRole &role) const {
    return context.getGroups()[role.group];
  }
  /// Emits a branch for the warps below `end`.
  scf::IfOp emitBranch(OpBuilder &builder, Location loc, int64_t end);

  LoweringContext &context;
  Value warp;
  int64_t registersAtEntry;
};
} // namespace

scf::IfOp RoleChain::emitBranch(OpBuilder &builder, Location loc, int64_t end) {
  Value isBelow = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::ult,
                                       warp, emitI32(builder, loc, end));
  return scf::IfOp::create(builder, loc, isBelow, /*withElseRegion=*/true);
}

void RoleChain::emitUnits(OpBuilder builder, ArrayRef<Unit> units) {
  if (units.size() == 1)
    return emitUnit(builder, units.front());
  NumberedRole last = units.front().back();
  const ThreadGroup &group = getGroup(last);
  scf::IfOp branch =
      emitBranch(builder, last.role.getLoc(), group.firstWarp + group.warps);
  emitUnit(branch.getThenBodyBuilder(), units.front());
  emitUnits(branch.getElseBodyBuilder(), units.drop_front());
}

void RoleChain::emitUnit(OpBuilder builder, const Unit &unit) {
  RoleOp role = unit.front().role;
  std::optional<int64_t> budget = role.getRegisters();
  if (budget && *budget != registersAtEntry)
    NVVM::SetMaxRegisterOp::create(
        builder, role.getLoc(), static_cast<uint32_t>(*budget),
        *budget < registersAtEntry ? NVVM::SetMaxRegisterAction::decrease
                                   : NVVM::SetMaxRegisterAction::increase);
  emitRoles(builder, unit);
}

void RoleChain::emitRoles(OpBuilder builder, ArrayRef<NumberedRole> roles) {
  if (roles.size() == 1)
    return emitBody(builder, roles.front());
  NumberedRole first = roles.front();
  const ThreadGroup &group = getGroup(first);
  scf::IfOp branch =
      emitBranch(builder, first.role.getLoc(), group.firstWarp + group.warps);
  emitBody(branch.getThenBodyBuilder(), roles.front());
  emitRoles(branch.getElseBodyBuilder(), roles.drop_front());
}

/// Checks whether all threads of a warp may execute `op` of an elected role
/// with the effect of one of them.
static bool isForWarp(Operation &op) {
  return op.getNumRegions() > 0 || op.hasTrait<OpTrait::IsTerminator>() ||
         isPure(&op) || isa<ClipOp, MbarrierWaitOp, LoadOp, WordsLoadOp>(op);
}

/// Lets only the thread that is `elected` execute `op`. All threads of the warp
/// get its results from lane `leader`.
static void confine(Operation &op, Value elected, Value leader) {
  OpBuilder builder(&op);
  Location loc = op.getLoc();
  auto branch =
      scf::IfOp::create(builder, loc, op.getResultTypes(), elected,
                        /*addThenBlock=*/true, op.getNumResults() > 0);
  builder.setInsertionPointToEnd(branch.thenBlock());
  if (op.getNumResults() == 0) {
    scf::YieldOp::create(builder, loc);
    op.moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
    return;
  }
  assert(op.getNumResults() == 1 && op.getResult(0).getType().isIndex());
  // The result may be on its way until it is used.
  Operation *user =
      *llvm::min_element(op.getUsers(), [&](Operation *a, Operation *b) {
        return branch->getBlock()->findAncestorOpInBlock(*a)->isBeforeInBlock(
            branch->getBlock()->findAncestorOpInBlock(*b));
      });
  builder.setInsertionPoint(branch->getBlock()->findAncestorOpInBlock(*user));
  Type i32 = builder.getI32Type();
  Value own =
      arith::IndexCastOp::create(builder, loc, i32, branch.getResult(0));
  Value shared = NVVM::ShflOp::create(
      builder, loc, i32, emitI32(builder, loc, -1), own, leader,
      emitI32(builder, loc, 31), NVVM::ShflKind::idx, UnitAttr());
  Value result =
      arith::IndexCastOp::create(builder, loc, builder.getIndexType(), shared);
  op.getResult(0).replaceAllUsesWith(result);
  op.moveBefore(branch.thenBlock(), branch.thenBlock()->begin());
  builder.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(builder, loc, op.getResult(0));
  builder.setInsertionPointToEnd(branch.elseBlock());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  scf::YieldOp::create(builder, loc, zero);
}

/// Makes a whole warp execute `body`, in which it clips, with the effects of
/// one thread.
static void shareBody(OpBuilder &builder, Location loc, Region &body) {
  Type i32 = builder.getI32Type();
  Value elected = NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                            /*membermask=*/Value());
  Value votes =
      NVVM::VoteSyncOp::create(builder, loc, i32, emitI32(builder, loc, -1),
                               elected, NVVM::VoteSyncKind::ballot);
  Value leader = LLVM::CountTrailingZerosOp::create(builder, loc, i32, votes,
                                                    /*is_zero_poison=*/true);
  SmallVector<Operation *> confined;
  body.walk([&](Operation *op) {
    if (!isForWarp(*op))
      confined.push_back(op);
  });
  for (Operation *op : confined)
    confine(*op, elected, leader);
}

void RoleChain::emitBody(OpBuilder builder, NumberedRole numbered) {
  RoleOp role = numbered.role;
  Location loc = role.getLoc();
  bool clips = role->walk([](ClipOp) { return WalkResult::interrupt(); })
                   .wasInterrupted();
  Value runs;
  if (role.getElected()) {
    // Of several warps only the first one executes; of it, one thread.
    if (role.getWarps() > 1) {
      Value isFirst = LLVM::ICmpOp::create(
          builder, loc, LLVM::ICmpPredicate::eq, warp,
          emitI32(builder, loc, getGroup(numbered).firstWarp));
      auto first = scf::IfOp::create(builder, loc, isFirst,
                                     /*withElseRegion=*/false);
      builder = first.getThenBodyBuilder();
    }
  }
  if (role.getElected() && !clips) {
    runs = NVVM::ElectSyncOp::create(builder, loc, builder.getI1Type(),
                                     /*membermask=*/Value());
  } else {
    // A region of its own, from which its ops find their threads.
    runs = LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                    builder.getBoolAttr(true));
  }
  bool storesTensors =
      role->walk([](TmaStoreOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  auto body = scf::IfOp::create(builder, loc, runs, /*withElseRegion=*/false);
  Block *block = body.thenBlock();
  block->getOperations().splice(std::prev(block->end()),
                                role.getBody().front().getOperations());
  context.setGroup(&body.getThenRegion(), numbered.group);
  if (clips) {
    OpBuilder before(body);
    shareBody(before, loc, body.getThenRegion());
  }
  // Shared memory must outlive the copies that read it.
  if (storesTensors) {
    OpBuilder end(block->getTerminator());
    emitTmaStoreWait(end, loc, getGroup(numbered), 0);
  }
  role.erase();
}

/// Emits the fence after the initialisation of barriers, and the wait for it.
/// All threads of the CTA wait, or of the cluster, which has an op for the
/// wait.
static void emitBarrierInitialisation(OpBuilder &builder, RoleOp last) {
  OpBuilder::InsertionGuard guard(builder);
  Operation *meeting = nullptr;
  for (auto op : last->getBlock()->getOps<ClusterBarrierOp>())
    if (!meeting && op->isBeforeInBlock(last))
      meeting = op;
  if (meeting)
    builder.setInsertionPoint(meeting);
  NVVM::FenceMbarrierInitOp::create(builder, last.getLoc());
  if (!meeting)
    NVVM::Barrier0Op::create(builder, last.getLoc());
}

/// Emits prefetches of tensor maps, which are in global memory. The first copy
/// then does not wait for its map.
static void emitPrefetches(OpBuilder &builder, Location loc,
                           const LoweringContext &context) {
  unsigned maps = context.getSignature().getMetadata().tensorMaps.size();
  if (maps == 0)
    return;
  Value isFirst = LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                                       context.getGroups().front().thread,
                                       emitI32(builder, loc, 0));
  auto branch =
      scf::IfOp::create(builder, loc, isFirst, /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  for (unsigned map = 0; map < maps; ++map)
    NVVM::PrefetchOp::create(inner, loc, NVVM::PrefetchCacheLevelAttr(),
                             NVVM::CacheEvictionPriorityAttr(),
                             context.getTensorMap(map),
                             /*predicate=*/Value(), inner.getUnitAttr());
}

LogicalResult sm::lowerRoles(LoweringContext &context) {
  int64_t perGroup = context.getTarget().warpsPerWarpgroup;
  Block &entry = context.getFunction().getBody().front();
  std::vector<Unit> units;
  unsigned group = 1;
  RoleOp last;
  for (RoleOp role : entry.getOps<RoleOp>()) {
    bool startsWarpgroup = context.getGroups()[group].firstWarp % perGroup == 0;
    if (startsWarpgroup)
      units.emplace_back();
    units.back().push_back({role, group++});
    last = role;
  }
  if (!last)
    return success();
  OpBuilder builder(last);
  emitPrefetches(builder, last.getLoc(), context);
  if (!entry.getOps<MbarrierAllocOp>().empty())
    emitBarrierInitialisation(builder, last);
  // Blocks that share a multiprocessor divide its registers.
  LLVM::LLVMFuncOp function = context.getFunction();
  auto blocks = function->getAttrOfType<IntegerAttr>(
      NVVM::NVVMDialect::getMinctasmAttrName());
  const GpuTarget &target = context.getTarget();
  int64_t threads = context.getGroups().front().warps * target.warpSize;
  RoleChain(context, target.getRegistersAtEntry(threads *
                                                (blocks ? blocks.getInt() : 1)))
      .emitUnits(builder, units);
  return success();
}
