//===- CrossLanePatterns.h - Exchange between threads -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of layouts, reductions and scans. The plan of each exchange is
// that of the dialect (tessera/Dialect/SM/IR/Exchange.h).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_CROSSLANEPATTERNS_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_CROSSLANEPATTERNS_H

#include "Kernel/Patterns.h"

namespace tessera::sm {

void populateConvertPatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns);
void populateReducePatterns(const LoweringContext &context,
                            const RegisterTypeConverter &converter,
                            RewritePatternSet &patterns);
void populateCombineWithPatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns);
void populateScanPatterns(const LoweringContext &context,
                          const RegisterTypeConverter &converter,
                          RewritePatternSet &patterns);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_CROSSLANE_CROSSLANEPATTERNS_H
