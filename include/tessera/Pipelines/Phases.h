//===- Phases.h - The phases of compilation ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compilation as a list of named phases. tilec runs them in order, writes one
// file per phase on request, and accepts any of these files as input. A module
// holds the name of the last phase that ran on it (`tile.phase`), and
// compilation continues after that phase.
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
  /// The GPU that the module names from phase `products` on; null for the GPU
  /// that it already names, or the default one.
  const GpuTarget *target = nullptr;
  /// Passes report, as remarks, their changes and their obstacles.
  bool remarks = false;
  /// Depth of rings of fetches by threads, the option of sm-pipeline.
  int64_t fetchStages = 0;
  /// Number of tiles in a band, the option of tile-to-sm; 0 for its default.
  int64_t rasterGroup = 0;
  /// Registers that tiles of a loop of products may take above those that are
  /// certain to be free, the option of sm-schedule-loops.
  int64_t registerLeeway = 0;
  /// Checks and prints run on the GPU, the option of tile-lower-checks.
  bool keepsChecks = false;
};

/// The dialect of kernels after a phase.
enum class Level { Tile, SM, LLVM };

struct Phase {
  Level level;
  /// The name in `--emit` and in the names of saved files.
  StringRef name;
  StringRef summary;
  /// Adds the passes of the phase to a pass manager for `builtin.module`.
  void (*addPasses)(OpPassManager &manager, const PhaseOptions &options);
};

/// Returns all phases, in order. The first one is the output of the front end,
/// cleaned up.
ArrayRef<Phase> getPhases();

/// Returns the last phase that does not depend on the target.
const Phase &getLastCommonPhase();

/// Returns the phase that schedules the ops of loops of products.
const Phase &getSchedulePhase();

/// Returns the phase whose output timing::KernelClock reads.
const Phase &getTimedPhase();

/// Returns the phase of that name, or null.
const Phase *findPhase(StringRef name);

/// Returns the phase that `module` has completed; null if it holds no name.
/// Fails, with a diagnostic, on an unknown name.
FailureOr<const Phase *> getCompletedPhase(ModuleOp module);
void setCompletedPhase(ModuleOp module, const Phase &phase);

/// Callbacks around the phases.
struct PhaseHooks {
  /// Prepares the pass manager of each phase.
  std::function<LogicalResult(PassManager &)> prepare;
  /// Called with the module before each phase.
  std::function<LogicalResult(ModuleOp, const Phase &)> begins;
  /// Called with the module after each phase.
  std::function<LogicalResult(ModuleOp, const Phase &)> completed;
};

/// Runs the phases that `module` has not completed, up to `last`. A module of
/// the llvm dialect alone has completed all of them. Fails, with a diagnostic,
/// on a module that names another target than the options.
LogicalResult runPhases(ModuleOp module, const Phase &last,
                        const PhaseOptions &options,
                        const PhaseHooks &hooks = {});

/// Registers `tile-pipeline`, all phases that do not depend on the target.
void registerPipelines();

} // namespace tessera

#endif // TESSERA_PIPELINES_PHASES_H
