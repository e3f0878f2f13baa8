//===- EmulatedRun.cpp - Running the PTX of a package on a CPU --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/EmulatedRun.h"

#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/launch/EmulatedDevice.h"
#include "tessera/Tools/launch/PackageRun.h"

using namespace tessera;
using namespace tessera::tools;
using array::makeError;

/// Creates the device, and removes the parts of the package that it cannot run.
static llvm::Expected<std::unique_ptr<EmulatedDevice>>
makeDevice(rt::KernelPackage &package, const OrderRequest &request,
           std::optional<uint64_t> stepLimit) {
  llvm::Expected<std::unique_ptr<Orders>> orders = Orders::get(request);
  if (!orders)
    return orders.takeError();
  llvm::Expected<emu::DeviceOptions> options =
      getDeviceOptions(request, stepLimit);
  if (!options)
    return options.takeError();
  if (package.ptx.empty())
    return makeError("the package has no PTX, which --device ptx executes; its "
                     "machine code runs on a GPU alone");
  package.cubins.clear();
  return std::make_unique<EmulatedDevice>(std::move(*orders), *options);
}

int tools::runPackageEmulated(llvm::StringRef tool, rt::KernelPackage package,
                              const ArgumentOptions &arguments,
                              const ResultOptions &results,
                              const OrderOptions &orders,
                              std::optional<uint64_t> stepLimit) {
  llvm::Expected<std::unique_ptr<EmulatedDevice>> device =
      makeDevice(package, orders.getRequest(), stepLimit);
  if (!device)
    return reportUsageError(tool, llvm::toString(device.takeError()));
  return runPackage(tool, package, arguments, results, **device);
}
