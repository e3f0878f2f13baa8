//===- AsyncPatterns.cpp - Shared memory, products, copies ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Machine.h"

using namespace tessera;
using namespace tessera::sm;

void sm::populateMachinePatterns(const LoweringContext &context,
                                 const RegisterTypeConverter &converter,
                                 RewritePatternSet &patterns) {
  populateProductPatterns(context, converter, patterns);
  populateDotPatterns(context, converter, patterns);
  populateBarrierPatterns(context, converter, patterns);
  populateTurnPatterns(context, converter, patterns);
  populateTensorCopyPatterns(context, converter, patterns);
  populateTensorStorePatterns(context, converter, patterns);
  populateSharedAccessPatterns(context, converter, patterns);
  populateFetchPatterns(context, converter, patterns);
}
