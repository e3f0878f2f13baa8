//===- ReferenceResults.h - Reference results of kernels --------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_VERIFY_REFERENCERESULTS_H
#define TESSERA_LIB_TOOLS_VERIFY_REFERENCERESULTS_H

#include "tessera/Array/NDArray.h"
#include "tessera/Interpreter/KernelView.h"
#include "tessera/Tools/launch/HostArguments.h"

namespace tessera::tools {

/// The arguments of the kernels of one name in the source, at any level, and
/// the results of the first execution.
class ReferenceResults {
public:
  /// Generates the arguments that `given`, values of `--verify-arg`, omits.
  /// Fails with a diagnostic at the kernel.
  static FailureOr<std::unique_ptr<ReferenceResults>>
  create(const interp::KernelView &kernel, ArrayRef<std::string> given,
         uint64_t seed);

  const Signature &getSignature() const { return signature; }
  ArrayRef<HostArgument> getArguments() const { return arguments; }
  /// Returns the arguments as values of `--arg`, and those of them that were
  /// generated.
  ArrayRef<std::string> getValues() const { return values; }
  ArrayRef<std::string> getMade() const { return made; }

  /// Compares by relative RMS error from now on, instead of per element.
  void compareByRms(double permitted) { rms = permitted; }

  /// Compares the results of an execution, by parameter, with those of the
  /// first one. The first execution stores its results. `op` is the kernel
  /// after `pass`. A result that may depend on the order of programs and
  /// differs is no error.
  LogicalResult check(Operation *op, StringRef pass,
                      function_ref<array::NDArray(unsigned index)> getResult);

  /// Returns the names of the results that differed as the order permits.
  std::vector<std::string> getOrderDependent() const;

private:
  Signature signature;
  std::vector<std::string> values;
  ArrayRef<std::string> made;
  std::vector<HostArgument> arguments;
  /// Results of each written parameter.
  std::vector<std::optional<array::NDArray>> results;
  std::optional<double> rms;
  /// Parameters that may depend on the order of programs, and those of them
  /// that differed.
  llvm::SmallDenseSet<unsigned> mayDepend, differed;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_REFERENCERESULTS_H
