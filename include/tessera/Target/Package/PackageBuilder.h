//===- PackageBuilder.h - From lowered kernels to a package -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A module of the `llvm` and `nvvm` dialects whose kernels carry their metadata
// becomes PTX, machine code and a kernel package. No dialect of ours is known
// here.
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
  /// Leave out machine code. Then there need be no ptxas.
  bool ptxOnly = false;
  /// Keep the lines of the source for profilers and for messages.
  bool lineTables = false;
  /// As in ptx::PtxasOptions.
  unsigned optimization = 3;
  /// Of code that ptxas says it has made slow, what gets a warning and what an
  /// error.
  ptx::HazardPolicy hazards = ptx::HazardPolicy::AllowSlow;
  /// Machine code that exists already, by its PTX; made with these options.
  llvm::StringMap<ptx::Cubin> assembled;
};

/// A package, and what ptxas said of its kernels.
struct BuiltPackage {
  rt::KernelPackage package;
  ptx::PtxasReport report;
};

/// Returns the ptxas that was found, or finds it now.
FailureOr<ptx::PtxasProgram> getPtxas(ModuleOp module,
                                      const PackageOptions &options);

/// Refuses a module that is not of the llvm dialect alone.
LogicalResult verifyLowered(ModuleOp module);

/// The metadata of all kernels of `module`, with the names of their entries.
FailureOr<std::vector<rt::KernelMetadata>> readKernels(ModuleOp module);

/// The PTX of all kernels together; `timing` gets its parts.
FailureOr<std::string> emitPTX(ModuleOp module, const PackageOptions &options,
                               TimingScope &timing);

/// Assembles `text`, made of `module`, by the ptxas at `program`: at the first
/// of the `levels` of its optimisations at which it spills nothing, or else at
/// the last. Emits the warnings about that code, unless `isQuiet`.
FailureOr<ptx::Cubin> assemble(ModuleOp module, StringRef text,
                               StringRef program, const PackageOptions &options,
                               ArrayRef<unsigned> levels, bool isQuiet = false);

/// The package, in which each kernel has PTX and machine code of its own, or
/// PTX alone.
/// Kernels are compiled side by side; `timing` gets a part for each. Failures
/// are diagnostics, at the kernel where it is known.
FailureOr<BuiltPackage> buildPackage(ModuleOp module,
                                     const PackageOptions &options,
                                     TimingScope &timing);

} // namespace tessera

#endif // TESSERA_TARGET_PACKAGE_PACKAGEBUILDER_H
