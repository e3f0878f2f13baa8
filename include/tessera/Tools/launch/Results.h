//===- Results.h - Uses of results ------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Comparing, printing and saving. All requests are checked before the kernel
// runs: names, expected arrays, and the files to write.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_RESULTS_H
#define TESSERA_TOOLS_LAUNCH_RESULTS_H

#include "tessera/Array/Comparison.h"
#include "tessera/Tools/launch/RunOptions.h"
#include "tessera/Tools/launch/Signature.h"

namespace tessera::tools {

/// An expected result, read before the kernel runs.
struct Expectation {
  unsigned parameter;
  array::NDArray reference;
  array::Tolerance tolerance;
};

struct Results {
  std::vector<Expectation> expectations;
  std::vector<std::pair<unsigned, std::string>> saves;
  std::vector<unsigned> prints;
  /// The file of the picture, or empty, and its tensors.
  std::string plot;
  std::vector<unsigned> plotted;

  /// Reads the requests in `options`. `shapes` are those of the tensors.
  static llvm::Expected<Results> read(const Signature &signature,
                                      llvm::ArrayRef<array::Shape> shapes,
                                      const ResultOptions &options,
                                      uint64_t seed);

private:
  llvm::Error readPlot(const Signature &signature,
                       const ResultOptions &options);
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_RESULTS_H
