//===- Explanation.cpp - The predicted time of kernels --------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "Roofline.h"

#include "tessera/Timing/KernelClock.h"

#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;

LogicalResult tools::explain(ModuleOp module,
                             const llvm::StringMap<int64_t> &sizes,
                             raw_ostream &os) {
  llvm::StringSet<> explained;
  for (auto kernel : module.getOps<sm::KernelOp>()) {
    timing::KernelClock clock(kernel, sizes);
    // A launch runs the first variant whose conditions hold.
    if (!clock.meetsConditions() ||
        !explained.insert(sm::getSourceName(kernel)).second)
      continue;
    llvm::Expected<timing::LaunchTime> time = clock.timeLaunch();
    if (!time) {
      std::string reason = llvm::toString(time.takeError());
      InFlightDiagnostic error =
          kernel.emitError("no time can be predicted: " + reason);
      if (StringRef(reason).contains("do not determine"))
        error.attachNote() << "--explain=NAME=SIZE,… gives all sizes of a "
                              "kernel; --kernel chooses one of the file";
      return error;
    }
    os << llvm::formatv("kernel '{0}': {1:f1} us predicted for {2} programs, "
                        "{3} at a time on each multiprocessor\n",
                        kernel.getSymName(), time->seconds * 1e6,
                        time->programs, time->residents);
    if (time->programs == 0)
      continue;
    os << llvm::formatv("  tensor cores are busy for {0:f1} % of the time\n",
                        100 * time->tensorCycles / time->cycles);
    llvm::SmallPtrSet<Operation *, 4> printed;
    for (timing::LoopTime &loop : time->longest.loops)
      if (double period = loop.getPeriod();
          period && printed.insert(loop.loop).second)
        os << llvm::formatv(
            "  loop at {0}{1}: {2} iterations, {3:f0} cycles each\n",
            getPlace(loop.loop),
            loop.role ? ", role '" + loop.role.getName().str() + "'" : "",
            loop.ends.size(), period);
  }
  return success();
}
