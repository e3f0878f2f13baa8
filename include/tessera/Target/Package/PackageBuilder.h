//===- PackageBuilder.h - From lowered kernels to a package -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of the `llvm` and `nvvm` dialects whose kernels have their metadata
// becomes PTX, machine code and a kernel package. This library does not depend
// on the dialects of Tessera.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PACKAGE_PACKAGEBUILDER_H
#define TESSERA_TARGET_PACKAGE_PACKAGEBUILDER_H

#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Target/PTX/EmitPTX.h"
#include "tessera/Target/PTX/FindPtxas.h"
#include "tessera/Target/PTX/Ptxas.h"

#include "llvm/ADT/StringMap.h"

namespace mlir {
class TimingScope;
} // namespace mlir

namespace tessera {

struct PackageOptions {
  const GpuTarget *target = &getDefaultGpuTarget();
  /// The ptxas to run; empty to search for it.
  std::string ptxas;
  /// The ptxas that was found before lowering the kernels.
  std::optional<ptx::PtxasProgram> foundPtxas;
  /// Omit machine code. ptxas is then not needed.
  bool ptxOnly = false;
  /// Keep the lines of the source for profilers and for messages.
  bool lineTables = false;
  /// As in ptx::PtxasOptions.
  unsigned optimization = 3;
  /// The hazards that get a warning rather than an error.
  ptx::HazardPolicy hazards = ptx::HazardPolicy::AllowSlow;
  /// Existing machine code, by its PTX; created with these options.
  llvm::StringMap<ptx::Cubin> assembled;
};

/// A package, and the reports of ptxas about its kernels.
struct BuiltPackage {
  rt::KernelPackage package;
  ptx::PtxasReport report;
};

/// Returns the ptxas that was found, or finds it now.
FailureOr<ptx::PtxasProgram> getPtxas(ModuleOp module,
                                      const PackageOptions &options);

/// Emits an error for a module with other dialects than llvm.
LogicalResult verifyLowered(ModuleOp module);

/// Returns the metadata of all kernels of `module`, with the names of their
/// entries.
FailureOr<std::vector<rt::KernelMetadata>> readKernels(ModuleOp module);

/// Returns the PTX of all kernels together; `timing` gets its parts.
FailureOr<std::string> emitPTX(ModuleOp module, const PackageOptions &options,
                               TimingScope &timing);

/// Assembles `text`, generated from `module`, with the ptxas at `program`.
/// Returns the code of the first optimisation level of `levels` without spills,
/// or else of the last level. Emits the warnings about that code, unless
/// `isQuiet`.
FailureOr<ptx::Cubin> assemble(ModuleOp module, StringRef text,
                               StringRef program, const PackageOptions &options,
                               ArrayRef<unsigned> levels, bool isQuiet = false);

/// Builds the package, in which each kernel has PTX and machine code of its
/// own, or PTX alone. Kernels are compiled in parallel; `timing` gets a part
/// for each. Failures are diagnostics, at the kernel if it is known.
FailureOr<BuiltPackage> buildPackage(ModuleOp module,
                                     const PackageOptions &options,
                                     TimingScope &timing);

} // namespace tessera

#endif // TESSERA_TARGET_PACKAGE_PACKAGEBUILDER_H
