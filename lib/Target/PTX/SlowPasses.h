//===- SlowPasses.h - Passes that would not end in time ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Straight-line strength reduction compares each address with all others of
// its base. A gather along the last dimension has an address for each register,
// of one base: half a minute for 2048 of them, and nothing to reduce. Functions
// with so many are left alone by this pass.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TARGET_PTX_SLOWPASSES_H
#define TESSERA_TARGET_PTX_SLOWPASSES_H

#include "llvm/ADT/StringSet.h"
#include "llvm/IR/Module.h"
#include "llvm/IR/OptBisect.h"

namespace tessera::ptx {

/// Stands in the context of a module while its code is generated.
class SlowPassGate : public llvm::OptPassGate {
public:
  explicit SlowPassGate(llvm::Module &module);
  ~SlowPassGate() override;

  bool isEnabled() const override { return !spared.empty(); }
  bool shouldRunPass(llvm::StringRef pass, llvm::StringRef unit) const override;

private:
  llvm::LLVMContext &context;
  llvm::OptPassGate &before;
  /// What LLVM calls the functions that are left alone.
  llvm::StringSet<> spared;
};

} // namespace tessera::ptx

#endif // TESSERA_TARGET_PTX_SLOWPASSES_H
