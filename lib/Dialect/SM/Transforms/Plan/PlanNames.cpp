//===- PlanNames.cpp - Names of entries of a plan ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "PlanNames.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

/// Returns the parameter that `op` accesses.
static StringRef getTensorName(Operation *op) {
  Value global = llvm::TypeSwitch<Operation *, Value>(op)
                     .Case<FetchOp, StoreOp, AtomicAddOp>(
                         [](auto access) { return access.getGlobal(); });
  auto argument = cast<BlockArgument>(global);
  return op->getParentOfType<KernelOp>().getParamName(argument.getArgNumber());
}

std::string PlanNames::getUnique(ArrayRef<Operation *> ops) {
  llvm::SetVector<StringRef> tensors;
  for (Operation *op : ops)
    tensors.insert(getTensorName(op));
  return getUnique(llvm::join(tensors, "_"));
}

std::string PlanNames::getUnique(StringRef name) {
  std::string unique = name.str();
  for (int64_t number = 2; !taken.insert(unique).second; ++number)
    unique = (name + "_" + Twine(number)).str();
  return unique;
}
