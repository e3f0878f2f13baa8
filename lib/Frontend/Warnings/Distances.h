//===- Distances.h - Distances of two accesses ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_FRONTEND_WARNINGS_DISTANCES_H
#define TESSERA_LIB_FRONTEND_WARNINGS_DISTANCES_H

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tessera::frontend {

/// Checks whether a write and a later access to a tensor, both in `region`,
/// have no element in common. With `loop`, whose body is `region`, the access
/// is in any later iteration.
bool areDisjoint(mlir::ValueRange write, mlir::ValueRange access,
                 mlir::Region &region, mlir::scf::ForOp loop);

} // namespace tessera::frontend

#endif // TESSERA_LIB_FRONTEND_WARNINGS_DISTANCES_H
