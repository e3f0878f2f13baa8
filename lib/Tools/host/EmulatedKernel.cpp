//===- EmulatedKernel.cpp - A kernel in the emulator of PTX -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles the kernel to PTX with line tables. A run launches it on the
// emulated device, once per interleaving. A process has one such device, so one
// kernel runs at a time.
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"
#include "HostModule.h"

#include "tessera/Pipelines/CompilePackage.h"
#include "tessera/Tools/RepeatedDiagnostics.h"
#include "tessera/Tools/launch/DeviceLaunch.h"
#include "tessera/Tools/launch/EmulatedDevice.h"

using namespace tessera;
using namespace tessera::tools;
using rt::TensorArgument;

/// Protects the emulated device.
static std::mutex deviceMutex;

namespace {
class EmulatedKernel : public HostKernel {
public:
  llvm::Error compile(const HostSource &source, const HostOptions &options) {
    if (llvm::Error error = Orders::get(options.orders).takeError())
      return error;
    llvm::Expected<emu::DeviceOptions> device =
        getDeviceOptions(options.orders, options.stepLimit);
    if (!device)
      return device.takeError();
    if (llvm::Error error = module.compile(source, options))
      return error;
    metadata = describeKernel(module.getKernel());
    module.keepReports();
    RepeatedDiagnostics once(module.get().getContext(),
                             RepeatedDiagnostics::Kinds::Warnings);
    PackageOptions packageOptions;
    packageOptions.ptxOnly = packageOptions.lineTables = true;
    FailureOr<rt::KernelPackage> built =
        compilePackage(module.get(), packageOptions);
    if (failed(built))
      return llvm::make_error<HostCompileError>(module.takeMessages());
    warnings = module.takeMessages();
    package = std::move(*built);
    orders = options.orders;
    deviceOptions = *device;
    deviceOptions.run.stepLimit = makeLimit(deviceOptions.run.stepLimit);
    file = source.file;
    text = source.text;
    return llvm::Error::success();
  }

private:
  llvm::Error execute(llvm::ArrayRef<rt::Argument> arguments,
                      const llvm::StringMap<int64_t> &sizes) override {
    if (llvm::Error error =
            module.runReports(arguments, sizes, deviceOptions.run.stepLimit))
      return error;
    std::lock_guard<std::mutex> guard(deviceMutex);
    std::string messages;
    llvm::raw_string_ostream os(messages);
    EmulatedDevice device(llvm::cantFail(Orders::get(orders)), deviceOptions,
                          os);
    device.addSource(file, text);
    llvm::Expected<LaunchRequest> request = makeRequest(arguments, sizes);
    if (!request)
      return request.takeError();
    auto explain = [&](llvm::Error error) -> llvm::Error {
      if (!device.hasReported())
        return error;
      llvm::consumeError(std::move(error));
      std::string note = device.describeRuns(/*hasFailed=*/true);
      return llvm::make_error<HostDefectError>(
          HostDefectError::Kind::Execution,
          addNote(StringRef(messages).rtrim().str(), note));
    };
    while (true) {
      llvm::Expected<DeviceLaunch> launch =
          DeviceLaunch::create(package, *request, device);
      if (!launch)
        return launch.takeError();
      if (llvm::Error error = launch->launch())
        return explain(std::move(error));
      if (llvm::Error error = launch->getStream().wait())
        return explain(std::move(error));
      if (device.advance())
        continue;
      return finish(*launch, arguments);
    }
  }

  llvm::Expected<LaunchRequest>
  makeRequest(llvm::ArrayRef<rt::Argument> arguments,
              const llvm::StringMap<int64_t> &sizes) const {
    LaunchRequest request;
    request.metadata = &package.kernels.front();
    request.signature = getSignature(*request.metadata);
    request.given = sizes;
    for (auto [argument, parameter] :
         llvm::zip(arguments, request.signature.parameters)) {
      array::Shape &shape = request.shapes.emplace_back();
      array::NDArray &contents = request.contents.emplace_back();
      const auto *tensor = std::get_if<TensorArgument>(&argument);
      if (!tensor) {
        contents = makeScalar(parameter.type, argument);
        continue;
      }
      shape.assign(tensor->shape.begin(), tensor->shape.end());
    }
    if (llvm::Error error = request.checkMemory(kMaxEmulatedTensorBytes))
      return std::move(error);
    for (auto [i, parameter] : llvm::enumerate(request.signature.parameters))
      if (parameter.isTensor && !parameter.isOutput())
        request.contents[i] = gather(std::get<TensorArgument>(arguments[i]));
    return request;
  }

  llvm::Error finish(const DeviceLaunch &launch,
                     llvm::ArrayRef<rt::Argument> arguments) {
    if (llvm::Error error =
            checkWritten(metadata, arguments, [&](unsigned index) {
              return launch.countUnwritten(index);
            }))
      return error;
    // All results are read before the first one is written.
    std::vector<array::NDArray> results(arguments.size());
    for (auto [i, parameter] : llvm::enumerate(metadata.parameters)) {
      if (parameter.kind != rt::ParameterInfo::Kind::Tensor)
        continue;
      llvm::Expected<array::NDArray> result = launch.read(i);
      if (!result)
        return result.takeError();
      results[i] = std::move(*result);
    }
    writeResults(metadata, arguments,
                 [&](unsigned index) { return std::move(results[index]); });
    return llvm::Error::success();
  }

  HostModule module;
  rt::KernelPackage package;
  OrderRequest orders;
  emu::DeviceOptions deviceOptions;
  std::string file, text;
};
} // namespace

llvm::Expected<std::unique_ptr<HostKernel>>
tools::compileForEmulator(const HostSource &source,
                          const HostOptions &options) {
  auto kernel = std::make_unique<EmulatedKernel>();
  if (llvm::Error error = kernel->compile(source, options))
    return std::move(error);
  return std::move(kernel);
}
