//===- SmallArguments.h - Arguments that are quick to run -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments for a kernel of which nothing but its signature is known, small
// enough to be executed after every pass: two tiles along each axis, the second
// one ragged, in multiples of 8 so that tensor copies remain possible. Sizes
// that a given argument has are those of all arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H
#define TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H

#include "tessera/Interpreter/KernelView.h"
#include "tessera/Tools/launch/Signature.h"

namespace tessera::tools {

/// The values of `--arg` for `kernel`: those of `given`, and small ones for the
/// parameters that it leaves out.
llvm::Expected<std::vector<std::string>>
makeSmallArguments(const interp::KernelView &kernel, const Signature &signature,
                   ArrayRef<std::string> given);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H
