//===- InterpretedKernel.cpp - A kernel in the interpreter ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"
#include "tessera/Host/HostLaunch.h"

using namespace tessera;
using namespace tessera::tools;

namespace {
class InterpretedKernel : public HostKernel {
public:
  /// With `isCompiled`, the kernel becomes code for this processor if all of
  /// its operations have a lowering. A random order of programs is left to the
  /// interpreter.
  llvm::Error compile(const HostSource &source, const HostOptions &options,
                      bool isCompiled) {
    if (llvm::Error error = module.compile(source, options))
      return error;
    device = isCompiled ? "cpu" : "interpreter";
    runOptions.stepLimit =
        makeLimit(options.stepLimit.value_or(runOptions.stepLimit));
    runOptions.orderSeed = options.gridOrder;
    metadata = describeKernel(module.getKernel());
    if (isCompiled && !options.gridOrder &&
        succeeded(interp::verifyExecutable(module.getKernel())))
      if (auto compiled = host::NativeKernel::compile(module.getKernel());
          succeeded(compiled))
        code = std::move(*compiled);
    warnings = module.takeMessages();
    return llvm::Error::success();
  }

private:
  llvm::Error execute(llvm::ArrayRef<rt::Argument> arguments,
                      const llvm::StringMap<int64_t> &sizes) override {
    llvm::Expected<interp::Launch> launch =
        makeLaunch(module.getKernel(), arguments, sizes, device);
    if (!launch)
      return launch.takeError();
    if (failed(host::run(*launch, code.get(), runOptions)))
      return llvm::make_error<HostDefectError>(HostDefectError::Kind::Execution,
                                               module.takeMessages());
    return finishLaunch(*launch, metadata, arguments);
  }

  HostModule module;
  /// The name of the device in messages.
  StringRef device;
  interp::RunOptions runOptions;
  /// Null if the interpreter runs the kernel.
  std::unique_ptr<host::NativeKernel> code;
};
} // namespace

static llvm::Expected<std::unique_ptr<HostKernel>>
compileKernel(const HostSource &source, const HostOptions &options,
              bool isCompiled) {
  auto kernel = std::make_unique<InterpretedKernel>();
  if (llvm::Error error = kernel->compile(source, options, isCompiled))
    return std::move(error);
  return std::move(kernel);
}

llvm::Expected<std::unique_ptr<HostKernel>>
tools::compileForInterpreter(const HostSource &source,
                             const HostOptions &options) {
  return compileKernel(source, options, /*isCompiled=*/false);
}

llvm::Expected<std::unique_ptr<HostKernel>>
tools::compileForProcessor(const HostSource &source,
                           const HostOptions &options) {
  return compileKernel(source, options, /*isCompiled=*/true);
}
