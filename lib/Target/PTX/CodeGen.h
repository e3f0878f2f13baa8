//===- CodeGen.h - From LLVM IR to text -------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The part that depends only on LLVM: preparation, cleanup and printing of a
// module for a target, with its failures as diagnostics.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_CODEGEN_H
#define TESSERA_TARGET_PTX_CODEGEN_H

#include "tessera/Target/PTX/EmitPTX.h"

namespace llvm {
class TargetMachine;
} // namespace llvm

namespace tessera::ptx {

/// Creates the code generator for `options.target`. Reports an error at `loc`
/// if there is none.
std::unique_ptr<llvm::TargetMachine>
createTargetMachine(Location loc, const EmitOptions &options);

/// Sets triple and data layout, and marks inline assembly convergent.
void prepare(llvm::Module &llvmModule, llvm::TargetMachine &machine);

/// Runs the cleanup on the module.
void cleanUp(llvm::Module &llvmModule, llvm::TargetMachine &machine);

/// Generates PTX. Errors are reported on `module`, the origin of `llvmModule`.
/// After a failure that would have ended the process, `llvmModule` and its
/// context are in an undefined state. `abandoned` is then true, and the caller
/// must not destroy them.
FailureOr<std::string> generatePTX(ModuleOp module, llvm::Module &llvmModule,
                                   llvm::TargetMachine &machine,
                                   bool &abandoned);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_CODEGEN_H
