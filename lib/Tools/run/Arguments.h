//===- Arguments.h - The arguments of a run ---------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// From `--arg NAME=SPEC` and the parameters of the kernel to a launch. Errors
// are those of the command line and are returned as text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_ARGUMENTS_H
#define TESSERA_LIB_TOOLS_RUN_ARGUMENTS_H

#include "tessera/Array/ArraySpec.h"
#include "tessera/Interpreter/Interpreter.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::tools {

/// `NAME=VALUE` options in the order of the command line.
using NamedTexts = llvm::MapVector<StringRef, StringRef>;

/// Splits the values of the option `option`; each name is given once.
llvm::Expected<NamedTexts> splitNames(StringRef option,
                                      ArrayRef<std::string> values);

/// Finds the parameter `name`, which the option `option` names.
llvm::Expected<unsigned> findParameter(tile::KernelOp kernel, StringRef option,
                                       StringRef name);
/// The same for options that only make sense for tensors.
llvm::Expected<unsigned> findTensor(tile::KernelOp kernel, StringRef option,
                                    StringRef name);

/// Makes all arguments.
llvm::Expected<interp::Launch>
makeLaunch(tile::KernelOp kernel, const NamedTexts &texts, uint64_t seed);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_ARGUMENTS_H
