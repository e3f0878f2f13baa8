//===- CompilePackage.cpp - From kernels to a package -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Pipelines/CompilePackage.h"

#include "mlir/Support/Timing.h"

using namespace tessera;

FailureOr<rt::KernelPackage>
tessera::compilePackage(ModuleOp module, const PackageOptions &options,
                        PhaseOptions phaseOptions) {
  PackageOptions ownOptions = options;
  // The phases may take long, so a missing ptxas is reported first.
  if (!options.ptxOnly) {
    FailureOr<ptx::PtxasProgram> program = getPtxas(module, options);
    if (failed(program))
      return failure();
    ownOptions.foundPtxas = *program;
  }
  phaseOptions.target = options.target;
  PhaseHooks hooks;
  hooks.begins = [&](ModuleOp module, const Phase &phase) {
    if (&phase == &getSchedulePhase() && !options.ptxOnly)
      chooseSchedules(module, phaseOptions, ownOptions);
    return success();
  };
  if (failed(runPhases(module, getPhases().back(), phaseOptions, hooks)))
    return failure();
  TimingScope timing;
  FailureOr<BuiltPackage> built = buildPackage(module, ownOptions, timing);
  if (failed(built))
    return failure();
  return std::move(built->package);
}
