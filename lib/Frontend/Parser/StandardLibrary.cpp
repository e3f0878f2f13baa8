//===- StandardLibrary.cpp - Files embedded in the compiler -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The files of the folder `std`. The build makes constants of their texts, so
// the library always agrees with the compiler, and a hash of the compiler
// includes the library.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Modules.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringExtras.h"

using namespace tessera::frontend;
using llvm::StringRef;

namespace texts {
#include "StandardTexts.inc"
} // namespace texts

static constexpr StandardModule kModules[] = {
#include "StandardModules.inc"
};

llvm::ArrayRef<StandardModule> tessera::frontend::getStandardModules() {
  return kModules;
}

const StandardModule *tessera::frontend::findStandardModule(StringRef path) {
  const StandardModule *found =
      llvm::find_if(kModules, [&](const StandardModule &module) {
        return module.path == path;
      });
  return found == std::end(kModules) ? nullptr : found;
}

StringRef tessera::frontend::findStandardModuleOf(StringRef name) {
  std::string declaration = ("\nfn " + name + "(").str();
  for (const StandardModule &module : kModules)
    if (module.text.contains(declaration))
      return module.path;
  return "";
}
