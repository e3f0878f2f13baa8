//===- HostArguments.h - The arguments of a run -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts `--arg NAME=SPEC` to arrays on the host. Files are read first, since
// they determine shapes. All other arrays are generated after the sizes are
// bound. Errors are those of the command line and are returned as text.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_HOSTARGUMENTS_H
#define TESSERA_TOOLS_LAUNCH_HOSTARGUMENTS_H

#include "tessera/Array/ArraySpec.h"
#include "tessera/Tools/launch/Signature.h"

namespace tessera::tools {

/// The argument for one parameter. The parameter must outlive it.
class HostArgument {
public:
  explicit HostArgument(const Parameter &parameter) : parameter(&parameter) {}

  const Parameter &getParameter() const { return *parameter; }
  /// Returns the specification; none for an output whose shape follows from the
  /// sizes.
  const std::optional<array::ArraySpec> &getSpec() const { return spec; }
  /// Returns the shape of a tensor, if the command line determines it.
  std::optional<array::Shape> getShape() const;
  /// Returns the value of a scalar that was written as an integer.
  std::optional<int64_t> getInteger() const;

  /// Takes the text after `--arg NAME=`, and reads the file that it names.
  llvm::Error parse(llvm::StringRef text);
  /// Checks that the argument was given.
  llvm::Error checkComplete() const;

  /// Creates the array of an input, or the value of a scalar with rank 0.
  llvm::Expected<array::NDArray> materialize(uint64_t seed) const;

private:
  llvm::Error checkTensor() const;
  llvm::Error checkScalar() const;

  const Parameter *parameter;
  std::optional<array::ArraySpec> spec;
  /// The contents of a file.
  std::optional<array::NDArray> file;
};

/// Pairs the parameters of `signature`, which must outlive the result, with the
/// values of `--arg`.
llvm::Expected<std::vector<HostArgument>>
readArguments(const Signature &signature, llvm::ArrayRef<std::string> values);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_HOSTARGUMENTS_H
