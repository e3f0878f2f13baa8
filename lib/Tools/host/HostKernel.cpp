//===- HostKernel.cpp - Kernels on memory of the host -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the device, and checks the arguments of a run by a launch plan
// without blocks.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/host/HostKernel.h"

#include "HostModule.h"

#include "tessera/Runtime/TensorMemory.h"

#include "llvm/ADT/StringExtras.h"

using namespace tessera;
using namespace tessera::tools;

char HostCompileError::ID;
char HostDefectError::ID;
char HostInterruptError::ID;

namespace {
using Compile = llvm::Expected<std::unique_ptr<HostKernel>> (*)(
    const HostSource &, const HostOptions &);
struct Device {
  llvm::StringLiteral name;
  Compile compile;
};
} // namespace

/// The only list of devices that need no GPU.
static constexpr Device kDevices[] = {
    {"cpu", compileForProcessor},
    {"interpreter", compileForInterpreter},
    {"sim", compileForSimulator},
    {"ptx", compileForEmulator},
};

llvm::Expected<std::unique_ptr<HostKernel>>
HostKernel::compile(llvm::StringRef name, const HostSource &source,
                    const HostOptions &options) {
  for (const Device &device : kDevices)
    if (device.name == name)
      return device.compile(source, options);
  auto names = llvm::map_range(
      kDevices, [](const Device &device) -> StringRef { return device.name; });
  return array::makeError("unknown device '" + name + "'; expected one of " +
                          llvm::join(names, ", "));
}

/// Time between two questions to the caller.
static constexpr std::chrono::milliseconds kPollInterval(100);

bool HostKernel::pollInterrupt() {
  if (!interrupt || isInterrupted)
    return isInterrupted;
  auto now = std::chrono::steady_clock::now();
  if (now < nextPoll)
    return false;
  nextPoll = now + kPollInterval;
  return isInterrupted = interrupt();
}

llvm::Error HostKernel::run(llvm::ArrayRef<rt::Argument> arguments,
                            const llvm::StringMap<int64_t> &sizes,
                            StepLimit::Interrupt interrupt) {
  if (llvm::Expected<rt::LaunchPlan> plan =
          rt::planLaunch(metadata, arguments, sizes);
      !plan)
    return plan.takeError();
  llvm::SmallVector<rt::Argument> complete(arguments);
  for (rt::Argument &argument : complete)
    if (auto *tensor = std::get_if<rt::TensorArgument>(&argument))
      rt::completeStrides(*tensor);
  std::lock_guard<std::mutex> guard(mutex);
  this->interrupt = std::move(interrupt);
  isInterrupted = false;
  nextPoll = std::chrono::steady_clock::now() + kPollInterval;
  llvm::Error error = execute(complete, sizes);
  this->interrupt = {};
  if (!error || !isInterrupted)
    return error;
  // The engine describes the end as that of the limit on steps.
  llvm::consumeError(std::move(error));
  return llvm::make_error<HostInterruptError>();
}
