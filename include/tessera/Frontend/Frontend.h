//===- Frontend.h - From .tile source to the tile dialect -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The whole front end in one call. The language is described in
// docs/language.md.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_FRONTEND_H
#define TESSERA_FRONTEND_FRONTEND_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/OwningOpRef.h"
#include <string>
#include <utility>
#include <vector>

namespace llvm {
class SourceMgr;
} // namespace llvm

namespace tessera::frontend {

class NameObserver;

struct CompileOptions {
  /// The kernel to generate; all kernels of the file if empty.
  std::string kernel;
  /// Values of compile-time parameters, as given by `-D NAME=VALUE`.
  std::vector<std::pair<std::string, std::string>> defines;
  /// Leave out kernels with a compile-time parameter that has no value.
  bool skipIncomplete = false;
  /// Report an error if a file has fns but no kernel.
  bool needsKernel = true;
  /// Report assertions that fail.
  bool checkAssertions = true;
  /// Receives each declaration; may be null.
  NameObserver *observer = nullptr;
};

/// Compiles the main buffer of `sourceMgr` to a verified module of the tile
/// dialect. The name of the buffer is the path of the file, relative to which
/// it uses others; these become buffers as well. Errors are diagnostics of
/// `context` at positions in the source; the result is null if there were any.
OwningOpRef<ModuleOp> compileTile(llvm::SourceMgr &sourceMgr,
                                  MLIRContext *context,
                                  const CompileOptions &options);

/// Values of compile-time parameters, as -D takes them.
using Configuration = std::vector<std::pair<std::string, std::string>>;

/// The most configurations of a kernel.
inline constexpr size_t kMostConfigurations = 64;

/// Returns the configurations of the kernel of the main buffer that `options`
/// name, or of its only one: the combinations of the values that its parameters
/// declare. Given parameters are not among them. The first configuration has
/// all defaults, and is empty if no choice is left. Assertions are not checked.
FailureOr<std::vector<Configuration>>
findConfigurations(llvm::SourceMgr &sourceMgr, MLIRContext *context,
                   const CompileOptions &options);

/// Describes the kernels of the main buffer as JSON (docs/compiling.md), for a
/// caller that chooses their compile-time parameters: names, types as written,
/// sizes. Reports the errors that no value of these parameters avoids, and a
/// file of fns only if `needsKernel`.
FailureOr<std::string> describeKernels(llvm::SourceMgr &sourceMgr,
                                       MLIRContext *context,
                                       bool needsKernel = true);

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_FRONTEND_H
