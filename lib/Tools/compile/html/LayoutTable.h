//===- LayoutTable.h - Layouts of a module for drawing ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_HTML_LAYOUTTABLE_H
#define TESSERA_LIB_TOOLS_COMPILE_HTML_LAYOUTTABLE_H

#include "tessera/Layout/Layout.h"
#include "tessera/Support/LLVM.h"

#include "mlir/IR/BuiltinOps.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/Support/JSON.h"

#include <map>

namespace tessera::tools {

/// Layouts by their text in attributes.
class LayoutTable {
public:
  void read(ModuleOp module);

  /// Writes an object: for each layout its shape, its axes and its digits, in
  /// the form in which a program evaluates them.
  void write(llvm::json::OStream &json) const;

private:
  void add(const layout::Layout &layout);

  llvm::MapVector<std::string, layout::Layout, std::map<std::string, unsigned>>
      layouts;
};

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_HTML_LAYOUTTABLE_H
