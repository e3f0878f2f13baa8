//===- Table.h - Aligned columns of text ------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAUNCH_TABLE_H
#define TESSERA_TOOLS_LAUNCH_TABLE_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/Support/raw_ostream.h"
#include <string>
#include <vector>

namespace tessera::tools {

/// Rows of cells; the first row is the heading. Columns are as wide as their
/// widest cell.
class Table {
public:
  void addRow(llvm::ArrayRef<std::string> cells) { rows.emplace_back(cells); }
  void print(llvm::raw_ostream &os) const;

private:
  std::vector<llvm::SmallVector<std::string>> rows;
};

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAUNCH_TABLE_H
