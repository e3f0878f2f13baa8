//===- ConstantOperands.cpp - Constants as operands of wgmma ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Runs after all optimizations, which make constants of masked elements. The
// sums are computed at the entry of the function, since wgmma reads registers
// that were written before the wgmma.fence.
//
//===----------------------------------------------------------------------===//

#include "ConstantOperands.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/IR/IRBuilder.h"
#include "llvm/IR/InlineAsm.h"
#include "llvm/IR/InstIterator.h"
#include "llvm/IR/IntrinsicsNVPTX.h"
#include "llvm/IR/Module.h"

using namespace tessera;

/// Returns the arguments of a call that are constants in operand A of a wgmma.
/// The other operands in general registers are accumulators, which are tied to
/// results.
static llvm::SmallVector<llvm::Use *>
getConstantOperands(llvm::CallBase &call) {
  auto *text = llvm::dyn_cast<llvm::InlineAsm>(call.getCalledOperand());
  if (!text ||
      !llvm::StringRef(text->getAsmString()).contains("wgmma.mma_async"))
    return {};
  llvm::SmallVector<llvm::Use *> operands;
  unsigned argument = 0;
  for (const llvm::InlineAsm::ConstraintInfo &info : text->ParseConstraints()) {
    if (info.Type != llvm::InlineAsm::isInput)
      continue;
    llvm::Use &use = call.getArgOperandUse(argument++);
    if (info.Codes.front() == "r" && llvm::isa<llvm::ConstantInt>(use))
      operands.push_back(&use);
  }
  return operands;
}

static void hideConstants(llvm::Function &function) {
  llvm::MapVector<llvm::ConstantInt *, llvm::SmallVector<llvm::Use *>> uses;
  for (llvm::Instruction &instruction : llvm::instructions(function))
    if (auto *call = llvm::dyn_cast<llvm::CallBase>(&instruction))
      for (llvm::Use *use : getConstantOperands(*call))
        uses[llvm::cast<llvm::ConstantInt>(use->get())].push_back(use);
  if (uses.empty())
    return;
  llvm::IRBuilder<> builder(&*function.getEntryBlock().getFirstInsertionPt());
  llvm::Value *bytes = builder.CreateIntrinsic(
      llvm::Intrinsic::nvvm_read_ptx_sreg_dynamic_smem_size, {});
  llvm::Value *zero = builder.CreateLShr(bytes, 31);
  for (auto &[constant, operands] : uses) {
    llvm::Value *sum = builder.CreateAdd(zero, constant);
    for (llvm::Use *use : operands)
      use->set(sum);
  }
}

void ptx::hideConstantOperands(llvm::Module &module) {
  for (llvm::Function &function : module)
    if (!function.isDeclaration())
      hideConstants(function);
}
