//===- ExchangePatterns.cpp - What threads exchange -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "Exchange.h"
#include "Machine.h"
#include "tessera/Conversion/SMToNVVM/Scratch.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

int64_t sm::getScratchBytes(Operation *op) {
  return llvm::TypeSwitch<Operation *, int64_t>(op)
      .Case([](ConvertOp op) { return getConvertScratch(op); })
      .Case([](ReduceOp op) { return getReduceScratch(op); })
      .Case([](ScanOp op) { return getScanScratch(op); })
      .Case([](TmaStoreOp op) { return getTmaStoreScratch(op); })
      .Default([](Operation *) { return 0; });
}

int64_t sm::getScratchAlignment(Operation *op) {
  if (auto store = dyn_cast<TmaStoreOp>(op))
    return store.getBufferType().getAlignment();
  return 16;
}

void sm::populateExchangePatterns(const LoweringContext &context,
                                  const RegisterTypeConverter &converter,
                                  RewritePatternSet &patterns) {
  populateConvertPatterns(context, converter, patterns);
  populateReducePatterns(context, converter, patterns);
  populateScanPatterns(context, converter, patterns);
}
