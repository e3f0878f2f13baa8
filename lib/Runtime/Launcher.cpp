//===- Launcher.cpp - Launching kernels of a package ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The calls of the driver around a LaunchPlan. The shape of a cluster is in the
// machine code (`.reqnctapercluster`), so a plain launch is enough.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/Launcher.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/Twine.h"

using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;

// CUfunction_attribute
static constexpr int kMaxDynamicSharedSize = 8;
// CUtensorMapL2promotion: lines of 256 bytes.
static constexpr int kPromoteTo256Bytes = 3;

/// Checks that code for `target`, "sm_90a", runs on `device`. A letter behind
/// the number ties it to that architecture.
static Error checkArchitecture(const Device &device, StringRef target) {
  StringRef digits = target;
  int number = 0;
  if (!digits.consume_front("sm_") || digits.consumeInteger(10, number))
    return createStringError("the package is for the unknown target '" +
                             target + "'");
  int capability = device.getComputeCapability();
  bool fits = digits.empty()
                  ? number / 10 == capability / 10 && number <= capability
                  : number == capability;
  if (fits)
    return Error::success();
  return createStringError("the package is for " + target + ", but '" +
                           device.getName() + "' is sm_" + Twine(capability));
}

Expected<Launcher>
Launcher::load(DeviceRef device, const KernelPackage &package, StringRef name) {
  Expected<const KernelMetadata *> metadata = package.find(name);
  if (!metadata)
    return metadata.takeError();
  if (Error error = checkArchitecture(*device, package.target))
    return error;
  if ((*metadata)->sharedMemory > device->getMaxSharedMemory())
    return createStringError("kernel '" + (*metadata)->name + "' needs " +
                             Twine((*metadata)->sharedMemory) +
                             " bytes of shared memory, but a block of '" +
                             device->getName() + "' has at most " +
                             Twine(device->getMaxSharedMemory()));
  Expected<Module> module =
      Module::load(device, package.cubin.empty() ? package.ptx : package.cubin);
  if (!module)
    return module.takeError();
  Expected<CUfunction> function = module->getFunction((*metadata)->entry);
  if (!function)
    return function.takeError();
  TESSERA_DRIVER_CALL(device->getDriver(), cuFuncSetAttribute, *function,
                      kMaxDynamicSharedSize, (*metadata)->sharedMemory);
  return Launcher(std::move(*module), *function, **metadata);
}

Expected<Launcher::Prepared>
Launcher::prepare(llvm::ArrayRef<Argument> arguments,
                  const llvm::StringMap<int64_t> &sizes) const {
  Expected<LaunchPlan> plan = planLaunch(metadata, arguments, sizes);
  if (!plan)
    return plan.takeError();
  Prepared prepared;
  prepared.launcher = this;
  for (const TensorMapArguments &map : plan->tensorMaps) {
    TESSERA_DRIVER_CALL(
        module.getDriver(), cuTensorMapEncodeTiled,
        &prepared.maps.emplace_back(), map.type, map.dims.size(),
        reinterpret_cast<void *>(map.address), map.dims.data(),
        map.strides.data(), map.box.data(), map.elementStrides.data(),
        /*interleave=*/0, map.swizzle, kPromoteTo256Bytes, /*fill=*/0);
  }
  prepared.plan = std::move(*plan);
  return std::move(prepared);
}

Error Launcher::Prepared::launch(CUstream stream) const {
  if (plan.isEmpty())
    return Error::success();
  const KernelMetadata &metadata = launcher->metadata;
  // The driver copies what the pointers point to, and takes them as mutable.
  llvm::SmallVector<void *> parameters;
  for (size_t i = 0; i < plan.arguments.size(); ++i) {
    const ArgumentInfo &info = metadata.arguments[i];
    const void *bytes = info.kind == ArgumentInfo::Kind::TensorMap
                            ? maps[info.index].bytes
                            : plan.arguments[i].data();
    parameters.push_back(const_cast<void *>(bytes));
  }
  TESSERA_DRIVER_CALL(
      launcher->module.getDriver(), cuLaunchKernel, launcher->function,
      plan.grid[0], plan.grid[1], plan.grid[2], metadata.threads, 1, 1,
      metadata.sharedMemory, stream, parameters.data(), nullptr);
  return Error::success();
}

Error Launcher::launch(const Stream &stream, llvm::ArrayRef<Argument> arguments,
                       const llvm::StringMap<int64_t> &sizes) const {
  Expected<Prepared> prepared = prepare(arguments, sizes);
  if (!prepared)
    return prepared.takeError();
  return prepared->launch(stream);
}
