//===- HostRun.h - A run on arrays of the host ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The common part of the interpreter and the simulator: arguments from the
// command line, a launch, and the uses of its results.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_HOSTRUN_H
#define TESSERA_LIB_TOOLS_RUN_HOSTRUN_H

#include "tessera/Interpreter/Interpreter.h"
#include "tessera/Tools/ProgressBar.h"
#include "tessera/Tools/launch/RunOptions.h"

#include "mlir/IR/Diagnostics.h"

namespace tessera::tools {

/// Runs a launch. May describe its cost in `took`, for --time.
using Execute =
    function_ref<LogicalResult(interp::Launch &launch, std::string &took)>;

/// Displays the progress of a run, and erases it while messages are printed.
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

/// Returns, after a correct run, whether another run follows.
using GoesOn = function_ref<bool()>;

/// Creates the launch of `kernel`, runs it on `device`, and checks the results.
/// Repeats all of this while `goesOn` and until an error occurs. Reports only
/// the last run. Returns the exit status.
int runOnHost(
    const interp::KernelView &kernel, const ArgumentOptions &arguments,
    const ResultOptions &results, StringRef device, Execute execute,
    GoesOn goesOn = [] { return false; });

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_HOSTRUN_H
