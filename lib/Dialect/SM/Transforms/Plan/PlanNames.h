//===- PlanNames.h - Names of entries of a plan -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANNAMES_H
#define TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANNAMES_H

#include "tessera/Dialect/SM/IR/SM.h"

#include "llvm/ADT/StringSet.h"

namespace tessera::sm {

/// Names of one list: those of the tensors that ops access, in the source.
class PlanNames {
public:
  /// Returns a name for `ops`, which belong together, that is given to nobody
  /// else.
  std::string getUnique(ArrayRef<Operation *> ops);
  /// The same for what is `name`.
  std::string getUnique(StringRef name);

private:
  llvm::StringSet<> taken;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_TRANSFORMS_PLAN_PLANNAMES_H
