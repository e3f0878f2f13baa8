//===- EmitPTX.h - From the LLVM dialect to PTX -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The last levels of the compiler: a module of the `llvm` and `nvvm` dialects
// becomes LLVM IR, and LLVM IR becomes PTX. This library does not depend on the
// dialects of Tessera.
//
// The steps, always on a copy of the module:
//   1. `nvvm` ops without an intrinsic become inline assembly
//      (`convert-nvvm-to-llvm`);
//   2. ops that LLVM's code generator cannot select are rejected with advice
//      (SelectionGuards.h);
//   3. translation to LLVM IR, with line tables on request;
//   4. every inline assembly is marked `convergent`: the dialect has no such
//      flag, and without it LLVM may clone or sink a barrier;
//   5. a light cleanup;
//   6. constants in operand A of a wgmma are hidden (ConstantOperands.h), and
//      code is generated for the target.
//
// Errors are MLIR diagnostics at the op, or else at the function. If LLVM would
// end the process, a recovery point leaves the code generator, and the reason
// becomes a diagnostic. The incomplete module is abandoned, not freed.
//
// Threads: modules of one MLIR context may be emitted at the same time if the
// context is in multithreading mode; each has an LLVM context of its own.
// During emissions, LLVM's global fatal error handler and crash handlers are
// replaced. No other code in the process may install its own handlers
// meanwhile.
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
  /// Clean up the LLVM IR, without code motion out of loops and without
  /// unrolling: wgmma descriptors hoisted out of a loop would occupy registers,
  /// move back and be spilled.
  bool cleanUp = true;
  /// Emit `.loc` lines from the file locations of the ops.
  bool lineTables = false;
};

/// Registers the dialects that a module may hold, with their translations.
void registerEmissionDialects(DialectRegistry &registry);

/// Returns the target that `module` names; the default target without a name.
/// An unknown name is an error.
FailureOr<const GpuTarget *> getTarget(ModuleOp module);

/// Returns the LLVM IR before code generation, cleaned up according to
/// `options`, as text.
FailureOr<std::string> emitLLVM(ModuleOp module, const EmitOptions &options);

/// Returns the PTX text. `timing` gets the parts "LLVM IR" and "code
/// generation".
FailureOr<std::string> emitPTX(ModuleOp module, const EmitOptions &options,
                               TimingScope &timing);
FailureOr<std::string> emitPTX(ModuleOp module, const EmitOptions &options);

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_EMITPTX_H
