//===- HostLaunch.h - Launches on the processor -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs a launch of the interpreter in compiled code.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_HOST_HOSTLAUNCH_H
#define TESSERA_HOST_HOSTLAUNCH_H

#include "tessera/Host/NativeKernel.h"
#include "tessera/Interpreter/Interpreter.h"

namespace tessera::host {

/// Runs `launch` in the code of `kernel`. Without code, or after a failed
/// check, runs it in the interpreter, which reports the defect; the tensors
/// have their old values until a run ends. A run that is interrupted fails
/// without a diagnostic.
LogicalResult run(interp::Launch &launch, const NativeKernel *kernel,
                  const interp::RunOptions &options = {},
                  interp::RunStatistics *statistics = nullptr);

} // namespace tessera::host

#endif // TESSERA_HOST_HOSTLAUNCH_H
