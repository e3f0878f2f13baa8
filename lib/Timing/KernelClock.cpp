//===- KernelClock.cpp - Time of a kernel in cycles -----------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Programs are independent, except that the CTAs of a multiprocessor share its
// units. So a launch takes the time of its programs on the multiprocessors that
// they are distributed over. A sample of the programs represents all.
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/KernelClock.h"

#include "CtaRun.h"
#include "ProgramLengths.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/Analysis/SliceAnalysis.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

/// CTAs that are timed: the shortest, the longest, and so many between them
/// that represent all. If so many CTAs take equally long, they are enough.
static constexpr int64_t kSamples = 33, kFewestSamples = 9;
static constexpr double kEqual = 1e-3;
/// CTAs whose iterations are counted.
static constexpr int64_t kMostCounted = 4096;
/// The golden ratio spreads samples evenly.
static constexpr double kGolden = 0.6180339887498949;

std::optional<int64_t> timing::lookupSize(const llvm::StringMap<int64_t> &sizes,
                                          StringRef name) {
  auto found = sizes.find(name);
  if (found == sizes.end())
    return std::nullopt;
  return found->second;
}

double LoopTime::getPeriod() const {
  if (ends.size() < 4)
    return 0;
  size_t middle = ends.size() / 2;
  return (ends.back() - ends[middle]) / (ends.size() - 1 - middle);
}

KernelClock::KernelClock(KernelOp kernel, const llvm::StringMap<int64_t> &sizes,
                         TimingConstants constants)
    : kernel(kernel), sizes(sizes), constants(constants) {}

llvm::Expected<CtaTime> KernelClock::timeProgram(int64_t program,
                                                 int64_t residents,
                                                 Timeline *timeline) const {
  WorkTable works(constants);
  return CtaRun(kernel, sizes, constants, works, residents, timeline)
      .run(program);
}

/// Returns the time of two demands that overlap except for chance: the larger
/// one, and up to 19 % more if they are equal. The exponent is fitted to
/// products of 128x16384x4096 and 64x8192x8192.
static double overlap(double a, double b) {
  return std::pow(std::pow(a, 4) + std::pow(b, 4), 0.25);
}

std::optional<int64_t> KernelClock::evaluate(tile::SizeAttr size) const {
  return size.evaluate([&](StringRef name) { return lookupSize(sizes, name); });
}

bool KernelClock::hasEqualPrograms() const {
  KernelOp kernel = this->kernel;
  SetVector<Operation *> slice;
  // The work of a persistent CTA depends on the programs that it fetches.
  if (kernel.getPersistent())
    return false;
  kernel.walk([&](ProgramIdOp number) {
    getForwardSlice(number.getOperation(), &slice);
  });
  auto depends = [&](Value value) {
    auto argument = dyn_cast<BlockArgument>(value);
    return slice.contains(argument ? argument.getOwner()->getParentOp()
                                   : value.getDefiningOp());
  };
  // An operand that controls the execution, or the state of a barrier.
  auto isControl = [](Operation *op) {
    return isa<scf::IfOp, scf::WhileOp, scf::ConditionOp, MbarrierWaitOp,
               MbarrierArriveOp, MbarrierExpectOp, WordsStoreOp>(op);
  };
  return !kernel
              .walk([&](Operation *op) {
                auto loop = dyn_cast<scf::ForOp>(op);
                bool differs =
                    loop ? depends(loop.getLowerBound()) ||
                               depends(loop.getUpperBound()) ||
                               depends(loop.getStep())
                         : isControl(op) &&
                               llvm::any_of(op->getOperands(), depends);
                return differs ? WalkResult::interrupt()
                               : WalkResult::advance();
              })
              .wasInterrupted();
}

bool KernelClock::meetsConditions() const {
  ArrayAttr conditions = KernelOp(kernel).getConditionsAttr();
  return !conditions ||
         llvm::all_of(conditions.getAsRange<tile::SizeAttr>(),
                      [&](tile::SizeAttr size) { return evaluate(size) == 0; });
}

double KernelClock::getTensorBytes() const {
  double bytes = 0;
  for (Value param : KernelOp(kernel).getParams()) {
    auto tensor = dyn_cast<tile::GlobalType>(param.getType());
    if (!tensor)
      continue;
    double own = getElementBytes(tensor.getElementType());
    for (tile::SizeAttr size : tensor.getShape())
      own *= evaluate(size).value_or(0);
    bytes += own;
  }
  return bytes;
}

KernelClock::Sample KernelClock::pickPrograms(int64_t starts, int64_t ctas,
                                              int64_t most) const {
  Sample sample;
  auto spread = [](double i) { return i * kGolden - std::floor(i * kGolden); };
  if (starts <= most) {
    sample.programs.assign(llvm::seq<int64_t>(starts).begin(),
                           llvm::seq<int64_t>(starts).end());
    return sample;
  }
  // Programs may be sorted and grouped, so equal distances would mislead.
  ProgramLengths lengths(kernel, sizes, ctas);
  std::vector<std::tuple<int64_t, double, int64_t>> ranked;
  for (int64_t i = 0; i < std::min(starts, kMostCounted); ++i) {
    int64_t program = starts <= kMostCounted ? i : int64_t(spread(i) * starts);
    std::optional<int64_t> length = lengths.count(program);
    if (!length) {
      for (int64_t j = 0; j < most; ++j)
        sample.programs.push_back(int64_t(spread(j) * starts));
      return sample;
    }
    ranked.push_back({*length, spread(program), program});
  }
  llvm::sort(ranked);
  auto add = [&](size_t rank) {
    sample.programs.push_back(std::get<2>(ranked[rank]));
  };
  add(0);
  add(ranked.size() - 1);
  sample.extremes = 2;
  for (int64_t part = 0; part < most - 2; ++part)
    add(ranked.size() * (2 * part + 1) / (2 * (most - 2)));
  return sample;
}

/// Returns the busy share of a unit that serves `customers` one at a time. Each
/// one comes back after `absence` services. Both times are random (M/M/1 with a
/// finite source).
static double getUtilization(int64_t customers, double absence) {
  if (absence <= 0)
    return 1;
  double term = 1, sum = 1;
  for (int64_t waiting = customers; waiting > 0; --waiting) {
    term *= waiting / absence;
    sum += term;
  }
  return 1 - 1 / sum;
}

llvm::Expected<double> KernelClock::getSlowdown(const CtaTime &time) const {
  llvm::Expected<CtaTime> alone = timeProgram(time.program, 1);
  if (!alone)
    return alone.takeError();
  sm::KernelOp kernel = this->kernel;
  // A scheduler has one warp of each warpgroup.
  int64_t warps = std::max<int64_t>(1, time.residents * kernel.getWarps() /
                                           getTarget(kernel).warpsPerWarpgroup);
  double service = time.residents * time.demand / warps;
  if (service <= 0)
    return 1;
  double absence = alone->cycles / service - 1;
  return std::max(1.0, warps * service / getUtilization(warps, absence) /
                           time.cycles);
}

llvm::Expected<LaunchTime> KernelClock::timeLaunch() const {
  KernelOp kernel = this->kernel;
  const GpuTarget &target = getTarget(kernel);
  LaunchTime launch;
  launch.programs = kernel.getClusterSize();
  for (tile::SizeAttr size : kernel.getProgramCounts()) {
    std::optional<int64_t> count = evaluate(size);
    if (!count)
      return llvm::createStringError("the sizes do not determine the grid: " +
                                     size.str());
    launch.programs *= *count;
  }
  bool hasRoles = !kernel.getBody().getOps<RoleOp>().empty();
  launch.residents = std::max<int64_t>(1, hasRoles ? getBlocksToBound(kernel)
                                                   : estimateBlocks(kernel));
  if (launch.programs == 0)
    return launch;
  int64_t places = target.multiprocessors * launch.residents;
  int64_t starts = kernel.getPersistent() ? std::min(launch.programs, places)
                                          : launch.programs;
  int64_t residents = std::min<int64_t>(
      launch.residents,
      llvm::divideCeil(launch.programs, target.multiprocessors));
  // A persistent CTA runs several programs.
  int64_t most =
      std::clamp(kSamples * starts / launch.programs, kFewestSamples, kSamples);
  Sample sample =
      hasEqualPrograms()
          ? Sample{{0}, 0}
          : pickPrograms(starts, places / kernel.getClusterSize(), most);
  double sum = 0, traffic = 0, energy = 0, samples = 0,
         shortest = std::numeric_limits<double>::infinity();
  WorkTable works(constants);
  for (auto [i, program] : llvm::enumerate(sample.programs)) {
    bool areEqual = launch.longest.cycles - shortest <= kEqual * shortest;
    if (i == kFewestSamples && areEqual)
      break;
    llvm::Expected<CtaTime> time =
        CtaRun(kernel, sizes, constants, works, residents, /*timeline=*/nullptr)
            .run(program);
    if (!time)
      return time.takeError();
    shortest = std::min(shortest, time->cycles);
    if (time->cycles > launch.longest.cycles)
      launch.longest = *time;
    if (i < sample.extremes)
      continue;
    ++samples;
    sum += time->cycles;
    traffic += time->trafficCycles;
    launch.tensorCycles += time->tensorCycles / residents;
    energy += time->energy / residents;
  }
  launch.tensorCycles /= samples;
  // Each CTA that starts, and so each multiprocessor.
  energy *= double(starts) / samples / target.multiprocessors;
  if (!hasRoles && residents > 1) {
    llvm::Expected<double> slowdown = getSlowdown(launch.longest);
    if (!slowdown)
      return slowdown.takeError();
    launch.longest.cycles *= *slowdown;
    shortest *= *slowdown;
    sum *= *slowdown;
  }
  double longest = launch.longest.cycles, mean = sum / samples;
  bool isDynamic = false;
  kernel.walk([&](NextProgramOp) { isDynamic = true; });
  if (kernel.getPersistent()) {
    double program = mean * starts / launch.programs;
    launch.cycles = isDynamic ? mean + constants.raggedEnd * program
                              : constants.slowestCta * longest;
    launch.tensorCycles *= double(starts) / target.multiprocessors;
  } else {
    bool isUniform = longest - shortest < 0.01 * longest;
    int64_t waves = llvm::divideCeil(launch.programs, places);
    // The longest programs run first, so the end is ragged by the shortest.
    launch.cycles =
        isUniform
            ? waves * longest
            : std::max(longest, mean * launch.programs / places + shortest / 2);
    launch.tensorCycles *= double(launch.programs) / target.multiprocessors;
  }
  // Pieces of work that overlap leave the accesses of all CTAs in sequence.
  traffic *= double(starts) / samples / target.multiprocessors;
  launch.cycles = std::max(launch.cycles, traffic);
  double frequency = constants.freeFrequency -
                     constants.frequencyLoss * energy / launch.cycles;
  double compute = launch.cycles / std::min(constants.frequency, frequency);
  // Each tensor passes device memory once.
  double memory =
      getTensorBytes() /
      (constants.memoryRate * target.multiprocessors * constants.frequency);
  // The times of loads by threads contain those of memory.
  launch.seconds =
      hasRoles ? overlap(compute, memory) : std::max(compute, memory);
  return launch;
}
