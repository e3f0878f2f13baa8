//===- Phases.cpp - The phases of compilation -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of phases, and the driver that runs them. Each phase is a pass
// pipeline of its own, after which the module records the name of the phase.
// Invariant: a saved module continues with the same passes as a module in
// memory.
//
//===----------------------------------------------------------------------===//

#include "tessera/Pipelines/Phases.h"

#include "tessera/Conversion/SMToNVVM/Passes.h"
#include "tessera/Conversion/TileToSM/Passes.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

#include <list>

using namespace tessera;

/// The module attribute that names the last phase.
static constexpr llvm::StringLiteral kPhaseAttrName = "tile.phase";

/// Adds the passes that remove dead and repeated ops, which passes leave. Users
/// read the result.
static void addCleanup(OpPassManager &manager, const PhaseOptions &) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

template <std::unique_ptr<Pass> (*create)()>
static void addKernelPass(OpPassManager &manager, const PhaseOptions &options) {
  manager.addNestedPass<sm::KernelOp>(create());
  addCleanup(manager, options);
}

/// Adds a pass on kernels with the option of remarks, and the cleanup.
template <typename KernelOp, typename PassOptions,
          std::unique_ptr<Pass> (*create)(PassOptions)>
static void addKernelPass(OpPassManager &manager, const PhaseOptions &options) {
  PassOptions passOptions;
  passOptions.remarks = options.remarks;
  manager.addNestedPass<KernelOp>(create(passOptions));
  addCleanup(manager, options);
}

static void addFoldExp2(OpPassManager &manager, const PhaseOptions &options) {
  // Later passes may pad tiles, and a check concerns all elements.
  tile::LowerChecksPassOptions checkOptions;
  checkOptions.remarks = options.remarks;
  checkOptions.keep = options.keepsChecks;
  manager.addNestedPass<tile::KernelOp>(
      tile::createLowerChecksPass(checkOptions));
  addKernelPass<tile::KernelOp, tile::FoldExp2PassOptions,
                tile::createFoldExp2Pass>(manager, options);
}

/// Adds the pass without the cleanup: only the plan changes, and products that
/// are transposed.
static void addPlanProducts(OpPassManager &manager,
                            const PhaseOptions &options) {
  sm::PlanProductsPassOptions passOptions;
  passOptions.remarks = options.remarks;
  manager.addNestedPass<tile::KernelOp>(
      sm::createPlanProductsPass(passOptions));
}

static void addTileToSM(OpPassManager &manager, const PhaseOptions &options) {
  sm::TileToSMPassOptions passOptions;
  passOptions.remarks = options.remarks;
  passOptions.rasterGroup = options.rasterGroup;
  manager.addPass(sm::createTileToSMPass(passOptions));
  addCleanup(manager, options);
}

/// Adds the pass without the cleanup: only the plan changes.
static void addPlan(OpPassManager &manager, const PhaseOptions &options) {
  sm::PlanPassOptions passOptions;
  passOptions.remarks = options.remarks;
  manager.addNestedPass<sm::KernelOp>(sm::createPlanPass(passOptions));
}

static void addSpecialize(OpPassManager &manager, const PhaseOptions &options) {
  manager.addPass(sm::createSpecializeVariantsPass());
  manager.addPass(sm::createSpecializeRowsPass());
  addCleanup(manager, options);
}

static void addPeelMasks(OpPassManager &manager, const PhaseOptions &options) {
  tile::PeelMasksPassOptions peelOptions;
  peelOptions.remarks = options.remarks;
  OpPassManager &kernels = manager.nest<tile::KernelOp>();
  kernels.addPass(tile::createOpenEndsPass());
  kernels.addPass(tile::createPeelMasksPass(peelOptions));
  tile::GuardMasksPassOptions guardOptions;
  guardOptions.remarks = options.remarks;
  kernels.addPass(tile::createGuardMasksPass(guardOptions));
  addCleanup(manager, options);
}

static void addNarrow(OpPassManager &manager, const PhaseOptions &options) {
  tile::NarrowConversionsPassOptions conversionsOptions;
  conversionsOptions.remarks = options.remarks;
  tile::NarrowPositionsPassOptions positionsOptions;
  positionsOptions.remarks = options.remarks;
  OpPassManager &kernels = manager.nest<tile::KernelOp>();
  kernels.addPass(tile::createNarrowConversionsPass(conversionsOptions));
  kernels.addPass(tile::createNarrowPositionsPass(positionsOptions));
  addCleanup(manager, options);
}

static void addPipeline(OpPassManager &manager, const PhaseOptions &options) {
  sm::PipelinePassOptions passOptions;
  passOptions.remarks = options.remarks;
  passOptions.stages = options.fetchStages;
  manager.addNestedPass<sm::KernelOp>(sm::createPipelinePass(passOptions));
  addCleanup(manager, options);
}

/// Adds the pass without the cleanup, which would create ops without a node.
static void addScheduleLoops(OpPassManager &manager,
                             const PhaseOptions &options) {
  sm::ScheduleLoopsPassOptions passOptions;
  passOptions.remarks = options.remarks;
  passOptions.leeway = options.registerLeeway;
  manager.addNestedPass<sm::KernelOp>(sm::createScheduleLoopsPass(passOptions));
}

static void addApplySchedule(OpPassManager &manager,
                             const PhaseOptions &options) {
  manager.addNestedPass<sm::KernelOp>(sm::createApplySchedulePass());
  addCleanup(manager, options);
}

static void addExpandRings(OpPassManager &manager,
                           const PhaseOptions &options) {
  manager.addNestedPass<sm::KernelOp>(sm::createExpandRingsPass());
  addCleanup(manager, options);
}

static void addAllocate(OpPassManager &manager, const PhaseOptions &) {
  manager.addNestedPass<sm::KernelOp>(sm::createAllocateSmemPass());
}

static void addPlaceFences(OpPassManager &manager, const PhaseOptions &) {
  manager.addNestedPass<sm::KernelOp>(sm::createPlaceFencesPass());
  manager.addNestedPass<sm::KernelOp>(sm::createUnrollLoopsPass());
  manager.addNestedPass<sm::KernelOp>(sm::createUnswitchLoopsPass());
}

static void addConvertToNVVM(OpPassManager &manager, const PhaseOptions &) {
  manager.addPass(sm::createConvertSMToNVVMPass());
}

static const Phase phases[] = {
    {Level::Tile, "tile", "the program of the front end, folded", addCleanup},
    {Level::Tile, "fold-exp2",
     "exp and log in base 2, scales folded; no checks and prints", addFoldExp2},
    {Level::Tile, "lazy-rescale",
     "running maxima that change only if they grow",
     addKernelPass<tile::KernelOp, tile::LazyRescalePassOptions,
                   tile::createLazyRescalePass>},
    {Level::Tile, "peel-masks",
     "loops split where masks are all true, other masks skipped", addPeelMasks},
    {Level::Tile, "pad-extents",
     "tiles padded to extents that spread over threads",
     addKernelPass<tile::KernelOp, tile::PadExtentsPassOptions,
                   tile::createPadExtentsPass>},
    {Level::Tile, "defer-reductions",
     "reductions between threads moved after their loops",
     addKernelPass<tile::KernelOp, tile::DeferReductionsPassOptions,
                   tile::createDeferReductionsPass>},
    {Level::Tile, "narrow-positions",
     "positions in 32 bits, floats converted from bytes", addNarrow},
    {Level::Tile, "contract", "products rounded together with sums",
     addKernelPass<tile::KernelOp, tile::ContractPassOptions,
                   tile::createContractPass>},
    {Level::Tile, "products", "the unit and the warpgroups of each product",
     addPlanProducts},
    {Level::SM, "sm", "a layout for each tile", addTileToSM},
    {Level::SM, "order", "longest programs first",
     addKernelPass<sm::KernelOp, sm::LongestFirstPassOptions,
                   sm::createLongestFirstPass>},
    {Level::SM, "persist", "persistent CTAs: each runs many programs",
     addKernelPass<sm::createPersistPass>},
    {Level::SM, "plan", "the roles, rings and stores of a kernel", addPlan},
    {Level::SM, "specialize", "roles and rings, and plain variants",
     addSpecialize},
    {Level::SM, "multicta", "copies shared by the CTAs of a cluster",
     addKernelPass<sm::KernelOp, sm::MultiCtaPassOptions,
                   sm::createMultiCtaPass>},
    {Level::SM, "pipeline", "fetches of threads in flight during other work",
     addPipeline},
    {Level::SM, "schedule", "a schedule for each loop of MMAs",
     addScheduleLoops},
    {Level::SM, "overlap", "pipelined loops", addApplySchedule},
    {Level::SM, "advance", "loads that overlap with the MMA before them",
     addKernelPass<sm::KernelOp, sm::HoistLoadsPassOptions,
                   sm::createHoistLoadsPass>},
    {Level::SM, "skip", "reductions over lanes only in warps that need them",
     addKernelPass<sm::createSkipReductionsPass>},
    {Level::SM, "draw", "programs from an atomic counter",
     addKernelPass<sm::createDynamicSchedulerPass>},
    {Level::SM, "expand", "mbarriers with index and parity instead of rings",
     addExpandRings},
    {Level::SM, "privatize", "atomic operations combined in shared memory",
     addKernelPass<sm::KernelOp, sm::PrivatizeAtomicsPassOptions,
                   sm::createPrivatizeAtomicsPass>},
    {Level::SM, "allocate", "addresses in shared memory", addAllocate},
    {Level::SM, "fence", "barriers and fences of shared memory",
     addPlaceFences},
    {Level::LLVM, "nvvm", "functions of one thread in llvm and nvvm",
     addConvertToNVVM},
};

ArrayRef<Phase> tessera::getPhases() { return phases; }

const Phase *tessera::findPhase(StringRef name) {
  const Phase *found =
      llvm::find_if(phases, [&](const Phase &p) { return p.name == name; });
  return found == std::end(phases) ? nullptr : found;
}

/// The first phase that depends on the GPU that the module names.
static constexpr llvm::StringLiteral kFirstForTarget = "products";

static bool isForTarget(const Phase &phase) {
  return &phase >= findPhase(kFirstForTarget);
}

const Phase &tessera::getLastCommonPhase() {
  return *(findPhase(kFirstForTarget) - 1);
}

const Phase &tessera::getSchedulePhase() { return *findPhase("schedule"); }

const Phase &tessera::getTimedPhase() { return *findPhase("fence"); }

FailureOr<const Phase *> tessera::getCompletedPhase(ModuleOp module) {
  Attribute attribute = module->getAttr(kPhaseAttrName);
  if (!attribute)
    return static_cast<const Phase *>(nullptr);
  auto name = dyn_cast<StringAttr>(attribute);
  if (const Phase *phase = name ? findPhase(name.getValue()) : nullptr)
    return phase;
  return emitError(module.getLoc())
         << "unknown phase " << attribute << "; the phases are "
         << llvm::join(llvm::map_range(phases, [](auto &p) { return p.name; }),
                       ", ");
}

void tessera::setCompletedPhase(ModuleOp module, const Phase &phase) {
  module->setAttr(kPhaseAttrName,
                  StringAttr::get(module.getContext(), phase.name));
}

/// Checks whether `module` has completed all phases.
static bool isLowered(ModuleOp module) {
  return !module.getBody()->empty() &&
         llvm::all_of(module.getOps(), [](Operation &op) {
           return op.getName().getDialectNamespace() == "llvm";
         });
}

/// Records the target in `module`, which names it from the level of sm on.
static LogicalResult setTarget(ModuleOp module, const GpuTarget *wanted) {
  const GpuTarget *named = sm::findTarget(module);
  if (!named)
    sm::setTarget(module, wanted ? *wanted : getDefaultGpuTarget());
  else if (wanted && wanted != named)
    return emitError(module.getLoc())
           << "the input is compiled for " << named->name
           << "; code for another target, " << wanted->name
           << ", is made from a phase of the tile level";
  return success();
}

LogicalResult tessera::runPhases(ModuleOp module, const Phase &last,
                                 const PhaseOptions &options,
                                 const PhaseHooks &hooks) {
  FailureOr<const Phase *> completed = getCompletedPhase(module);
  if (failed(completed))
    return failure();
  if (!*completed && isLowered(module))
    return success();
  const Phase *first = *completed ? *completed + 1 : std::begin(phases);
  if (first > &last + 1)
    return emitError(module.getLoc())
           << "the input is already past phase '" << last.name
           << "': it is at '" << (*completed)->name << "'";
  // All managers live to the end: reports of times identify passes by their
  // addresses.
  std::list<PassManager> managers;
  for (const Phase *phase = first; phase <= &last; ++phase) {
    if (isForTarget(*phase) && failed(setTarget(module, options.target)))
      return failure();
    if (hooks.begins && failed(hooks.begins(module, *phase)))
      return failure();
    PassManager &manager = managers.emplace_back(module.getContext());
    if (hooks.prepare && failed(hooks.prepare(manager)))
      return failure();
    phase->addPasses(manager, options);
    if (failed(manager.run(module)))
      return failure();
    setCompletedPhase(module, *phase);
    if (hooks.completed && failed(hooks.completed(module, *phase)))
      return failure();
  }
  return success();
}

void tessera::registerPipelines() {
  PassPipelineRegistration<>("tile-pipeline",
                             "All phases that are the same for all targets",
                             [](OpPassManager &manager) {
                               for (const Phase &phase : phases)
                                 if (!isForTarget(phase))
                                   phase.addPasses(manager, PhaseOptions());
                             });
}
