//===- InterpretedKernel.cpp - A kernel in the interpreter ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostModule.h"

using namespace tessera;
using namespace tessera::tools;

namespace {
class InterpretedKernel : public HostKernel {
public:
  llvm::Error compile(const HostSource &source, const HostOptions &options) {
    if (llvm::Error error = module.compile(source))
      return error;
    runOptions.stepLimit =
        makeLimit(options.stepLimit.value_or(runOptions.stepLimit));
    runOptions.orderSeed = options.gridOrder;
    metadata = describeKernel(module.getKernel());
    warnings = module.takeMessages();
    return llvm::Error::success();
  }

private:
  llvm::Error execute(llvm::ArrayRef<rt::Argument> arguments,
                      const llvm::StringMap<int64_t> &sizes) override {
    llvm::Expected<interp::Launch> launch =
        makeLaunch(module.getKernel(), arguments, sizes);
    if (!launch)
      return launch.takeError();
    if (failed(interp::run(*launch, runOptions)))
      return llvm::make_error<HostDefectError>(HostDefectError::Kind::Execution,
                                               module.takeMessages());
    return finishLaunch(*launch, metadata, arguments);
  }

  HostModule module;
  interp::RunOptions runOptions;
};
} // namespace

llvm::Expected<std::unique_ptr<HostKernel>>
tools::compileForInterpreter(const HostSource &source,
                             const HostOptions &options) {
  auto kernel = std::make_unique<InterpretedKernel>();
  if (llvm::Error error = kernel->compile(source, options))
    return std::move(error);
  return std::move(kernel);
}
