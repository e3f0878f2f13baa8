//===- Warnings.cpp - Sources that probably mean something else -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings of legal programs that do not compute what most readers expect. Each
// warning has a stable name (docs/remarks.md). A note says how to write the
// expected meaning, and how to write the actual one without the warning.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

using namespace tessera;
using namespace tessera::frontend;

std::optional<InFlightDiagnostic> KernelGenerator::warn(SourcePlace place) {
  if (!diagnostics.isFirstWarning(place))
    return std::nullopt;
  InFlightDiagnostic diagnostic = mlir::emitWarning(diagnostics.getLoc(place));
  return diagnostic;
}

void KernelGenerator::noteCalls(InFlightDiagnostic &diagnostic) const {
  for (const ActiveCall &call : llvm::reverse(calls))
    note(diagnostic, call.place)
        << "in this call of `" << call.fn->name.text << "`";
}

std::string KernelGenerator::getElementwiseForm(bool isMax,
                                                const Entity &source,
                                                int64_t other) {
  std::string number = std::to_string(other);
  std::string name = isMax ? "max" : "min";
  if (isa<FloatType>(source.getElementType()))
    return "`" + name + "(x, " + number + ".0)`";
  return "`where(x " + std::string(isMax ? ">" : "<") + " " + number + ", x, " +
         number + ")`";
}

void KernelGenerator::warnOfAxis(bool isMax, const Entity &source, int64_t axis,
                                 SourcePlace place) {
  std::optional<InFlightDiagnostic> diagnostic = warn(place);
  if (!diagnostic)
    return;
  StringRef name = isMax ? "max" : "min";
  *diagnostic << "`" << name << "` of a tile and the integer " << axis
              << " is the " << (isMax ? "largest" : "smallest")
              << " element along axis " << axis << ", not the "
              << (isMax ? "larger" : "smaller") << " of each element and "
              << axis << " [literal-axis]";
  note(*diagnostic, place) << "write `" << name << "(x, axis = " << axis
                           << ")` for the reduction, "
                           << getElementwiseForm(isMax, source, axis)
                           << " for each element";
  noteCalls(*diagnostic);
}

void KernelGenerator::warnOfQuotient(const Entity &number) {
  const std::optional<InexactQuotient> &quotient = number.getInexactQuotient();
  if (!quotient)
    return;
  std::optional<InFlightDiagnostic> diagnostic = warn(quotient->place);
  if (!diagnostic)
    return;
  int64_t result =
      llvm::divideFloorSigned(quotient->dividend, quotient->divisor);
  *diagnostic << "the integers " << quotient->dividend << " and "
              << quotient->divisor << " divide to " << result
              << ", rounded down, which becomes a float [integer-quotient]";
  note(*diagnostic, quotient->place)
      << "write one of them as a float, such as `" << quotient->dividend
      << ".0`, for the exact quotient, or take `floor(…)` of it to round down";
  noteCalls(*diagnostic);
}

void KernelGenerator::warnOfNarrowSum(const Entity &source, StringRef name,
                                      SourcePlace place) {
  Type element = source.getElementType();
  if (!element.isInteger(8))
    return;
  std::optional<InFlightDiagnostic> diagnostic = warn(place);
  if (!diagnostic)
    return;
  *diagnostic << "this sum of `" << printType(element)
              << "` wraps around beyond -128 and 127 [narrow-sum]";
  note(*diagnostic, place)
      << "write `" << name
      << "(x as i32, …)` for the full sum; convert it with `as "
      << printType(element) << "` for the low bits";
  noteCalls(*diagnostic);
}

void KernelGenerator::warnOfNarrowFunction(const Entity &operand,
                                           StringRef name, SourcePlace place) {
  Type element = operand.getElementType();
  if (!isa<BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(element))
    return;
  std::optional<InFlightDiagnostic> diagnostic = warn(place);
  if (!diagnostic)
    return;
  std::string type = printType(element);
  *diagnostic << "`" << name << "` of `" << type << "` is rounded to `" << type
              << "`, and so are the results computed from it "
                 "[narrow-function]";
  note(*diagnostic, place) << "convert before, as in `" << name
                           << "(x as f32)`, and back with `as " << type
                           << "` after the last step";
  noteCalls(*diagnostic);
}
