//===- StoreRoleStores.cpp - Stores that another role does ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "StoreRoleStores.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

Reason sm::addHandedStore(RoleSlice &slice, Operation *store) {
  SmallVector<Value> positions =
      llvm::TypeSwitch<Operation *, SmallVector<Value>>(store)
          .Case<StoreOp, AtomicAddOp, TmaStoreOp>([](auto access) {
            SmallVector<Value> values(access.getIndices());
            llvm::append_range(values, access.getLimits());
            return values;
          });
  return slice.add(store, positions);
}
