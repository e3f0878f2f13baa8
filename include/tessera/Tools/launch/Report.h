//===- Report.h - Report of results -----------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of arguments, with the errors of compared results.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_REPORT_H
#define TESSERA_TOOLS_LAUNCH_REPORT_H

#include "tessera/Tools/launch/Results.h"

namespace tessera::tools {

/// Elements of an output that no store wrote.
struct Unwritten {
  int64_t count = 0;
  /// Row-major position of the first one.
  int64_t first = 0;
};

/// Access to the tensors after a run.
class ResultReader {
public:
  virtual ~ResultReader() = default;
  /// Returns the elements of tensor parameter `index`.
  virtual array::NDArray read(unsigned index) = 0;
  /// Counts unwritten elements, if they are known. A GPU does not track them.
  virtual Unwritten countUnwritten(unsigned index) { return {}; }
  /// Counts NaN, if the elements are known. A request must have copied a tensor
  /// of a GPU.
  virtual std::optional<array::NaNCount> countNaN(unsigned index) {
    return std::nullopt;
  }
};

/// Prints one row per parameter, and the errors of the results. Returns whether
/// all expectations are met.
bool printReport(llvm::StringRef tool, const Signature &signature,
                 llvm::ArrayRef<array::Shape> shapes,
                 llvm::ArrayRef<Expectation> expectations, ResultReader &reader,
                 llvm::raw_ostream &os, llvm::raw_ostream &errors);

/// Prints tensors as nested lists, saves them and draws them, as requested.
llvm::Error saveAndPrint(const Signature &signature, const Results &results,
                         ResultReader &reader, llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_REPORT_H
