//===- ReportBuffer.h - Results of checks and prints ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel whose checks and prints run on a GPU has a further parameter after
// those of the source: a buffer in global memory, which the launch reads
// (docs/passes/tile-lower-checks.md). A discardable attribute of the kernel
// describes the contents as text for the launch (rt::ReportInfo).
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_TILE_IR_REPORTBUFFER_H
#define TESSERA_DIALECT_TILE_IR_REPORTBUFFER_H

#include "tessera/Support/LLVM.h"

#include "mlir/IR/Operation.h"

namespace tessera::tile {

/// The description, in JSON.
constexpr llvm::StringLiteral kReportsAttrName = "tile.reports";

/// Returns the number of the parameter with the buffer, if `kernel`, of either
/// dialect, has one: the last parameter.
std::optional<unsigned> getReportParam(Operation *kernel);

/// Copies the attribute, if there is one.
void copyReports(Operation *from, Operation *to);

/// Checks an attribute of this name.
LogicalResult verifyReports(Operation *op, Attribute value);

} // namespace tessera::tile

#endif // TESSERA_DIALECT_TILE_IR_REPORTBUFFER_H
