//===- Explanation.cpp - The predicted time of kernels --------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Explanation.h"
#include "ClockTrace.h"
#include "Roofline.h"
#include "tuning/Sizes.h"

#include "tessera/Timing/KernelClock.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/SmallPtrSet.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;

/// The least and the greatest median error of a family of kernels. A test
/// compares them with the results that docs/design/clock.md links.
static constexpr llvm::StringLiteral kMedianErrors = "3.9 to 18.8 %";

/// Returns the sizes of the kernel, and its parameters of type index.
static SmallVector<StringRef> findSizeNames(sm::KernelOp kernel) {
  llvm::SetVector<StringRef> names;
  for (auto [index, param] : llvm::enumerate(kernel.getParams())) {
    if (param.getType().isIndex())
      names.insert(kernel.getParamName(index));
    auto tensor = dyn_cast<tile::GlobalType>(param.getType());
    if (!tensor)
      continue;
    for (tile::SizeAttr size : tensor.getShape())
      for (StringAttr symbol : size.getSymbols())
        names.insert(symbol.getValue());
  }
  return names.takeVector();
}

LogicalResult tools::explain(
    ModuleOp module, const llvm::StringMap<int64_t> &sizes, raw_ostream &os,
    llvm::function_ref<LogicalResult(sm::KernelOp, sim::Trace)> show) {
  llvm::StringSet<> explained;
  LogicalResult result = success();
  for (auto kernel : module.getOps<sm::KernelOp>()) {
    StringRef name = sm::getSourceName(kernel);
    // No condition on sizes holds without sizes.
    if (std::string missing =
            describeMissingSizes(name, findSizeNames(kernel), sizes);
        sizes.empty() && !missing.empty()) {
      if (explained.insert(name).second)
        result = kernel.emitError("--explain: " + missing);
      continue;
    }
    timing::KernelClock clock(kernel, sizes);
    // A launch runs the first variant whose conditions hold.
    if (!clock.meetsConditions() || !explained.insert(name).second)
      continue;
    llvm::Expected<timing::LaunchTime> time = clock.timeLaunch();
    if (!time) {
      std::string reason = llvm::toString(time.takeError()),
                  missing =
                      describeMissingSizes(name, findSizeNames(kernel), sizes);
      if (missing.empty() || !StringRef(reason).contains("do not determine"))
        return kernel.emitError("no time can be predicted: " + reason);
      // Names what each kernel of the file lacks.
      result = kernel.emitError("--explain: " + missing);
      continue;
    }
    os << llvm::formatv("kernel '{0}': {1:f1} us predicted for {2} programs, "
                        "{3} at a time on each multiprocessor\n",
                        kernel.getSymName(), time->seconds * 1e6,
                        time->programs, time->residents);
    if (time->programs == 0)
      continue;
    if (show) {
      llvm::Expected<sim::Trace> trace = traceProgram(clock, time->longest);
      if (!trace)
        return kernel.emitError(llvm::toString(trace.takeError()));
      if (failed(show(kernel, std::move(*trace))))
        return failure();
    }
    os << llvm::formatv("  tensor cores are busy for {0:f1} % of the time\n",
                        100 * time->tensorCycles / time->cycles);
    llvm::SmallPtrSet<Operation *, 4> printed;
    for (timing::LoopTime &loop : time->longest.loops)
      if (double period = loop.getPeriod();
          period && printed.insert(loop.loop).second)
        os << llvm::formatv(
            "  loop at {0}{1}: {2} iterations{3}, {4:f0} cycles each\n",
            getPlace(loop.loop),
            loop.role ? ", role '" + loop.role.getName().str() + "'" : "",
            loop.peeled + loop.ends.size(),
            loop.peeled == 0 ? ""
            : loop.peeled == 1
                ? " (the first one is peeled)"
                : llvm::formatv(" (the first {0} are peeled)", loop.peeled)
                      .str(),
            period);
  }
  if (!explained.empty() && succeeded(result))
    os << "predicted times differ from measured ones by " << kMedianErrors
       << " in the median, depending on the family of kernels\n";
  return result;
}
