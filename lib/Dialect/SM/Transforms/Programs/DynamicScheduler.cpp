//===- DynamicScheduler.cpp - Programs from a counter -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-dynamic-scheduler makes programs dynamically scheduled: blocks
// fetch them from an atomic counter. The number that ends the loops is fetched
// and passed to all roles like the others, so all roles leave their loops by
// the same test.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/ProgramWalk.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/UnmetSchedule.h"

namespace tessera::sm {
#define GEN_PASS_DEF_DYNAMICSCHEDULERPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;

/// The role that loads draws when it starts its last copies for a program,
/// while others still compute the one before.
static constexpr int64_t kNumbersAhead = 2;

/// Returns the loop of `role` over programs, if it is the only one and carries
/// nothing.
static scf::ForOp findProgramLoop(RoleOp role) {
  scf::ForOp found;
  for (auto loop : role.getBody().getOps<scf::ForOp>()) {
    if (!loop.getStep().getDefiningOp<CtaCountOp>())
      continue;
    if (found || loop.getNumRegionIterArgs() != 0 ||
        !loop.getLowerBound().getDefiningOp<ProgramIdOp>())
      return nullptr;
    found = loop;
  }
  return found;
}

static bool drawsPrograms(KernelOp kernel) {
  return kernel.walk([](NextProgramOp) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

template <typename OpTy>
static bool contains(Operation &op) {
  return op.walk([](OpTy) { return WalkResult::interrupt(); }).wasInterrupted();
}

/// Draws a program in `block`, before the last copies of the present program
/// start, so that the number arrives while they wait for free slots.
static Value drawNext(Block &block, Location loc, Value programs) {
  OpBuilder builder(loc.getContext());
  if (block.mightHaveTerminator())
    builder.setInsertionPoint(block.getTerminator());
  else
    builder.setInsertionPointToEnd(&block);
  auto lastFill = llvm::find_if(llvm::reverse(block), contains<RingAcquireOp>);
  if (lastFill == block.rend() || isa<RingAcquireOp>(*lastFill))
    return NextProgramOp::create(builder, loc, programs);
  builder.setInsertionPoint(&*lastFill);
  auto branch = dyn_cast<scf::IfOp>(*lastFill);
  // A branch without a loop is the ragged end of a loop before it.
  if (!branch || branch.getNumResults() > 0 || !contains<scf::ForOp>(*branch))
    return NextProgramOp::create(builder, loc, programs);
  auto copy = scf::IfOp::create(builder, loc, builder.getIndexType(),
                                branch.getCondition(), /*addThenBlock=*/false,
                                /*addElseBlock=*/false);
  copy.getThenRegion().takeBody(branch.getThenRegion());
  copy.getElseRegion().takeBody(branch.getElseRegion());
  if (copy.getElseRegion().empty()) {
    builder.createBlock(&copy.getElseRegion());
    scf::YieldOp::create(builder, loc);
  }
  for (Region *region : copy.getRegions()) {
    Value next = drawNext(region->front(), loc, programs);
    region->front().getTerminator()->insertOperands(0, next);
  }
  branch.erase();
  return copy.getResult(0);
}

using MakeNext = function_ref<Value(OpBuilder &, Location)>;

/// Replaces `loop` by one whose next program is what `makeNext` builds, after
/// the body.
static void replaceLoop(scf::ForOp loop, MakeNext makeNext) {
  OpBuilder builder(loop);
  Location loc = loop.getLoc();
  Type index = builder.getIndexType();
  auto walk = scf::WhileOp::create(
      builder, loc, TypeRange(index), ValueRange(loop.getLowerBound()),
      [&](OpBuilder &inner, Location loc, ValueRange program) {
        Value isMore =
            arith::CmpIOp::create(inner, loc, arith::CmpIPredicate::slt,
                                  program.front(), loop.getUpperBound());
        scf::ConditionOp::create(inner, loc, isMore, program);
      },
      [&](OpBuilder &inner, Location loc, ValueRange program) {
        loop.getInductionVar().replaceAllUsesWith(program.front());
        Block *body = inner.getInsertionBlock();
        body->getOperations().splice(
            body->end(), loop.getBody()->getOperations(),
            loop.getBody()->begin(),
            loop.getBody()->getTerminator()->getIterator());
        inner.setInsertionPointToEnd(body);
        scf::YieldOp::create(inner, loc, makeNext(inner, loc));
      });
  walk->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  loop.erase();
}

namespace {
struct DynamicScheduler : sm::impl::DynamicSchedulerPassBase<DynamicScheduler> {
  using DynamicSchedulerPassBase::DynamicSchedulerPassBase;

  void runOnOperation() override {
    KernelOp kernel = getOperation();
    tile::ScheduleAttr schedule = kernel.getScheduleAttr();
    // Of a kernel that does not walk over programs, sm-persist has said why.
    if (!schedule || !schedule.getDynamic() || !kernel.getPersistent() ||
        kernel->hasAttr(kVariantOfAttrName) || drawsPrograms(kernel))
      return;
    auto keep = [&](StringRef why, StringRef change) {
      tile::warnOfUnmet(kernel, "dynamic",
                        "CTAs walk over a fixed share of the programs", why,
                        change, "not-dynamic");
    };
    if (kernel.getForm() > Form::Scheduled)
      return keep("the rings of the kernel are expanded already",
                  "draw before sm-expand-rings");
    if (kernel.getClusterAxis())
      return keep("CTAs of a cluster would have to draw together",
                  "leave `cluster` or `dynamic` away");
    if (!getRolesInTurn(kernel).empty())
      return keep("roles that compute in turn would have to draw in turn",
                  "leave `pingpong` or `dynamic` away");
    SmallVector<RoleOp> roles(kernel.getBody().getOps<RoleOp>());
    unsigned elected =
        llvm::count_if(roles, [](RoleOp role) { return role.getElected(); });
    if (elected != 1 || roles.size() < 2)
      return keep("the CTA has no single role of one thread that could draw "
                  "for the others",
                  "`--remarks` says which roles the kernel has, and why");
    SmallVector<scf::ForOp> loops;
    for (RoleOp role : roles) {
      scf::ForOp loop = findProgramLoop(role);
      if (!loop)
        return keep("a role has no loop that walks over them by itself",
                    "let the loop over programs carry nothing");
      loops.push_back(loop);
    }

    OpBuilder builder(roles.front());
    Location loc = loops.front().getLoc();
    Value queue = QueueAllocOp::create(
        builder, loc, QueueType::get(&getContext(), kNumbersAhead));
    for (auto [role, loop] : llvm::zip_equal(roles, loops))
      if (role.getElected())
        replaceLoop(loop, [&, loop = loop](OpBuilder &at, Location loc) {
          Value next = drawNext(*at.getInsertionBlock(), loc,
                                scf::ForOp(loop).getUpperBound());
          QueuePushOp::create(at, loc, next, queue);
          return next;
        });
      else
        replaceLoop(loop, [&](OpBuilder &at, Location loc) -> Value {
          return QueuePopOp::create(at, loc, queue);
        });
    ++numDrawing;
  }
};
} // namespace
