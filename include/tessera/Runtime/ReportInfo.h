//===- ReportInfo.h - The checks and prints of a kernel ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The contents of the buffer in which a kernel with checks and prints leaves
// their results (docs/passes/tile-lower-checks.md), as part of its metadata.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_REPORTINFO_H
#define TESSERA_RUNTIME_REPORTINFO_H

#include "tessera/Runtime/SizeExpression.h"
#include "llvm/Support/JSON.h"

namespace tessera::rt {

struct ReportInfo {
  /// An axis of the grid, the first one fastest.
  struct Axis {
    std::string name;
    SizeExpression count;
  };
  /// A scalar or a tile. A `Float` has the bits of an f32, a `Double` those of
  /// an f64.
  struct Value {
    enum class Kind { Float, Int, Uint, Bool, Double };

    Kind kind = Kind::Int;
    std::vector<int64_t> shape;
  };
  /// A check or a print, with its place; the file is empty if there is none.
  struct Site {
    std::string file;
    int64_t line = 0, column = 0;
    std::string text;
    /// The shape of the condition of a check.
    std::vector<int64_t> shape;
    /// The values of a print.
    std::vector<Value> values;

    /// Returns the number of words of a line.
    int64_t getLineWords() const;
  };

  std::vector<Axis> axes;
  std::vector<Site> checks, prints;
};

llvm::json::Value toJSON(const ReportInfo &info);
bool fromJSON(const llvm::json::Value &value, ReportInfo &info,
              llvm::json::Path path);

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_REPORTINFO_H
