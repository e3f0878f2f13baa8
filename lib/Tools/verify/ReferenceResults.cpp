//===- ReferenceResults.cpp - Reference results of kernels ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Stores the first results of a kernel and compares later results with them,
// element by element or by relative RMS error.
//
//===----------------------------------------------------------------------===//

#include "ReferenceResults.h"

#include "OrderDependence.h"
#include "SmallArguments.h"

#include "tessera/Array/Comparison.h"
#include "tessera/Tools/KernelLaunch.h"

#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;

FailureOr<std::unique_ptr<ReferenceResults>>
ReferenceResults::create(const interp::KernelView &kernel,
                         ArrayRef<std::string> given, uint64_t seed) {
  auto reference = std::make_unique<ReferenceResults>();
  reference->signature = tools::getSignature(kernel);
  auto refuse = [&](llvm::Error error) {
    return kernel.emitError("cannot be executed by --verify-passes: ")
           << llvm::toString(std::move(error))
           << "; give its arguments with --verify-arg NAME=SPEC";
  };
  llvm::Expected<std::vector<std::string>> values =
      makeSmallArguments(kernel, reference->signature, given);
  if (!values)
    return refuse(values.takeError());
  reference->values = std::move(*values);
  reference->made = ArrayRef(reference->values).drop_front(given.size());
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(reference->signature, reference->values);
  if (!arguments)
    return refuse(arguments.takeError());
  reference->arguments = std::move(*arguments);
  llvm::Expected<interp::Launch> launch =
      makeLaunch(kernel, reference->arguments, seed);
  if (!launch)
    return refuse(launch.takeError());
  reference->results.resize(reference->signature.parameters.size());
  if (auto source = dyn_cast<tile::KernelOp>(kernel.getOperation()))
    reference->mayDepend = findOrderDependent(source);
  return reference;
}

std::vector<std::string> ReferenceResults::getOrderDependent() const {
  std::vector<std::string> names;
  for (auto [index, parameter] : llvm::enumerate(signature.parameters))
    if (differed.contains(index))
      names.push_back(parameter.name);
  return names;
}

LogicalResult
ReferenceResults::check(Operation *op, StringRef pass,
                        function_ref<NDArray(unsigned index)> getResult) {
  for (auto [index, parameter] : llvm::enumerate(signature.parameters)) {
    if (!parameter.isTensor || parameter.access == "in")
      continue;
    NDArray actual = getResult(index);
    std::optional<NDArray> &expected = results[index];
    if (!expected) {
      expected = std::move(actual);
      continue;
    }
    array::Tolerance tolerance = array::Tolerance::getDefault(parameter.type);
    tolerance.rms = rms;
    array::Comparison comparison = array::compare(actual, *expected, tolerance);
    if (comparison.good)
      continue;
    if (mayDepend.contains(index)) {
      differed.insert(index);
      continue;
    }
    InFlightDiagnostic diagnostic = op->emitError("kernel '");
    diagnostic << SymbolTable::getSymbolName(op).getValue()
               << "' computes another '" << parameter.name
               << "' after the pass '" << pass << "' than before: ";
    if (rms && comparison.numNonFiniteMismatches == 0)
      return diagnostic << "the relative RMS error is "
                        << llvm::formatv("{0:e2}", comparison.relativeRms)
                        << ", more than " << llvm::formatv("{0:e2}", *rms);
    diagnostic << comparison.numBad << " of " << actual.getNumElements()
               << " elements differ, the first one at " << *comparison.firstBad
               << " in the order of rows";
    if (array::isFloat(parameter.type) && !rms)
      diagnostic.attachNote()
          << "the largest relative difference is "
          << llvm::formatv("{0:e2}", comparison.maxRelative)
          << "; where sums cancel, or rounded numbers are computed with, "
             "compare by --verify-rms X";
    return diagnostic;
  }
  return success();
}
