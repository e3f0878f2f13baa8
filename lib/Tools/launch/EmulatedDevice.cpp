//===- EmulatedDevice.cpp - The emulator as a device of tools ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/EmulatedDevice.h"

#include "FindingPrinter.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;

llvm::Expected<emu::DeviceOptions>
tools::getDeviceOptions(const OrderRequest &request,
                        std::optional<uint64_t> stepLimit) {
  emu::DeviceOptions options;
  if (!llvm::isInt<32>(request.multiprocessors))
    return array::makeError(
        "--multiprocessors: expected fewer than 2^31, got " +
        llvm::Twine(request.multiprocessors));
  options.multiprocessors = static_cast<unsigned>(request.multiprocessors);
  if (stepLimit == 0)
    return array::makeError("--step-limit: expected at least 1, got 0");
  if (stepLimit)
    options.run.stepLimit = *stepLimit;
  return options;
}

EmulatedDevice::EmulatedDevice(std::unique_ptr<Orders> orders,
                               const emu::DeviceOptions &options,
                               llvm::raw_ostream &os)
    : LaunchDevice(/*gpu=*/0), orders(std::move(orders)), options(options),
      printer(std::make_unique<FindingPrinter>(os)) {
  // Generated code satisfies rules that are stricter than those of the machine.
  this->options.run.hasStrictMbarriers = true;
  this->options.run.progress = [this](uint64_t done, uint64_t total) {
    bar.update(done, total);
  };
  emu::setLaunchHandler([this](const emu::LaunchReport &report) {
    bar.clear();
    statistics = report.statistics;
    printer->print(report);
    reported |= !report.findings.empty();
  });
}

EmulatedDevice::~EmulatedDevice() { emu::setLaunchHandler(nullptr); }

void EmulatedDevice::addSource(llvm::StringRef file, llvm::StringRef text) {
  printer->addSource(file, text);
}

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
                               const array::Shape &shape,
                               const rt::DeviceBuffer &buffer) {
  emu::nameMemory(buffer.get(), "parameter '" + parameter.name + "'");
  uint64_t bytes = array::getByteSize(parameter.type);
  emu::nameElements(
      buffer.get(), [name = parameter.name, shape, bytes](uint64_t byte) {
        auto element = static_cast<int64_t>(byte / bytes);
        return "'" + name + array::formatPosition(shape, element) + "'";
      });
  // The buffer was filled with poison, which does not count as a write.
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

std::string EmulatedDevice::describeTime(double milliseconds) const {
  return llvm::formatv("{0:f3} s, {1} blocks, {2} steps", milliseconds / 1000,
                       statistics.ctas, statistics.steps)
      .str();
}
