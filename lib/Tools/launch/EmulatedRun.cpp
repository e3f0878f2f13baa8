//===- EmulatedRun.cpp - Running the PTX of a package on a CPU --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/EmulatedRun.h"

#include "FindingPrinter.h"

#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/launch/LaunchDevice.h"
#include "tessera/Tools/launch/Orders.h"
#include "tessera/Tools/launch/PackageRun.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;
using array::makeError;

namespace {
class EmulatedDevice : public LaunchDevice {
public:
  EmulatedDevice(std::unique_ptr<Orders> orders,
                 const emu::DeviceOptions &options)
      : LaunchDevice(/*gpu=*/0), orders(std::move(orders)), options(options) {
    emu::setLaunchHandler([this](const emu::LaunchReport &report) {
      statistics = report.statistics;
      printer.print(report);
      reported |= !report.findings.empty();
    });
  }
  ~EmulatedDevice() override { emu::setLaunchHandler(nullptr); }

  llvm::Expected<rt::DeviceRef> open() override;
  void addTensor(const Parameter &parameter,
                 const rt::DeviceBuffer &buffer) override;
  Unwritten countUnwritten(const Parameter &parameter,
                           const rt::DeviceBuffer &buffer) override;
  bool hasReported() const override { return reported; }
  bool advance() override { return orders->advance(statistics.choices); }
  std::string describeRuns(bool hasFailed) const override {
    return orders->describe(hasFailed);
  }
  std::string describeTime(double milliseconds) const override {
    return llvm::formatv("{0:f3} s, {1} blocks, {2} steps", milliseconds / 1000,
                         statistics.ctas, statistics.steps)
        .str();
  }

private:
  std::unique_ptr<Orders> orders;
  emu::DeviceOptions options;
  FindingPrinter printer;
  /// Of the last launch.
  emu::Statistics statistics;
  bool reported = false;
};
} // namespace

llvm::Expected<rt::DeviceRef> EmulatedDevice::open() {
  Schedule schedule = orders->getSchedule();
  options.run.order = schedule.order;
  options.run.seed = schedule.seed;
  options.run.deviations = schedule.deviations;
  emu::setDeviceOptions(options);
  statistics = {};
  llvm::Expected<std::shared_ptr<const rt::Driver>> driver =
      emu::openEmulatedDriver();
  if (!driver)
    return driver.takeError();
  return rt::Device::open(*driver);
}

void EmulatedDevice::addTensor(const Parameter &parameter,
                               const rt::DeviceBuffer &buffer) {
  emu::nameMemory(buffer.get(), "parameter '" + parameter.name + "'");
  // It was filled with what nobody should read.
  if (parameter.isOutput())
    emu::forgetWrites(buffer.get());
}

Unwritten EmulatedDevice::countUnwritten(const Parameter &parameter,
                                         const rt::DeviceBuffer &buffer) {
  int64_t bytes = array::getByteSize(parameter.type);
  emu::UnwrittenElements found =
      emu::findUnwritten(buffer.get(), buffer.size() / bytes, bytes);
  Unwritten unwritten;
  unwritten.count = static_cast<int64_t>(found.count);
  unwritten.first = static_cast<int64_t>(found.first);
  return unwritten;
}

/// The device, and the package without what it cannot run.
static llvm::Expected<std::unique_ptr<EmulatedDevice>>
makeDevice(rt::KernelPackage &package, const OrderOptions &orderOptions,
           std::optional<uint64_t> stepLimit) {
  llvm::Expected<std::unique_ptr<Orders>> orders = Orders::get(orderOptions);
  if (!orders)
    return orders.takeError();
  emu::DeviceOptions options;
  options.run.hasStrictMbarriers = true;
  if (!llvm::isInt<32>(orderOptions.multiprocessors))
    return makeError("--multiprocessors: expected fewer than 2^31, got " +
                     llvm::Twine(orderOptions.multiprocessors));
  options.multiprocessors = static_cast<unsigned>(orderOptions.multiprocessors);
  if (stepLimit == 0)
    return makeError("--step-limit: expected at least 1, got 0");
  if (stepLimit)
    options.run.stepLimit = *stepLimit;
  if (package.ptx.empty())
    return makeError("the package has no PTX, which --device ptx executes; its "
                     "machine code runs on a GPU alone");
  package.cubins.clear();
  return std::make_unique<EmulatedDevice>(std::move(*orders), options);
}

int tools::runPackageEmulated(llvm::StringRef tool, rt::KernelPackage package,
                              const ArgumentOptions &arguments,
                              const ResultOptions &results,
                              const OrderOptions &orders,
                              std::optional<uint64_t> stepLimit) {
  llvm::Expected<std::unique_ptr<EmulatedDevice>> device =
      makeDevice(package, orders, stepLimit);
  if (!device)
    return reportUsageError(tool, llvm::toString(device.takeError()));
  return runPackage(tool, package, arguments, results, **device);
}
