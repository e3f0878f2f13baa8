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
    {"cpu", compileForInterpreter},
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

llvm::Error HostKernel::run(llvm::ArrayRef<rt::Argument> arguments,
                            const llvm::StringMap<int64_t> &sizes) {
  if (llvm::Expected<rt::LaunchPlan> plan =
          rt::planLaunch(metadata, arguments, sizes);
      !plan)
    return plan.takeError();
  llvm::SmallVector<rt::Argument> complete(arguments);
  for (rt::Argument &argument : complete)
    if (auto *tensor = std::get_if<rt::TensorArgument>(&argument))
      rt::completeStrides(*tensor);
  std::lock_guard<std::mutex> guard(mutex);
  return execute(complete, sizes);
}
