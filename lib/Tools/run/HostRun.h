//===- lib/Tools/run/HostRun.h - A run on arrays of the host ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// What the interpreter and the simulator have in common: arguments from the
// command line, a launch, and what is done with its results.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_HOSTRUN_H
#define TESSERA_LIB_TOOLS_RUN_HOSTRUN_H

#include "tessera/Interpreter/Interpreter.h"
#include "tessera/Tools/ProgressBar.h"
#include "tessera/Tools/launch/RunOptions.h"

#include "mlir/IR/Diagnostics.h"

namespace tessera::tools {

/// Runs a launch, and may say what it took, for --time.
using Execute =
    function_ref<LogicalResult(interp::Launch &launch, std::string &took)>;

/// Shows how far a run is, and makes way for what is said meanwhile.
class RunProgress {
public:
  RunProgress(MLIRContext *context, StringRef unit)
      : bar(unit), handler(context, [this](Diagnostic &) {
          bar.clear();
          return failure();
        }) {}

  ProgressHandler getHandler() {
    return [this](uint64_t done, uint64_t total) { bar.update(done, total); };
  }

private:
  ProgressBar bar;
  ScopedDiagnosticHandler handler;
};

/// After a run that was right: whether there is another one to make.
using GoesOn = function_ref<bool()>;

/// Makes the launch of `kernel`, runs it, and reports the results; all of that
/// again while `goesOn` or until something is wrong, and tells of the last time
/// only. Returns the exit status.
int runOnHost(
    const interp::KernelView &kernel, const ArgumentOptions &arguments,
    const ResultOptions &results, Execute execute,
    GoesOn goesOn = [] { return false; });

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_HOSTRUN_H
