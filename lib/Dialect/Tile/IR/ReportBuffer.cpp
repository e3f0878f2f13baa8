//===- ReportBuffer.cpp - Results of checks and prints ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The buffer is the last parameter of a kernel with the attribute.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/ReportBuffer.h"

#include "tessera/Dialect/Tile/IR/Tile.h"

using namespace tessera;

std::optional<unsigned> tile::getReportParam(Operation *kernel) {
  if (!kernel->hasAttr(kReportsAttrName))
    return std::nullopt;
  return kernel->getAttrOfType<ArrayAttr>("param_names").size() - 1;
}

void tile::copyReports(Operation *from, Operation *to) {
  if (Attribute value = from->getAttr(kReportsAttrName))
    to->setAttr(kReportsAttrName, value);
}

LogicalResult tile::verifyReports(Operation *op, Attribute value) {
  auto names = op->getAttrOfType<ArrayAttr>("param_names");
  if (!names)
    return op->emitOpError() << "cannot have '" << kReportsAttrName
                             << "'; kernels have parameters";
  Block *entry = op->getNumRegions() == 1 && !op->getRegion(0).empty()
                     ? &op->getRegion(0).front()
                     : nullptr;
  GlobalType buffer;
  if (entry && !names.empty() && names.size() <= entry->getNumArguments())
    buffer =
        dyn_cast<GlobalType>(entry->getArgument(names.size() - 1).getType());
  if (!isa<StringAttr>(value) || !buffer || buffer.getRank() != 1 ||
      !buffer.getElementType().isInteger(64) || !buffer.isReadable() ||
      !buffer.isWritable())
    return op->emitOpError()
           << "expected '" << kReportsAttrName
           << "' to be a text, and the last parameter to be a vector of i64 "
              "that is read and written";
  return success();
}
