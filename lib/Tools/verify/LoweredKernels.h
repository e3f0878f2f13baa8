//===- LoweredKernels.h - Execution of lowered kernels ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs the kernels of a lowered module like a user, but on the emulator. The
// run also executes code generation, the launch plan, its tensor maps and its
// arguments.
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

/// One variant of a kernel, in a module of its own.
struct LoweredKernel {
  LLVM::LLVMFuncOp function;
  rt::KernelPackage package;

  const rt::KernelMetadata &getMetadata() const {
    return package.kernels.front();
  }
};

/// Checks whether `module` is completely lowered and has kernels that can be
/// launched.
bool isLowered(ModuleOp module);

/// Generates PTX from a lowered module.
FailureOr<std::vector<LoweredKernel>> compileToPTX(ModuleOp module);

/// Executes a kernel in one interleaving. Returns the tensors afterwards, by
/// parameter. Prints defects at their lines; the error then has no text.
llvm::Expected<std::vector<array::NDArray>>
runLowered(const LoweredKernel &kernel, const LaunchRequest &request,
           sim::Order order, uint64_t seed);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_LOWEREDKERNELS_H
