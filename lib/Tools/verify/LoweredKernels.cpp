//===- LoweredKernels.cpp - Execution of lowered kernels --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Builds a package of PTX from the lowered module and launches it on the
// emulated device, through the same runtime as on a GPU.
//
//===----------------------------------------------------------------------===//

#include "LoweredKernels.h"

#include "tessera/Target/Package/PackageBuilder.h"
#include "tessera/Tools/launch/DeviceLaunch.h"
#include "tessera/Tools/launch/EmulatedDevice.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Support/Timing.h"

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;

bool tools::isLowered(ModuleOp module) {
  bool hasKernels = false;
  for (Operation &op : module.getOps()) {
    if (!isa_and_present<LLVM::LLVMDialect>(op.getDialect()))
      return false;
    if (op.hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName())) {
      hasKernels = true;
      if (!op.hasAttr(rt::kMetadataAttrName))
        return false;
    }
  }
  return hasKernels;
}

FailureOr<std::vector<LoweredKernel>> tools::compileToPTX(ModuleOp module) {
  FailureOr<const GpuTarget *> target = ptx::getTarget(module);
  if (failed(target))
    return failure();
  PackageOptions options;
  options.target = *target;
  options.ptxOnly = true;
  options.lineTables = true;
  TimingScope timing;
  FailureOr<BuiltPackage> built = buildPackage(module, options, timing);
  if (failed(built))
    return failure();
  std::vector<LoweredKernel> kernels;
  for (auto [metadata, ptx] :
       llvm::zip_equal(built->package.kernels, built->package.ptx)) {
    LoweredKernel &kernel = kernels.emplace_back();
    kernel.function = module.lookupSymbol<LLVM::LLVMFuncOp>(metadata.entry);
    kernel.package.target = built->package.target;
    kernel.package.kernels = {metadata};
    kernel.package.ptx = {std::move(ptx)};
  }
  return kernels;
}

llvm::Expected<std::vector<NDArray>>
tools::runLowered(const LoweredKernel &kernel, const LaunchRequest &request,
                  sim::Order order, uint64_t seed) {
  EmulatedDevice device(Orders::get(order, seed), emu::DeviceOptions());
  llvm::Expected<DeviceLaunch> launch =
      DeviceLaunch::create(kernel.package, request, device);
  if (!launch)
    return launch.takeError();
  llvm::Error error = launch->launch();
  if (!error)
    error = launch->getStream().wait();
  if (error && device.hasReported()) {
    llvm::consumeError(std::move(error));
    return array::makeError("");
  }
  if (error)
    return std::move(error);
  std::vector<NDArray> results(request.signature.parameters.size());
  for (auto [index, parameter] :
       llvm::enumerate(request.signature.parameters)) {
    if (!parameter.isTensor)
      continue;
    llvm::Expected<NDArray> contents = launch->read(index);
    if (!contents)
      return contents.takeError();
    results[index] = std::move(*contents);
  }
  return results;
}
