//===- ProgramLengths.cpp - Iterations of each program --------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ProgramLengths.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

template <typename OpTy>
static bool contains(RoleOp role) {
  return role.walk([](OpTy) { return WalkResult::interrupt(); })
      .wasInterrupted();
}

/// Returns the role that fetches the numbers of programs, or else the first one
/// that loops.
static RoleOp chooseRole(KernelOp kernel) {
  auto roles = llvm::to_vector(kernel.getBody().getOps<RoleOp>());
  auto found = llvm::find_if(roles, contains<NextProgramOp>);
  if (found == roles.end())
    found = llvm::find_if(roles, contains<scf::ForOp>);
  return found == roles.end() ? RoleOp() : *found;
}

ProgramLengths::ProgramLengths(KernelOp kernel,
                               const llvm::StringMap<int64_t> &sizes,
                               int64_t ctas)
    : kernel(kernel), ctas(ctas), scalars(kernel, sizes, ctas),
      role(chooseRole(kernel)) {}

std::optional<int64_t> ProgramLengths::count(int64_t first) {
  program = first;
  scalars.setProgram(first);
  iterations = 0;
  if (!run(kernel.getBody().front()))
    return std::nullopt;
  return iterations;
}

bool ProgramLengths::isInnermost(Operation *loop) {
  auto [known, isNew] = innermost.try_emplace(loop, true);
  if (isNew)
    loop->walk([&, &known = known](LoopLikeOpInterface inner) {
      known->second &= inner == loop;
    });
  return known->second;
}

bool ProgramLengths::run(Block &block) {
  return llvm::all_of(block, [&](Operation &op) { return run(&op); });
}

bool ProgramLengths::run(Operation *op) {
  if (stepsLeft-- <= 0)
    return false;
  return TypeSwitch<Operation *, bool>(op)
      .Case([&](RoleOp other) {
        return other != role || run(other.getBody().front());
      })
      .Case([&](scf::ForOp loop) {
        std::optional<LoopBounds> bounds = scalars.getBounds(loop);
        if (!bounds)
          return false;
        auto [lower, upper, step] = *bounds;
        scalars.assign(loop.getResults(), loop.getInitArgs());
        if (lower >= upper)
          return true;
        if (isInnermost(loop)) {
          iterations += llvm::divideCeil(upper - lower, step);
          for (Value result : loop.getResults())
            scalars.set(result, std::nullopt);
          return true;
        }
        scalars.assign(loop.getRegionIterArgs(), loop.getInitArgs());
        Operation *yield = loop.getBody()->getTerminator();
        for (int64_t i = lower; i < upper; i += step) {
          scalars.set(loop.getInductionVar(), i);
          if (!run(*loop.getBody()))
            return false;
          scalars.assign(loop.getRegionIterArgs(), yield->getOperands());
        }
        scalars.assign(loop.getResults(), yield->getOperands());
        return true;
      })
      .Case([&](scf::WhileOp loop) {
        scalars.assign(loop.getBeforeArguments(), loop.getInits());
        while (run(*loop.getBeforeBody())) {
          std::optional<bool> goesOn =
              scalars.takeCondition(loop.getConditionOp());
          if (!goesOn.value_or(false))
            return goesOn.has_value();
          if (!run(*loop.getAfterBody()))
            return false;
          scalars.assign(loop.getBeforeArguments(),
                         loop.getYieldOp()->getOperands());
        }
        return false;
      })
      .Case([&](scf::IfOp branch) {
        Region &region = scalars.choose(branch);
        if (region.empty())
          return true;
        if (!run(region.front()))
          return false;
        scalars.assign(branch.getResults(),
                       region.front().getTerminator()->getOperands());
        return true;
      })
      .Case([&](NextProgramOp next) {
        program += ctas;
        scalars.set(next, program);
        return true;
      })
      .Default(
          [&](Operation *other) { return succeeded(scalars.evaluate(other)); });
}
