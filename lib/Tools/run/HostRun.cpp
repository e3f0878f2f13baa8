//===- HostRun.cpp - A run on arrays of the host ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostRun.h"

#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/KernelLaunch.h"
#include "tessera/Tools/launch/Report.h"

#include "llvm/Support/Format.h"

#include <chrono>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;

namespace {
/// Reads the tensors of the launch.
class LaunchReader : public ResultReader {
public:
  explicit LaunchReader(interp::Launch &launch) : launch(launch) {}

  NDArray read(unsigned index) override {
    return launch.getTensor(index)->toArray();
  }
  Unwritten countUnwritten(unsigned index) override {
    Unwritten unwritten;
    unwritten.count = launch.getTensor(index)->countUnwritten(&unwritten.first);
    return unwritten;
  }
  std::optional<array::NaNCount> countNaN(unsigned index) override {
    return array::countNaN(read(index));
  }

private:
  interp::Launch &launch;
};
} // namespace

/// Returns the shapes of tensors; empty for scalars.
static std::vector<array::Shape> getShapes(interp::Launch &launch) {
  std::vector<array::Shape> shapes;
  for (unsigned i = 0, e = launch.getNumArguments(); i < e; ++i) {
    interp::GlobalTensor *tensor = launch.getTensor(i);
    shapes.emplace_back(tensor ? tensor->getShape() : ArrayRef<int64_t>());
  }
  return shapes;
}

int tools::runOnHost(const interp::KernelView &kernel,
                     const ArgumentOptions &argumentOptions,
                     const ResultOptions &resultOptions, StringRef device,
                     Execute execute, GoesOn goesOn) {
  auto refuse = [](llvm::Error error) {
    return reportUsageError("tile-run", llvm::toString(std::move(error)));
  };
  Signature signature = getSignature(kernel);
  uint64_t seed = argumentOptions.seed;
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(signature, argumentOptions.args);
  if (!arguments)
    return refuse(arguments.takeError());
  std::optional<Results> results;
  while (true) {
    llvm::Expected<interp::Launch> launch =
        makeLaunch(kernel, *arguments, seed, device);
    if (!launch)
      return refuse(launch.takeError());
    std::vector<array::Shape> shapes = getShapes(*launch);
    if (!results) {
      llvm::Expected<Results> read =
          Results::read(signature, shapes, resultOptions, seed);
      if (!read)
        return refuse(read.takeError());
      results = std::move(*read);
    }

    std::string took, report;
    auto start = std::chrono::steady_clock::now();
    if (failed(execute(*launch, took)))
      return 1;
    std::chrono::duration<double> seconds =
        std::chrono::steady_clock::now() - start;

    LaunchReader reader(*launch);
    llvm::raw_string_ostream os(report);
    bool isGood = printReport("tile-run", signature, shapes,
                              results->expectations, reader, os, llvm::errs());
    if (isGood && goesOn())
      continue;
    if (resultOptions.time)
      os << "time: " << llvm::format("%.3f", seconds.count()) << " s, " << took
         << "\n";
    llvm::outs() << report;
    if (llvm::Error error =
            saveAndPrint(signature, *results, reader, llvm::outs()))
      return refuse(std::move(error));
    return isGood ? 0 : 1;
  }
}
