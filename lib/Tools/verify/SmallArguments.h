//===- SmallArguments.h - Arguments for quick runs --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Arguments for a kernel with only its signature known, small enough to be
// executed after every pass. Each axis has two tiles, the second one ragged.
// Sizes are multiples of 8 so that tensor copies remain possible. The sizes of
// a given argument apply to all arguments.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H
#define TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H

#include "tessera/Interpreter/KernelView.h"
#include "tessera/Tools/launch/Signature.h"

namespace tessera::tools {

/// Returns the values of `--arg` for `kernel`: those of `given`, and small
/// arguments for the other parameters. With `iterations`, sizes that loops walk
/// have that number of tiles, so that a trace has a steady state.
llvm::Expected<std::vector<std::string>>
makeSmallArguments(const interp::KernelView &kernel, const Signature &signature,
                   ArrayRef<std::string> given, unsigned iterations = 0);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_SMALLARGUMENTS_H
