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
  phaseOptions.target = options.target;
  if (failed(runPhases(module, getPhases().back(), phaseOptions)))
    return failure();
  TimingScope timing;
  FailureOr<BuiltPackage> built = buildPackage(module, options, timing);
  if (failed(built))
    return failure();
  return std::move(built->package);
}
