//===- SizeExpression.h - Expressions over named sizes ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expressions of launch metadata: extents of tensors, grids. They are text
// in the grammar of the tile dialect's size attributes:
//
//   sum     ::= term (('+' | '-') term)*
//   term    ::= factor (('*' | 'floordiv' | 'ceildiv' | 'mod') factor)*
//   factor  ::= '-' factor | integer | name | '(' sum ')'
//
// They are evaluated in 64-bit integers. An overflow or a divisor below 1 is an
// error. Divisions round as their names say, also for negative numbers.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_RUNTIME_SIZEEXPRESSION_H
#define TESSERA_RUNTIME_SIZEEXPRESSION_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/STLFunctionalExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"
#include "llvm/Support/Error.h"
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace tessera::rt {

class SizeExpression {
public:
  /// Parses an expression. An error names the position of the first wrong
  /// character.
  static llvm::Expected<SizeExpression> parse(llvm::StringRef text);

  /// Returns the value, with the values of names from `lookup`. An error quotes
  /// the expression.
  llvm::Expected<int64_t> evaluate(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> lookup) const;

  /// Returns the names in the order of their first use.
  llvm::ArrayRef<std::string> getNames() const { return names; }

  /// Returns, for `name`, `name + constant` and `name - constant`, the name and
  /// the number to subtract from the value of the expression to get that of the
  /// name. These expressions bind a name. All others are only checked.
  std::optional<std::pair<llvm::StringRef, int64_t>> getBinding() const;

  llvm::StringRef getText() const { return text; }

  /// Returns the expression in C, with names formatted by `formatName` and
  /// divisions as calls of `tessera_floordiv`, `tessera_ceildiv` and
  /// `tessera_mod`.
  std::string
  formatC(llvm::function_ref<std::string(llvm::StringRef)> formatName) const;

private:
  friend class SizeExpressionParser;

  enum class Op : uint8_t {
    Constant,
    Name,
    Negate,
    Add,
    Subtract,
    Multiply,
    FloorDivide,
    CeilDivide,
    Modulo,
  };
  /// One step of a stack machine: operands before operators.
  struct Step {
    Op op;
    /// The constant, or the index of the name.
    int64_t value = 0;
  };

  std::string text;
  std::vector<std::string> names;
  std::vector<Step> steps;
};

} // namespace tessera::rt

#endif // TESSERA_RUNTIME_SIZEEXPRESSION_H
