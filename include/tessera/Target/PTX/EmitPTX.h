//===- EmitPTX.h - From the LLVM dialect to PTX -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last levels of the compiler: a module of the `llvm` and `nvvm` dialects
// becomes LLVM IR, and LLVM IR becomes PTX. No dialect of ours is known here.
//
// What happens to a module, always to a copy of it:
//   1. `nvvm` ops without an intrinsic become inline assembly
//      (`convert-nvvm-to-llvm`);
//   2. ops that LLVM's code generator is known to give up on are refused, with
//      the way out (SelectionGuards.h);
//   3. translation to LLVM IR, with line tables on request;
//   4. every inline assembly is marked `convergent`: the dialect cannot say so,
//      and without it LLVM may clone or sink a barrier;
//   5. a light cleanup, then code generation for the target.
//
// Errors are MLIR diagnostics at the op, else at the function. Where LLVM would
// end the process, the code generator is left by a recovery point and the
// reason becomes a diagnostic; the half-made module is abandoned, not freed.
//
// Threads: modules of one MLIR context may be emitted at the same time if it is
// in multithreading mode; each has an LLVM context of its own. While emissions
// run, LLVM's fatal error handler and its crash handlers are replaced, and
// these are global: nothing else in the process may install its own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_EMITPTX_H
#define TESSERA_TARGET_PTX_EMITPTX_H

#include "tessera/Support/LLVM.h"
#include "tessera/Target/GpuTarget.h"
#include <memory>
#include <string>

namespace mlir {
class TimingScope;
} // namespace mlir

namespace llvm {
class LLVMContext;
class Module;
} // namespace llvm

namespace tessera::ptx {

struct EmitOptions {
  const GpuTarget *target = &getDefaultGpuTarget();
  /// Clean up the LLVM IR. Deliberately without code motion out of loops and
  /// without unrolling: wgmma descriptors hoisted out of a loop are parked in
  /// registers, moved back and spilled.
  bool cleanUp = true;
  /// Emit `.loc` lines from the file locations of the ops.
  bool lineTables = false;
};

/// Registers the dialects that a module may hold, with their translations.
void registerEmissionDialects(DialectRegistry &registry);

/// The target that `module` is lowered for, by its name there; the default one
/// without a name. An unknown name is an error.
FailureOr<const GpuTarget *> getTarget(ModuleOp module);

/// The LLVM IR that PTX is made from, cleaned up as `options` say, as text.
FailureOr<std::string> emitLLVM(ModuleOp module, const EmitOptions &options);

/// The PTX text. `timing` gets the parts "LLVM IR" and "code generation".
FailureOr<std::string> emitPTX(ModuleOp module, const EmitOptions &options,
                               TimingScope &timing);
FailureOr<std::string> emitPTX(ModuleOp module, const EmitOptions &options);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_EMITPTX_H
