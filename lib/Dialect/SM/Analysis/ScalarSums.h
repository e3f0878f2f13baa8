//===- ScalarSums.h - Scalars that roles have in common ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Roles are clones of one kernel, and compute the scalars that they need for
// themselves. Whether two of them are the same number is told by what they are
// computed from: a scalar is a sum of atoms, and equal sums are equal numbers.
// Sums are those of integers, as if no index wrapped around.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_DIALECT_SM_ANALYSIS_SCALARSUMS_H
#define TESSERA_LIB_DIALECT_SM_ANALYSIS_SCALARSUMS_H

#include "tessera/Support/LLVM.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/StringMap.h"

#include <vector>

namespace tessera::sm {

/// A constant and atoms times integers.
struct ScalarSum {
  int64_t constant = 0;
  /// By the numbers of the atoms.
  SmallVector<std::pair<unsigned, int64_t>, 2> terms;

  bool isConstant() const { return terms.empty(); }
  ScalarSum operator+(const ScalarSum &other) const;
  ScalarSum operator*(int64_t factor) const;
  ScalarSum operator-(const ScalarSum &other) const {
    return *this + other * -1;
  }
  /// Returns this sum with `other` in place of `atom`, a sum of one atom.
  ScalarSum replace(const ScalarSum &atom, const ScalarSum &other) const;
  bool operator==(const ScalarSum &other) const {
    return constant == other.constant && terms == other.terms;
  }
  /// How often `unit` it is, if that is an integer.
  std::optional<int64_t> getMultipleOf(const ScalarSum &unit) const;
  /// 1 if it is a positive number times `unit`, -1 if that is negative.
  int getDirection(const ScalarSum &unit) const;

private:
  int64_t getFirstFactor() const {
    return terms.empty() ? constant : terms.front().second;
  }
};

/// The atoms of a kernel. Each atom has a number.
class ScalarAtoms {
public:
  enum class Kind {
    /// One number for the whole run of the kernel.
    Leaf,
    /// The result of an operation without effects.
    Result,
    /// The result of an operation that is otherwise unknown, in one iteration
    /// of the loops around it.
    Unknown,
    /// The index of an iteration. Operands: the distance from the bound of the
    /// loop, and the index as a sum.
    Iteration,
    /// The first program of a CTA of a persistent kernel: one number. The
    /// search forgets it when all roles have left the program.
    FirstProgram
  };
  struct Atom {
    Kind kind;
    std::string name;
    SmallVector<ScalarSum, 2> operands;
    /// Whether the atom is the same number in all iterations.
    bool isFixed;
  };

  ScalarSum get(Kind kind, StringRef name, ArrayRef<ScalarSum> operands = {});
  bool isFixed(const ScalarSum &sum) const {
    return llvm::all_of(sum.terms,
                        [&](auto &term) { return atoms[term.first].isFixed; });
  }
  const Atom &operator[](unsigned number) const { return atoms[number]; }

  /// Replaces indices of loops of constant length by their numbers. Indices of
  /// other loops stay atoms: an answer that depends on the number of the
  /// iteration would hold for that iteration only.
  ScalarSum expand(const ScalarSum &sum) const;
  /// Whether some atom within `sum` is one that `predicate` picks.
  bool contains(const ScalarSum &sum,
                llvm::function_ref<bool(const Atom &)> predicate) const;

private:
  std::vector<Atom> atoms;
  llvm::StringMap<unsigned> numbers;
};

} // namespace tessera::sm

#endif // TESSERA_LIB_DIALECT_SM_ANALYSIS_SCALARSUMS_H
