//===- Phases.h - The phases of compilation ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The way of a kernel through the compiler as a list of named phases. tilec
// runs them in order, writes one file per phase on request, and takes any of
// these files as input again: a module carries the name of the last phase that
// ran on it (`tile.phase`), and compilation continues after it.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_PIPELINES_PHASES_H
#define TESSERA_PIPELINES_PHASES_H

#include "tessera/Support/LLVM.h"
#include "llvm/ADT/StringRef.h"
#include <functional>

namespace mlir {
class PassManager;
} // namespace mlir

namespace tessera {

struct GpuTarget;

struct PhaseOptions {
  /// The GPU that the module is to name from phase `products` on; null for the
  /// one that it names already, or the default one.
  const GpuTarget *target = nullptr;
  /// Passes say, as remarks, what they did and what they refused.
  bool remarks = false;
  /// Stages of fetches by threads, as the option of sm-pipeline.
  int64_t fetchStages = 0;
  /// Tiles that are walked together, as the option of tile-to-sm; 0 for its
  /// default.
  int64_t rasterGroup = 0;
  /// Registers that tiles of a loop of products may take above those that are
  /// certain to be free, as the option of sm-schedule-loops.
  int64_t registerLeeway = 0;
};

/// The dialect that kernels are written in after a phase.
enum class Level { Tile, SM, LLVM };

struct Phase {
  Level level;
  /// As in `--emit` and in the names of saved files.
  StringRef name;
  StringRef summary;
  /// Adds the passes of the phase to a pass manager for `builtin.module`.
  void (*addPasses)(OpPassManager &manager, const PhaseOptions &options);
};

/// All phases, in order. The first is what the front end makes, cleaned up.
ArrayRef<Phase> getPhases();

/// The last phase before those that depend on the target: that far a kernel is
/// the same for all.
const Phase &getLastCommonPhase();

/// The phase that chooses when the ops of loops of products run.
const Phase &getSchedulePhase();

/// Null if there is no phase of that name.
const Phase *findPhase(StringRef name);

/// The phase that `module` has been through; null if it carries no name.
/// Fails, with a diagnostic, on an unknown name.
FailureOr<const Phase *> getCompletedPhase(ModuleOp module);
void setCompletedPhase(ModuleOp module, const Phase &phase);

/// What runs beside the passes of phases.
struct PhaseHooks {
  /// Prepares the pass manager of each phase.
  std::function<LogicalResult(PassManager &)> prepare;
  /// Sees the module before each phase.
  std::function<LogicalResult(ModuleOp, const Phase &)> begins;
  /// Sees the module after each phase.
  std::function<LogicalResult(ModuleOp, const Phase &)> completed;
};

/// Runs the phases that `module` has not been through, up to `last`. A module
/// that holds the llvm dialect only is past all of them. Fails, with a
/// diagnostic, on a module that names another target than the options.
LogicalResult runPhases(ModuleOp module, const Phase &last,
                        const PhaseOptions &options,
                        const PhaseHooks &hooks = {});

/// Registers `tile-pipeline`, all phases that are the same for all targets.
void registerPipelines();

} // namespace tessera

#endif // TESSERA_PIPELINES_PHASES_H
