//===- OptionRules.cpp - Options without effect -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/OptionRules.h"

using namespace tessera;
namespace cl = llvm::cl;

llvm::Error tools::checkOptionRules(llvm::ArrayRef<OptionRule> rules) {
  for (const OptionRule &rule : rules)
    for (const cl::Option &option : rule.options)
      if (!rule.hasEffect && option.getNumOccurrences() != 0)
        return llvm::createStringError((option.ArgStr.size() > 1 ? "--" : "-") +
                                       option.ArgStr + " " + rule.reason);
  return llvm::Error::success();
}
