//===- lib/Tools/verify/LoweredKernels.h - PTX that is executed -----------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The kernels of a lowered module as users launch them, but on the emulator:
// code generation, the launch plan, its tensor maps and its arguments are
// executed with them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_VERIFY_LOWEREDKERNELS_H
#define TESSERA_LIB_TOOLS_VERIFY_LOWEREDKERNELS_H

#include "tessera/Simulator/Order.h"
#include "tessera/Support/LLVM.h"
#include "tessera/Tools/launch/LaunchRequest.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/BuiltinOps.h"

namespace tessera::tools {

/// One variant of a kernel, by itself.
struct LoweredKernel {
  LLVM::LLVMFuncOp function;
  rt::KernelPackage package;

  const rt::KernelMetadata &getMetadata() const {
    return package.kernels.front();
  }
};

/// Whether `module` has nothing left to lower, and kernels that can be
/// launched.
bool isLowered(ModuleOp module);

/// Makes PTX of a lowered module.
FailureOr<std::vector<LoweredKernel>> compileToPTX(ModuleOp module);

/// Executes a kernel in one order. The result has the tensors afterwards, by
/// parameter. Defects are printed at their lines; then the error has no text.
llvm::Expected<std::vector<array::NDArray>>
runLowered(const LoweredKernel &kernel, const LaunchRequest &request,
           sim::Order order, uint64_t seed);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_LOWEREDKERNELS_H
