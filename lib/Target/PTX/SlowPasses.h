//===- SlowPasses.h - Passes of quadratic time ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line strength reduction compares each address with all others of its
// base. A gather along the last dimension has an address of one base for each
// register. For thousands of them, the pass takes quadratic time and reduces
// nothing. The pass skips functions with so many addresses.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_SLOWPASSES_H
#define TESSERA_TARGET_PTX_SLOWPASSES_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"

namespace tessera::ptx {

/// Installed in the context of a module during code generation.
class SlowPassGate : public llvm::OptPassGate {
public:
  explicit SlowPassGate(llvm::Module &module);
  ~SlowPassGate() override;

  bool isEnabled() const override { return !spared.empty(); }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef unit) const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  /// The functions that the pass skips, in the spelling of LLVM.
  llvm::StringSet<> spared;
};

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_SLOWPASSES_H
