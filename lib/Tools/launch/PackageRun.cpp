//===- PackageRun.cpp - Running a kernel of a package -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The invocation is checked as a whole before the driver is opened, so that a
// wrong one is told apart from a machine that cannot run the kernel.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/PackageRun.h"

#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/launch/DeviceLaunch.h"
#include "tessera/Tools/launch/Report.h"

#include "llvm/Support/Format.h"
#include <map>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;

namespace {
/// Tensors that were copied back.
class ArrayReader : public ResultReader {
public:
  Error fetch(const DeviceLaunch &launch, unsigned index) {
    Expected<NDArray> contents = launch.read(index);
    if (!contents)
      return contents.takeError();
    arrays[index] = std::move(*contents);
    return Error::success();
  }

  NDArray read(unsigned index) override { return arrays[index]; }

private:
  std::map<unsigned, NDArray> arrays;
};
} // namespace

/// Launches once, waits, and copies back what `results` need. Returns the
/// milliseconds between two events around the kernel.
static Expected<double> execute(const DeviceLaunch &launch,
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
  for (unsigned index : needed)
    if (Error error = reader.fetch(launch, index))
      return std::move(error);
  return stop->getMillisecondsSince(*start);
}

int tools::runPackage(StringRef tool, const rt::KernelPackage &package,
                      const ArgumentOptions &arguments,
                      const ResultOptions &options) {
  auto report = [&](Error error, int status) {
    reportUsageError(tool, llvm::toString(std::move(error)));
    return status;
  };
  Expected<LaunchRequest> request = LaunchRequest::read(package, arguments);
  if (!request)
    return report(request.takeError(), kUsageError);
  const Signature &signature = request->signature;
  Expected<Results> results =
      Results::read(signature, request->shapes, options, arguments.seed);
  if (!results)
    return report(results.takeError(), kUsageError);

  Expected<DeviceLaunch> launch =
      DeviceLaunch::create(package, *request, arguments.gpu);
  if (!launch)
    return report(launch.takeError(), kDeviceError);
  ArrayReader reader;
  Expected<double> milliseconds = execute(*launch, *results, reader);
  if (!milliseconds)
    return report(llvm::createStringError(
                      "kernel '" + signature.kernel +
                      "' failed: " + llvm::toString(milliseconds.takeError())),
                  1);

  bool good =
      printReport(tool, signature, request->shapes, results->expectations,
                  reader, llvm::outs(), llvm::errs());
  if (options.time)
    llvm::outs() << "time: " << llvm::format("%.3f", *milliseconds) << " ms on "
                 << launch->getDevice().getName()
                 << ", the first launch; tile-bench measures\n";
  if (Error error = saveAndPrint(signature, *results, reader, llvm::outs()))
    return report(std::move(error), kUsageError);
  return good ? 0 : 1;
}

int tools::runPackageFile(StringRef tool, StringRef path,
                          const ArgumentOptions &arguments,
                          const ResultOptions &results) {
  Expected<rt::KernelPackage> package = rt::KernelPackage::readFile(path);
  if (!package)
    return reportUsageError(tool, llvm::toString(package.takeError()));
  return runPackage(tool, *package, arguments, results);
}
