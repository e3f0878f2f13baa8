//===- LaunchRequest.h - A launch, before there is a device -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The launch that the command line requests, checked against the metadata of a
// kernel. All errors of the request are found here, without a device.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_LAUNCHREQUEST_H
#define TESSERA_TOOLS_LAUNCH_LAUNCHREQUEST_H

#include "tessera/Runtime/KernelPackage.h"
#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Tools/launch/HostArguments.h"
#include "tessera/Tools/launch/RunOptions.h"

namespace tessera::tools {

/// Returns the parameters of a kernel of a package.
Signature getSignature(const rt::KernelMetadata &kernel);

struct LaunchRequest {
  /// Checks the arguments for a kernel of `package`, which must outlive the
  /// request. `maxBytes` is LaunchDevice::getMaxTensorBytes.
  static llvm::Expected<LaunchRequest>
  read(const rt::KernelPackage &package, const ArgumentOptions &options,
       std::optional<int64_t> maxBytes = std::nullopt);

  /// Does the same with `args` as values of `--arg`. `kernel` may be empty if
  /// there is only one; `seed` is that of generated arguments. If no variant
  /// supports the arguments, the error is an rt::ConditionError.
  static llvm::Expected<LaunchRequest>
  read(const rt::KernelPackage &package, llvm::StringRef kernel,
       llvm::ArrayRef<std::string> args, uint64_t seed,
       std::optional<int64_t> maxBytes = std::nullopt);

  const rt::KernelMetadata *metadata = nullptr;
  Signature signature;
  /// Shapes of the tensors; empty for scalars.
  std::vector<array::Shape> shapes;
  /// Contents of inputs and scalars; empty for outputs.
  std::vector<array::NDArray> contents;
  /// Values of the sizes, in the order of the metadata.
  std::vector<int64_t> sizes;
  /// The sizes that no argument binds.
  llvm::StringMap<int64_t> given;

  /// Returns the arguments of the launch for tensors at these addresses, one
  /// per parameter.
  std::vector<rt::Argument>
  getArguments(llvm::ArrayRef<uint64_t> addresses) const;

  /// Checks that both the host and the device can hold the tensors.
  llvm::Error checkMemory(std::optional<int64_t> maxBytes) const;

  /// Returns the bytes of tensor parameter `index`.
  int64_t getNumBytes(unsigned index) const;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_LAUNCHREQUEST_H
