//===- FormName.cpp - Reads names of instructions ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The parts of an instruction name as a set to consume. Each `take` marks a
// part as used; the root is used from the beginning. Unused parts at the end
// are an error, so no modifier is ignored silently.
//
//===----------------------------------------------------------------------===//

#include "FormName.h"

using namespace tessera::emu;

FormName::FormName(const Instruction &instruction)
    : instruction(instruction),
      sources(instruction.operands.empty() ? 0
                                           : instruction.operands.size() - 1),
      isTaken(instruction.parts.size(), false) {
  isTaken.front() = true;
}

std::optional<Type> FormName::peekType() const {
  for (StringRef part : llvm::reverse(instruction.parts))
    if (std::optional<Type> type = parseType(part))
      return type;
  return std::nullopt;
}

bool FormName::take(StringRef part) {
  for (auto [i, candidate] : llvm::enumerate(instruction.parts))
    if (!isTaken[i] && candidate == part)
      return isTaken[i] = true;
  return false;
}

std::optional<unsigned> FormName::takeOneOf(ArrayRef<StringRef> choices) {
  for (auto [i, choice] : llvm::enumerate(choices))
    if (take(choice))
      return i;
  return std::nullopt;
}

llvm::Expected<Type> FormName::takeType(ArrayRef<Type> allowed) {
  for (auto [i, part] : llvm::enumerate(instruction.parts)) {
    if (isTaken[i])
      continue;
    std::optional<Type> type = parseType(part);
    if (!type)
      continue;
    if (!llvm::is_contained(allowed, *type))
      return refuse("'" + getRoot() + "' has no form with '." + part +
                    "' here");
    isTaken[i] = true;
    return *type;
  }
  return refuse("a type that '" + getRoot() + "' has a form for is missing");
}

std::optional<Rounding> FormName::takeRounding() {
  std::optional<unsigned> place = takeOneOf({"rn", "rz", "rm", "rp"});
  if (!place)
    return std::nullopt;
  constexpr Rounding modes[] = {Rounding::NearestTiesToEven,
                                Rounding::TowardZero, Rounding::TowardNegative,
                                Rounding::TowardPositive};
  return modes[*place];
}

llvm::Error FormName::refuse(const llvm::Twine &why) const {
  return llvm::createStringError("unknown form '" + instruction.name +
                                 "': " + why);
}

llvm::Error FormName::checkAllTaken() const {
  for (auto [i, part] : llvm::enumerate(instruction.parts))
    if (!isTaken[i])
      return refuse("'." + part + "' is not known here");
  return llvm::Error::success();
}

llvm::Expected<ScalarForm> FormName::makeForm(ScalarFunction function,
                                              Type result,
                                              ArrayRef<Type> operands) const {
  if (!function)
    return refuse("these parts do not go together");
  return ScalarForm{function, result, SmallVector<Type, 3>(operands)};
}
