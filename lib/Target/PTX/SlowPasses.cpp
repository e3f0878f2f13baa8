//===- SlowPasses.cpp - Passes of quadratic time ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Counts the dynamic addresses of each base pointer before code generation. An
// optimization gate of LLVM (OptPassGate) then skips one pass for functions
// above the limit.
//
//===----------------------------------------------------------------------===//

#include "SlowPasses.h"

#include "llvm/ADT/DenseMap.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/Instructions.h"
#include "llvm/IR/LLVMContext.h"

using namespace tessera::ptx;

/// Largest number of addresses of one base. Kernels that profit have a fifth of
/// that.
static constexpr unsigned kMaxAddresses = 256;

static bool isSlow(llvm::Function &function) {
  llvm::DenseMap<const llvm::Value *, unsigned> addresses;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *address = llvm::dyn_cast<llvm::GetElementPtrInst>(&instruction))
      if (!address->hasAllConstantIndices() &&
          ++addresses[address->getPointerOperand()] > kMaxAddresses)
        return true;
  return false;
}

SlowPassGate::SlowPassGate(llvm::Module &module)
    : context(module.getContext()), before(context.getOptPassGate()) {
  for (llvm::Function &function : module)
    if (isSlow(function))
      spared.insert(("function (" + function.getName() + ")").str());
  context.setOptPassGate(*this);
}

SlowPassGate::~SlowPassGate() { context.setOptPassGate(before); }

bool SlowPassGate::shouldRunPass(llvm::StringRef pass,
                                 llvm::StringRef unit) const {
  return pass != "slsr" || !spared.contains(unit);
}
