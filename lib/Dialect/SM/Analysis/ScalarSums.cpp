//===- ScalarSums.cpp - Scalars that roles have in common -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "ScalarSums.h"

#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::sm;

ScalarSum ScalarSum::operator+(const ScalarSum &other) const {
  ScalarSum sum;
  sum.constant = constant + other.constant;
  const auto *a = terms.begin(), *b = other.terms.begin();
  while (a != terms.end() || b != other.terms.end()) {
    bool fromA =
        b == other.terms.end() || (a != terms.end() && a->first < b->first);
    bool fromB =
        a == terms.end() || (b != other.terms.end() && b->first < a->first);
    if (fromA) {
      sum.terms.push_back(*a++);
    } else if (fromB) {
      sum.terms.push_back(*b++);
    } else {
      if (int64_t factor = a->second + b->second)
        sum.terms.push_back({a->first, factor});
      ++a;
      ++b;
    }
  }
  return sum;
}

ScalarSum ScalarSum::operator*(int64_t factor) const {
  ScalarSum product;
  if (factor == 0)
    return product;
  product.constant = constant * factor;
  for (auto [atom, own] : terms)
    product.terms.push_back({atom, own * factor});
  return product;
}

ScalarSum ScalarSum::replace(const ScalarSum &atom,
                             const ScalarSum &other) const {
  for (auto [number, factor] : terms)
    if (atom.terms.front().first == number)
      return *this + (other - atom) * factor;
  return *this;
}

std::optional<int64_t> ScalarSum::getMultipleOf(const ScalarSum &unit) const {
  int64_t whole = getFirstFactor(), part = unit.getFirstFactor();
  if (isConstant() && constant == 0)
    return 0;
  if (part == 0 || whole % part != 0 || !(unit * (whole / part) == *this))
    return std::nullopt;
  return whole / part;
}

int ScalarSum::getDirection(const ScalarSum &unit) const {
  int64_t own = getFirstFactor(), other = unit.getFirstFactor();
  if (own == 0 || other == 0 || !(*this * other == unit * own))
    return 0;
  return (own > 0) == (other > 0) ? 1 : -1;
}

ScalarSum ScalarAtoms::get(Kind kind, StringRef name,
                           ArrayRef<ScalarSum> operands) {
  std::string key;
  llvm::raw_string_ostream os(key);
  os << static_cast<int>(kind) << name;
  for (const ScalarSum &operand : operands) {
    os << "|" << operand.constant;
    for (auto [atom, factor] : operand.terms)
      os << "," << factor << "#" << atom;
  }
  auto [known, isNew] = numbers.try_emplace(key, atoms.size());
  if (isNew) {
    bool isOfFixed = llvm::all_of(
        operands, [&](const ScalarSum &operand) { return isFixed(operand); });
    atoms.push_back(
        {kind, name.str(), SmallVector<ScalarSum, 2>(operands),
         kind == Kind::Leaf || (kind == Kind::Result && isOfFixed)});
  }
  ScalarSum sum;
  sum.terms.push_back({known->second, 1});
  return sum;
}

ScalarSum ScalarAtoms::expand(const ScalarSum &sum) const {
  ScalarSum expanded;
  expanded.constant = sum.constant;
  for (auto [number, factor] : sum.terms) {
    ScalarSum term;
    term.terms.push_back({number, 1});
    const Atom &atom = atoms[number];
    if (atom.kind == Kind::Iteration && atom.operands[0].isConstant())
      term = expand(atom.operands[1]);
    expanded = expanded + term * factor;
  }
  return expanded;
}

bool ScalarAtoms::contains(
    const ScalarSum &sum,
    llvm::function_ref<bool(const Atom &)> predicate) const {
  return llvm::any_of(sum.terms, [&](auto &term) {
    const Atom &atom = atoms[term.first];
    return predicate(atom) ||
           llvm::any_of(atom.operands, [&](const ScalarSum &operand) {
             return contains(operand, predicate);
           });
  });
}
