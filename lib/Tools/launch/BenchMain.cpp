//===- BenchMain.cpp - The tile-bench driver --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Package -> launch -> times -> rates. The user states the work of a rate as an
// expression over the sizes of the kernel. The default for bytes is the memory
// of the tensors.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Timing.h"
#include "tessera/Tools/Help.h"
#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/ProgressBar.h"
#include "tessera/Tools/launch/DeviceLaunch.h"
#include "tessera/Tools/launch/Histogram.h"
#include "tessera/Tools/launch/LaunchMain.h"
#include "tessera/Tools/launch/Table.h"

using namespace tessera;
using namespace tessera::tools;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
namespace cl = llvm::cl;
namespace json = llvm::json;

namespace {
enum class Protocol { Burst, Sustained };

struct Options {
  cl::OptionCategory launching{"Arguments and device"};
  cl::OptionCategory category{"Measuring"};
  cl::opt<std::string> input{cl::Positional, cl::desc("FILE.tpk"), cl::Required,
                             cl::cat(category)};
  ArgumentOptions arguments{launching};
  cl::opt<Protocol> protocol{
      "protocol", cl::desc("Protocol of the measurement:"),
      cl::init(Protocol::Burst),
      cl::values(
          clEnumValN(Protocol::Burst, "burst",
                     "rest, warm up, then runs too short for the power limit"),
          clEnumValN(Protocol::Sustained, "sustained",
                     "after 2 s of load, at the sustained clock")),
      cl::cat(category)};
  cl::opt<std::string> flops{
      "flops", cl::desc("Operations of a launch, over the sizes: 2*M*N*K"),
      cl::value_desc("EXPR"), cl::cat(category)};
  cl::opt<std::string> bytes{
      "bytes",
      cl::desc("Bytes that a launch moves (default: each tensor once, twice if "
               "it is read and written)"),
      cl::value_desc("EXPR"), cl::cat(category)};
  cl::opt<bool> noFlush{"no-flush",
                        cl::desc("Keep the L2 cache warm between repetitions"),
                        cl::cat(category)};
  cl::opt<bool> plot{"plot",
                     cl::desc("Print the distribution of the times as bars"),
                     cl::cat(category)};
  cl::opt<bool> json{"json", cl::desc("Print the result as JSON"),
                     cl::cat(category)};
};

/// The work of one launch; operations only if they were given.
struct Work {
  std::optional<int64_t> flops;
  int64_t bytes = 0;
};
} // namespace

/// Returns the value of an expression over the sizes of `request`.
static Expected<int64_t> evaluate(const LaunchRequest &request,
                                  StringRef option, StringRef text) {
  auto fail = [&](Error error) {
    return array::makeError("--" + option + ": " +
                            llvm::toString(std::move(error)));
  };
  llvm::ArrayRef<std::string> names = request.metadata->sizes;
  Expected<rt::SizeExpression> expression = rt::SizeExpression::parse(text);
  if (!expression)
    return fail(expression.takeError());
  for (const std::string &name : expression->getNames())
    if (!llvm::is_contained(names, name)) {
      std::string known;
      for (auto [size, value] : llvm::zip(names, request.sizes))
        known +=
            (known.empty() ? "" : ", ") + size + " = " + std::to_string(value);
      return array::makeError("--" + option + ": kernel '" +
                              request.metadata->name + "' has no size '" +
                              name + "'; it has " +
                              (known.empty() ? std::string("none") : known));
    }
  Expected<int64_t> value =
      expression->evaluate([&](StringRef name) -> std::optional<int64_t> {
        return request.sizes[llvm::find(names, name) - names.begin()];
      });
  if (!value)
    return fail(value.takeError());
  if (*value < 0)
    return array::makeError("--" + option + ": " + text + " is " +
                            Twine(*value) + "; expected no negative number");
  return value;
}

static Expected<Work> readWork(const LaunchRequest &request,
                               const Options &options) {
  Work work;
  if (!options.flops.empty()) {
    Expected<int64_t> flops = evaluate(request, "flops", options.flops);
    if (!flops)
      return flops.takeError();
    work.flops = *flops;
  }
  if (!options.bytes.empty()) {
    Expected<int64_t> bytes = evaluate(request, "bytes", options.bytes);
    if (!bytes)
      return bytes.takeError();
    work.bytes = *bytes;
    return work;
  }
  for (auto [i, parameter] : llvm::enumerate(request.signature.parameters))
    if (parameter.isTensor)
      work.bytes +=
          request.getNumBytes(i) * (parameter.access == "inout" ? 2 : 1);
  return work;
}

/// Returns `count` per second in units of `unit`, for launches of
/// `milliseconds`.
static double getRate(int64_t count, double milliseconds, double unit) {
  return milliseconds > 0 ? count / (milliseconds * 1e-3) / unit : 0;
}

static std::string format(const char *pattern, double value) {
  char text[40];
  std::snprintf(text, sizeof(text), pattern, value);
  return text;
}

static StringRef getName(Protocol protocol) {
  return protocol == Protocol::Burst ? "burst" : "sustained";
}

static void printJson(const LaunchRequest &request, const Work &work,
                      const rt::Device &device, const Options &options,
                      const rt::TimingResult &result) {
  json::Object sizes;
  for (auto [name, value] : llvm::zip(request.metadata->sizes, request.sizes))
    sizes[name] = value;
  json::Object object{
      {"kernel", request.metadata->name},
      {"device", device.getName()},
      {"protocol", getName(options.protocol)},
      {"flush", !options.noFlush},
      {"sizes", std::move(sizes)},
      {"milliseconds", json::Object{{"median", result.median},
                                    {"min", result.min},
                                    {"max", result.max},
                                    {"spread", result.spread},
                                    {"samples", json::Array(result.samples)}}},
      {"bytes", work.bytes},
      {"gigabytesPerSecond", getRate(work.bytes, result.median, 1e9)}};
  if (work.flops) {
    object["flops"] = *work.flops;
    object["teraflopsPerSecond"] = getRate(*work.flops, result.median, 1e12);
  }
  llvm::outs() << llvm::formatv("{0:2}", json::Value(std::move(object)))
               << "\n";
}

static void printTable(const LaunchRequest &request, const Work &work,
                       const rt::Device &device, const Options &options,
                       const rt::TimingResult &result) {
  llvm::SmallVector<std::string> heading = {"kernel", "protocol",  "L2",
                                            "runs",   "median us", "min us",
                                            "max us", "spread"};
  llvm::SmallVector<std::string> row = {request.metadata->name,
                                        getName(options.protocol).str(),
                                        options.noFlush ? "warm" : "flushed",
                                        std::to_string(result.samples.size()),
                                        format("%.2f", 1e3 * result.median),
                                        format("%.2f", 1e3 * result.min),
                                        format("%.2f", 1e3 * result.max),
                                        format("%.1f%%", 100 * result.spread)};
  if (work.flops) {
    heading.push_back("TFLOP/s");
    row.push_back(format("%.4g", getRate(*work.flops, result.median, 1e12)));
  }
  heading.push_back("GB/s");
  row.push_back(format("%.4g", getRate(work.bytes, result.median, 1e9)));
  Table table;
  table.addRow(heading);
  table.addRow(row);
  llvm::outs() << "device: " << device.getName() << "\n";
  table.print(llvm::outs());
  if (!options.plot)
    return;
  std::vector<double> microseconds;
  for (double sample : result.samples)
    microseconds.push_back(1e3 * sample);
  printHistogram(microseconds, "us", llvm::outs());
}

/// Measures the kernel. Returns the exit status.
static int bench(const rt::KernelPackage &package, const Options &options) {
  auto report = [](Error error, int status) {
    reportUsageError("tile-bench", llvm::toString(std::move(error)));
    return status;
  };
  Expected<LaunchRequest> request =
      LaunchRequest::read(package, options.arguments);
  if (!request)
    return report(request.takeError(), kUsageError);
  Expected<Work> work = readWork(*request, options);
  if (!work)
    return report(work.takeError(), kUsageError);
  LaunchDevice device(options.arguments.gpu);
  Expected<DeviceLaunch> launch =
      DeviceLaunch::create(package, *request, device);
  if (!launch)
    return report(launch.takeError(), kDeviceError);
  rt::TimingOptions timing = options.protocol == Protocol::Sustained
                                 ? rt::TimingOptions::getSustained()
                                 : rt::TimingOptions();
  if (options.noFlush)
    timing.flushBytes = 0;
  ProgressBar bar("ms of load");
  timing.progress = [&](uint64_t done, uint64_t total) {
    bar.update(done, total);
  };
  Expected<rt::TimingResult> result = rt::measure(
      launch->getStream(), [&] { return launch->launch(); }, timing);
  bar.clear();
  if (!result)
    return report(llvm::createStringError(
                      "kernel '" + request->metadata->name +
                      "' failed: " + llvm::toString(result.takeError())),
                  1);
  auto print = options.json ? printJson : printTable;
  print(*request, *work, launch->getDevice(), options, *result);
  return 0;
}

static constexpr llvm::StringLiteral kExamples[] = {
    "tile-bench kernel.tpk --arg 'x=randn(4096, 4096)'            # on a GPU",
    "tile-bench kernel.tpk --arg 'x=randn(4096, 4096)' --plot     # on a GPU",
    "tile-bench kernel.tpk --arg 'x=randn(4096, 4096)' --json     # on a GPU",
};

int tools::benchMain(int argc, char **argv) {
  Options options;
  hideOtherOptions({&options.launching, &options.category}, kExamples);
  if (!parseCommandLine(argc, argv, "Measures a kernel of a Tessera package\n"))
    return kUsageError;
  if (options.plot && options.json)
    return reportUsageError("tile-bench", "--plot: the JSON of --json has the "
                                          "samples; leave out one of them");
  llvm::Expected<rt::KernelPackage> package =
      rt::KernelPackage::readFile(options.input);
  if (!package)
    return reportUsageError("tile-bench", llvm::toString(package.takeError()));
  return bench(*package, options);
}
