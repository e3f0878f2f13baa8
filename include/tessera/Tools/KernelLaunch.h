//===- KernelLaunch.h - Launches from a command line ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts the arguments of the command line to a launch of the interpreter.
// Errors are those of the command line and are returned as text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_KERNELLAUNCH_H
#define TESSERA_TOOLS_KERNELLAUNCH_H

#include "tessera/Interpreter/Interpreter.h"
#include "tessera/Tools/launch/HostArguments.h"

namespace tessera::tools {

/// Returns the parameters of `kernel`.
Signature getSignature(const interp::KernelView &kernel);

/// Binds the sizes of `kernel`.
llvm::Expected<interp::SizeBinding> bindSizes(const interp::KernelView &kernel,
                                              ArrayRef<HostArgument> arguments);

/// Adds the elements of a tensor to `total`. Fails if they are more than the
/// interpreter holds, which `device` uses.
llvm::Error addElements(StringRef name, ArrayRef<int64_t> shape, int64_t &total,
                        StringRef device);

/// Binds the sizes of `kernel` and creates its tensors.
llvm::Expected<interp::Launch> makeLaunch(const interp::KernelView &kernel,
                                          ArrayRef<HostArgument> arguments,
                                          uint64_t seed,
                                          StringRef device = "interpreter");

} // namespace tessera::tools

#endif // TESSERA_TOOLS_KERNELLAUNCH_H
