//===- CtaRun.cpp - Execution of a CTA without tiles ----------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CtaRun.h"

#include "tessera/Dialect/SM/IR/Target.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

CtaRun::CtaRun(KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
               const TimingConstants &constants, WorkTable &works,
               int64_t residents, Timeline *timeline)
    : kernel(kernel), sizes(sizes), constants(constants), works(works),
      residents(residents), traffic(kernel, sizes, this->constants, residents),
      machine(constants), timeline(timeline) {}

CtaRun::~CtaRun() = default;

int64_t CtaRun::getCtaCount() const {
  sm::KernelOp kernel = this->kernel;
  return getTarget(kernel).multiprocessors * residents /
         kernel.getClusterSize();
}

void CtaRun::fail(Operation *op, const Twine &reason) {
  if (!failure.empty())
    return;
  llvm::raw_string_ostream(failure) << op->getName() << ": " << reason;
}

/// Returns the agents of `role`, or of a kernel without roles: one for each
/// warpgroup.
static unsigned countAgents(int64_t warps, bool isElected,
                            const GpuTarget &target) {
  if (isElected)
    return 1;
  return llvm::divideCeil(warps, target.warpsPerWarpgroup);
}

llvm::Expected<CtaTime> CtaRun::run(int64_t first) {
  program = first;
  const GpuTarget &target = getTarget(kernel);
  SmallVector<RoleOp> roles =
      llvm::to_vector(kernel.getBody().getOps<RoleOp>());
  if (roles.empty())
    roles.push_back(nullptr);
  for (int64_t i = 0; i < residents; ++i) {
    CtaState &cta = ctas.emplace_back();
    // Agents in ping-pong: those of a role, or of all roles that take turns.
    std::vector<AgentRun *> inTurn;
    for (RoleOp role : roles) {
      unsigned count = countAgents(role ? role.getWarps() : kernel.getWarps(),
                                   role && role.getElected(), target);
      bool rolesTakeTurns = false;
      if (role)
        role.walk([&](Operation *op) {
          rolesTakeTurns |=
              isa<PingPongWaitOp, PingPongStartOp, PingPongPassOp>(op) &&
              op->hasAttr("roles");
        });
      std::vector<AgentRun *> own;
      for (unsigned warpgroup = 0; warpgroup < count; ++warpgroup) {
        agents.push_back(std::make_unique<AgentRun>(*this, cta, role, warpgroup,
                                                    count, i == 0));
        own.push_back(agents.back().get());
      }
      for (size_t k = 0; k < own.size(); ++k)
        own[k]->next = own[(k + 1) % own.size()];
      if (rolesTakeTurns)
        inTurn.push_back(own.front());
    }
    for (size_t k = 0; k < inTurn.size(); ++k)
      inTurn[k]->next = inTurn[(k + 1) % inTurn.size()];
  }
  if (timeline) {
    // The names are those of a trace of the simulator.
    tensorRow = timeline->addRow("tensor cores");
    copyRow = timeline->addRow("tensor copies");
  }
  for (auto &agent : agents)
    machine.after(constants.ctaStart, [&agent] { agent->step(); });
  machine.run();
  for (auto &agent : agents)
    if (!agent->isDone())
      fail(agent->getPlace() ? agent->getPlace() : kernel.getOperation(),
           "the role waits for ever");
  if (!failure.empty())
    return llvm::createStringError(failure);
  CtaTime time;
  time.program = program;
  time.residents = residents;
  time.cycles = machine.getTime() + constants.ctaEnd;
  time.tensorCycles = machine.getTensorTime();
  time.energy = energy + constants.issueEnergy * machine.getDemand(Unit::Issue);
  time.trafficCycles = ctas.front().trafficCycles;
  time.demand = machine.getDemand() / residents;
  time.loops = loops;
  return time;
}

void CtaRun::arrive(CtaState &cta, void *barrier, int64_t index, int64_t count,
                    int64_t expected, double bytes) {
  BarrierState &state = cta.barriers[{barrier, index}];
  state.arrivals += count;
  state.pendingBytes += bytes;
  if (state.arrivals < expected || state.pendingBytes > 0)
    return;
  state.arrivals -= expected;
  ++state.phases;
  auto waiters = std::move(state.waiters);
  state.waiters.clear();
  for (auto &[parity, action] : waiters) {
    if ((state.phases & 1) != parity)
      machine.after(constants.mbarrier, std::move(action));
    else
      state.waiters.push_back({parity, std::move(action)});
  }
}
