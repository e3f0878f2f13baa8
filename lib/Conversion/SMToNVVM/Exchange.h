//===- Exchange.h - What threads exchange -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Conversions of layouts, reductions and scans: how each is carried out follows
// from its types alone, so that the memory it takes is known before anything is
// lowered.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_CONVERSION_SMTONVVM_EXCHANGE_H
#define TESSERA_LIB_CONVERSION_SMTONVVM_EXCHANGE_H

#include "Patterns.h"

namespace tessera::sm {

int64_t getConvertScratch(ConvertOp op);
int64_t getReduceScratch(ReduceOp op);
int64_t getScanScratch(ScanOp op);

void populateConvertPatterns(const LoweringContext &context,
                             const RegisterTypeConverter &converter,
                             RewritePatternSet &patterns);
void populateReducePatterns(const LoweringContext &context,
                            const RegisterTypeConverter &converter,
                            RewritePatternSet &patterns);
void populateScanPatterns(const LoweringContext &context,
                          const RegisterTypeConverter &converter,
                          RewritePatternSet &patterns);

} // namespace tessera::sm

#endif // TESSERA_LIB_CONVERSION_SMTONVVM_EXCHANGE_H
