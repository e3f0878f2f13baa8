//===- SizeExpression.h - Expressions over named sizes ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The expressions of launch metadata: extents of tensors, grids. They are text
// in the grammar of the tile dialect's size attributes,
//
//   sum     ::= term (('+' | '-') term)*
//   term    ::= factor (('*' | 'floordiv' | 'ceildiv' | 'mod') factor)*
//   factor  ::= '-' factor | integer | name | '(' sum ')'
//
// and are evaluated in 64-bit integers. What would overflow, and a divisor
// below 1, are errors. Divisions round as their names say, for negative numbers
// too.
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
  /// An error names the position of the first character that does not fit.
  static llvm::Expected<SizeExpression> parse(llvm::StringRef text);

  /// The value, where `lookup` gives the values of names. An error quotes the
  /// expression.
  llvm::Expected<int64_t> evaluate(
      llvm::function_ref<std::optional<int64_t>(llvm::StringRef)> lookup) const;

  /// The names in the order of their first use.
  llvm::ArrayRef<std::string> getNames() const { return names; }

  /// For `name`, `name + constant` and `name - constant`: the name, and what is
  /// to be taken off the value to have the name's. These expressions give a
  /// name its value; all others are only checked.
  std::optional<std::pair<llvm::StringRef, int64_t>> getBinding() const;

  llvm::StringRef getText() const { return text; }

  /// The expression in C, with names as `formatName` gives them and divisions
  /// as calls of `tessera_floordiv`, `tessera_ceildiv` and `tessera_mod`.
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
