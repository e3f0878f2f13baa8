//===- Table.cpp - Aligned columns of text ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/Table.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringRef.h"

void tessera::tools::Table::print(llvm::raw_ostream &os) const {
  llvm::SmallVector<size_t> widths;
  for (const auto &row : rows)
    for (auto [column, cell] : llvm::enumerate(row)) {
      if (column == widths.size())
        widths.push_back(0);
      widths[column] = std::max(widths[column], cell.size());
    }
  for (const auto &row : rows) {
    std::string line;
    for (auto [column, cell] : llvm::enumerate(row)) {
      line += cell;
      line.append(widths[column] - cell.size() + 2, ' ');
    }
    os << llvm::StringRef(line).rtrim() << "\n";
  }
}
