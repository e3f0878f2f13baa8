//===- PackageRun.cpp - Running a kernel of a package -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The invocation is checked completely before the driver is opened. A wrong
// invocation is therefore distinguished from a machine that cannot run the
// kernel.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/PackageRun.h"

#include "tessera/Runtime/ReportBuffer.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/launch/DeviceLaunch.h"
#include "tessera/Tools/launch/Report.h"

#include <map>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {
/// Tensors that were copied to the host.
class ArrayReader : public ResultReader {
public:
  Error fetch(const DeviceLaunch &launch, unsigned index) {
    Expected<NDArray> contents = launch.read(index);
    if (!contents)
      return contents.takeError();
    arrays[index] = std::move(*contents);
    return Error::success();
  }
  void setUnwritten(unsigned index, Unwritten found) {
    unwritten[index] = found;
  }

  NDArray read(unsigned index) override { return arrays[index]; }
  Unwritten countUnwritten(unsigned index) override { return unwritten[index]; }
  std::optional<array::NaNCount> countNaN(unsigned index) override {
    auto found = arrays.find(index);
    if (found == arrays.end())
      return std::nullopt;
    return array::countNaN(found->second);
  }

private:
  std::map<unsigned, NDArray> arrays;
  std::map<unsigned, Unwritten> unwritten;
};
} // namespace

/// Launches once, waits, and copies the tensors that `results` need. Returns
/// the milliseconds between two events around the kernel.
static Expected<double> execute(const DeviceLaunch &launch,
                                const Signature &signature,
                                const Results &results, ArrayReader &reader) {
  const rt::Stream &stream = launch.getStream();
  Expected<rt::Event> start = rt::Event::create(stream.getDeviceRef());
  if (!start)
    return start.takeError();
  Expected<rt::Event> stop = rt::Event::create(stream.getDeviceRef());
  if (!stop)
    return stop.takeError();
  if (Error error = start->record(stream))
    return std::move(error);
  if (Error error = launch.launch())
    return std::move(error);
  if (Error error = stop->record(stream))
    return std::move(error);
  if (Error error = stream.wait())
    return std::move(error);

  std::vector<unsigned> needed = results.prints;
  for (const Expectation &expectation : results.expectations)
    needed.push_back(expectation.parameter);
  for (const auto &save : results.saves)
    needed.push_back(save.first);
  llvm::append_range(needed, results.plotted);
  for (unsigned index : needed)
    if (Error error = reader.fetch(launch, index))
      return std::move(error);
  for (auto [i, parameter] : llvm::enumerate(signature.parameters))
    if (parameter.isTensor)
      reader.setUnwritten(i, launch.countUnwritten(i));
  return stop->getMillisecondsSince(*start);
}

/// Runs one launch with its results. Returns the exit status. After a correct
/// launch, `isLast` tells whether to report it.
static int runOnce(StringRef tool, const rt::KernelPackage &package,
                   const LaunchRequest &request, const Results &results,
                   bool isTimed, LaunchDevice &device, bool &isLast) {
  auto report = [&](Error error, int status) {
    reportUsageError(tool, llvm::toString(std::move(error)));
    return status;
  };
  const Signature &signature = request.signature;
  isLast = true;
  Expected<DeviceLaunch> launch =
      DeviceLaunch::create(package, request, device);
  if (!launch)
    return report(launch.takeError(), kDeviceError);
  ArrayReader reader;
  Expected<double> milliseconds = execute(*launch, signature, results, reader);
  if (!milliseconds && device.hasReported()) {
    llvm::consumeError(milliseconds.takeError());
    return 1;
  }
  if (milliseconds.errorIsA<rt::CheckError>()) {
    llvm::errs() << llvm::toString(milliseconds.takeError()) << "\n";
    return 1;
  }
  if (!milliseconds)
    return report(llvm::createStringError(
                      "kernel '" + signature.kernel +
                      "' failed: " + llvm::toString(milliseconds.takeError())),
                  1);

  std::string text;
  llvm::raw_string_ostream os(text);
  bool good = printReport(tool, signature, request.shapes, results.expectations,
                          reader, os, llvm::errs());
  if (good && device.advance()) {
    isLast = false;
    return 0;
  }
  if (isTimed)
    os << "time: " << device.describeTime(*milliseconds) << "\n";
  llvm::outs() << text;
  if (Error error = saveAndPrint(signature, results, reader, llvm::outs()))
    return report(std::move(error), kUsageError);
  return good ? 0 : 1;
}

int tools::runPackage(StringRef tool, const rt::KernelPackage &package,
                      const ArgumentOptions &arguments,
                      const ResultOptions &options, LaunchDevice &device) {
  Expected<LaunchRequest> request =
      LaunchRequest::read(package, arguments, device.getMaxTensorBytes());
  if (!request)
    return reportUsageError(tool, llvm::toString(request.takeError()));
  Expected<Results> results = Results::read(request->signature, request->shapes,
                                            options, arguments.seed);
  if (!results)
    return reportUsageError(tool, llvm::toString(results.takeError()));
  bool isLast = false;
  int status = 0;
  while (!isLast)
    status = runOnce(tool, package, *request, *results, options.time, device,
                     isLast);
  std::string note = device.describeRuns(/*hasFailed=*/status == 1);
  if (status <= 1 && !note.empty()) {
    llvm::outs().flush();
    llvm::WithColor::note(llvm::errs(), tool) << note << "\n";
  }
  return status;
}

int tools::runPackage(StringRef tool, const rt::KernelPackage &package,
                      const ArgumentOptions &arguments,
                      const ResultOptions &options) {
  LaunchDevice device(arguments.gpu);
  return runPackage(tool, package, arguments, options, device);
}
