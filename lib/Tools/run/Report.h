//===- Report.h - What tile-run says about results --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of arguments, with the errors of those that were compared.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_RUN_REPORT_H
#define TESSERA_LIB_TOOLS_RUN_REPORT_H

#include "tessera/Array/Comparison.h"
#include "tessera/Interpreter/Interpreter.h"

namespace tessera::tools {

/// An expected result, read before the kernel runs.
struct Expectation {
  unsigned parameter;
  array::NDArray reference;
  array::Tolerance tolerance;
};

/// Prints one row per parameter and what is wrong with the results. Returns
/// whether all expectations are met.
bool printReport(interp::Launch &launch, ArrayRef<Expectation> expectations,
                 raw_ostream &os, raw_ostream &errors);

/// Prints the elements of a tensor as nested lists.
void printArray(StringRef name, const array::NDArray &array, raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_RUN_REPORT_H
