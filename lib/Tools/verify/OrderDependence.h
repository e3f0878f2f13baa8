//===- OrderDependence.h - Results that depend on the order -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_VERIFY_ORDERDEPENDENCE_H
#define TESSERA_LIB_TOOLS_VERIFY_ORDERDEPENDENCE_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::tools {

/// Returns the numbers of the tensors whose contents may depend on the order in
/// which programs execute.
llvm::SmallDenseSet<unsigned> findOrderDependent(tile::KernelOp kernel);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_VERIFY_ORDERDEPENDENCE_H
