//===- Histogram.h - Distribution of samples --------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_HISTOGRAM_H
#define TESSERA_TOOLS_LAUNCH_HISTOGRAM_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/Support/raw_ostream.h"

namespace tessera::tools {

/// Prints a row for each of up to 16 intervals of equal width: its start, its
/// number of samples, and a bar. The samples are sorted; there is at least one.
void printHistogram(llvm::ArrayRef<double> samples, llvm::StringRef unit,
                    llvm::raw_ostream &os);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_HISTOGRAM_H
