//===- HostModule.h - A compiled source with its diagnostics ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The module of a kernel, in a context of its own, whose diagnostics become
// text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_HOST_HOSTMODULE_H
#define TESSERA_LIB_TOOLS_HOST_HOSTMODULE_H

#include "tessera/Interpreter/Interpreter.h"
#include "tessera/Tools/host/HostKernel.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/IR/OwningOpRef.h"
#include "llvm/Support/SourceMgr.h"

namespace tessera::tools {

class HostModule {
public:
  HostModule();

  /// Compiles the source to the `tile` level.
  llvm::Error compile(const HostSource &source, const HostOptions &options);
  /// Returns the signatures of the kernels of the source.
  llvm::Expected<std::string> describe(const HostSource &source);

  ModuleOp get() { return *module; }
  /// Returns the only kernel of the source.
  tile::KernelOp getKernel();
  /// Keeps a copy of the kernel if it has checks or prints, which code of a GPU
  /// lacks. Call it before phases run.
  void keepReports();
  /// Runs the copy, if any, in the interpreter. Fails if a check does not hold.
  llvm::Error runReports(llvm::ArrayRef<rt::Argument> arguments,
                         const llvm::StringMap<int64_t> &sizes,
                         const StepLimit &limit);
  /// Returns the diagnostics since the last call.
  std::string takeMessages();

private:
  void addText(const HostSource &source);

  DialectRegistry registry;
  MLIRContext context;
  std::string messages;
  llvm::raw_string_ostream os{messages};
  llvm::SourceMgr sourceMgr;
  SourceMgrDiagnosticHandler handler;
  OwningOpRef<ModuleOp> module, reports;
};

/// Describes the parameters and the sizes of a kernel, without blocks.
rt::KernelMetadata describeKernel(const interp::KernelView &kernel);

/// Creates the launch of a kernel of the interpreter or the simulator. An error
/// names the `device`.
llvm::Expected<interp::Launch>
makeLaunch(const interp::KernelView &kernel,
           llvm::ArrayRef<rt::Argument> arguments,
           const llvm::StringMap<int64_t> &sizes, StringRef device);

/// Binds the sizes of `kernel`.
llvm::Expected<interp::SizeBinding>
bindSizes(const interp::KernelView &kernel,
          llvm::ArrayRef<rt::Argument> arguments,
          const llvm::StringMap<int64_t> &sizes);

/// Checks the results of a launch and copies them to the memory of the caller.
llvm::Error finishLaunch(interp::Launch &launch,
                         const rt::KernelMetadata &kernel,
                         llvm::ArrayRef<rt::Argument> arguments);

// The devices: each function compiles a kernel for one.
llvm::Expected<std::unique_ptr<HostKernel>>
compileForInterpreter(const HostSource &source, const HostOptions &options);
llvm::Expected<std::unique_ptr<HostKernel>>
compileForProcessor(const HostSource &source, const HostOptions &options);
llvm::Expected<std::unique_ptr<HostKernel>>
compileForSimulator(const HostSource &source, const HostOptions &options);
llvm::Expected<std::unique_ptr<HostKernel>>
compileForEmulator(const HostSource &source, const HostOptions &options);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_HOST_HOSTMODULE_H
