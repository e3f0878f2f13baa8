//===- CrossLanePatterns.cpp - Exchange between threads ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CrossLanePatterns.h"

using namespace tessera;
using namespace tessera::sm;

void sm::populateExchangePatterns(const LoweringContext &context,
                                  const RegisterTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  populateConvertPatterns(context, converter, patterns);
  populateReducePatterns(context, converter, patterns);
  populateCombineWithPatterns(context, converter, patterns);
  populateScanPatterns(context, converter, patterns);
}
