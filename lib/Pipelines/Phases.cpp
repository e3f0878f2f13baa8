//===- Phases.cpp - The phases of compilation -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Pipelines/Phases.h"

#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassManager.h"
#include "mlir/Pass/PassRegistry.h"
#include "mlir/Transforms/Passes.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera;

/// The module attribute that names the last phase.
static constexpr llvm::StringLiteral kPhaseAttrName = "tile.phase";

/// Passes leave dead and repeated ops behind; what a person reads has none.
static void addCleanup(OpPassManager &manager, const PhaseOptions &) {
  manager.addPass(createCanonicalizerPass());
  manager.addPass(createCSEPass());
}

/// A pass on kernels with the options that all of them have, and the cleanup.
template <typename PassOptions, std::unique_ptr<Pass> (*create)(PassOptions)>
static void addKernelPass(OpPassManager &manager, const PhaseOptions &options) {
  PassOptions passOptions;
  passOptions.remarks = options.remarks;
  manager.addNestedPass<tile::KernelOp>(create(passOptions));
  addCleanup(manager, options);
}

static const Phase phases[] = {
    {"tile", "what the front end makes, with the obvious folded", addCleanup},
    {"fold-exp2", "exp and log in base 2, scales folded",
     addKernelPass<tile::FoldExp2PassOptions, tile::createFoldExp2Pass>},
    {"peel-masks", "loops split where masks are all true",
     addKernelPass<tile::PeelMasksPassOptions, tile::createPeelMasksPass>},
    {"defer-reductions", "cross-lane reductions moved behind their loops",
     addKernelPass<tile::DeferReductionsPassOptions,
                   tile::createDeferReductionsPass>},
};

ArrayRef<Phase> tessera::getPhases() { return phases; }

const Phase *tessera::findPhase(StringRef name) {
  const Phase *found =
      llvm::find_if(phases, [&](const Phase &p) { return p.name == name; });
  return found == std::end(phases) ? nullptr : found;
}

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

void tessera::registerPipelines() {
  PassPipelineRegistration<>("tile-pipeline", "All phases of the tile level",
                             [](OpPassManager &manager) {
                               for (const Phase &phase : phases)
                                 phase.addPasses(manager, PhaseOptions());
                             });
}
