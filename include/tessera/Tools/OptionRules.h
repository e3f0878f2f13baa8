//===- OptionRules.h - Options without effect -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An option that asks for something and has no effect is an error in all tools.
// Each tool has a table of rules: a condition, the options that have an effect
// only under the condition, and the text after the name of such an option.
// Options that only permit or configure a step, as --ptxas does, have no rule:
// scripts give them for all outputs.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_OPTIONRULES_H
#define TESSERA_TOOLS_OPTIONRULES_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/CommandLine.h"
#include "llvm/Support/Error.h"

#include <functional>

namespace tessera::tools {

using OptionList =
    llvm::SmallVector<std::reference_wrapper<const llvm::cl::Option>>;

struct OptionRule {
  /// Whether the options have an effect.
  bool hasEffect;
  OptionList options;
  /// The message after the name of an option, as in "is for --device cuda".
  std::string reason;
};

/// Returns an error for the first option that was given without effect.
llvm::Error checkOptionRules(llvm::ArrayRef<OptionRule> rules);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_OPTIONRULES_H
