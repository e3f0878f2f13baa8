//===- KernelContext.cpp - State shared by the generators -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Located diagnostics, declarations and the limits of tile types.
//
//===----------------------------------------------------------------------===//

#include "KernelContext.h"

#include "tessera/Frontend/NameObserver.h"

using namespace tessera;
using namespace tessera::frontend;

/// Bounds the rank of a tile.
static constexpr size_t kMaxRank = 8;

Location KernelContext::getLoc(SourcePlace place) const {
  Location loc = diagnostics.getLoc(place);
  return calls.empty() ? loc : CallSiteLoc::get(loc, calls.back().loc);
}

InFlightDiagnostic KernelContext::error(SourcePlace place) {
  if (assertionFailed)
    return diagnostics.silentError(place);
  InFlightDiagnostic diagnostic = diagnostics.error(place);
  if (errorNote && errorNote->depth == calls.size())
    note(diagnostic, errorNote->place) << errorNote->text;
  noteCalls(diagnostic);
  return diagnostic;
}

InFlightDiagnostic KernelContext::unknownName(SourcePlace place,
                                              StringRef name) {
  const void *owner = &kernel;
  if (!calls.empty())
    owner = calls.back().fn;
  InFlightDiagnostic diagnostic = diagnostics.unknownName(place, name, owner);
  noteCalls(diagnostic);
  return diagnostic;
}

bool KernelContext::checkExact(const Entity &number) {
  const std::optional<InexactQuotient> &quotient = number.getInexactQuotient();
  if (!quotient || quotient->division)
    return true;
  error(quotient->place)
      << "the integers " << quotient->dividend << " and " << quotient->divisor
      << " divide to "
      << llvm::divideFloorSigned(quotient->dividend, quotient->divisor)
      << ", rounded down, which would become a float; "
      << (quotient->isLiteral
              ? "write one of them as a float, such as `" +
                    std::to_string(quotient->dividend) +
                    ".0`, or `as int` after the quotient to round it down"
              : "begin the quotient with `1.0 *` to divide floats, or write "
                "`(a / b) as int` to round down");
  return false;
}

std::optional<InFlightDiagnostic> KernelContext::warn(SourcePlace place) {
  if (assertionFailed || !diagnostics.isFirstWarning(place))
    return std::nullopt;
  InFlightDiagnostic diagnostic = mlir::emitWarning(diagnostics.getLoc(place));
  return diagnostic;
}

void KernelContext::noteCalls(InFlightDiagnostic &diagnostic) const {
  for (const ActiveCall &call : llvm::reverse(calls)) {
    Diagnostic &text = note(diagnostic, call.place);
    text << "in this call of `" << call.fn->name.text << "`";
    // The order of the parameters is in another file.
    if (call.fn->name.place.file == call.place.file)
      continue;
    SmallVector<StringRef> parameters;
    for (const Parameter &parameter : call.fn->parameters)
      parameters.push_back(parameter.name.text);
    text << ", whose parameters are " << joinNames(parameters);
  }
}

Diagnostic &KernelContext::note(InFlightDiagnostic &diagnostic,
                                SourcePlace place) const {
  return diagnostic.attachNote(diagnostics.getLoc(place));
}

void KernelContext::noteDeclaration(InFlightDiagnostic &diagnostic,
                                    const Symbol &symbol) const {
  note(diagnostic, symbol.place)
      << "`" << symbol.name << "` is declared here as " << symbol.describe();
}

Symbol *KernelContext::declare(Symbol::Kind kind, Name name, Entity entity) {
  if (isReservedTypeName(name.text)) {
    error(name.place) << "`" << name.text
                      << "` is the name of a type; choose another name";
    return nullptr;
  }
  if (Symbol *other = scopes.lookup(name.text)) {
    auto diagnostic = error(name.place);
    diagnostic << "`" << name.text
               << "` is declared already; no name may hide another";
    noteDeclaration(diagnostic, *other);
    return nullptr;
  }
  if (options.observer && name.place.isInMainFile()) {
    bool isSize = kind == Symbol::Kind::Size;
    options.observer->declare({name.text, name.place.line, name.place.column,
                               isSize ? "int" : entity.getTypeText(),
                               entity.getDimensionText()});
  }
  return scopes.declare({kind, name.text, name.place, std::move(entity)});
}

RankedTensorType KernelContext::getTileType(ArrayRef<int64_t> shape,
                                            Type element, SourcePlace place) {
  if (shape.size() > kMaxRank) {
    error(place) << "a tile has at most " << kMaxRank << " dimensions, got "
                 << shape.size();
    return {};
  }
  int64_t elements = 1;
  for (int64_t extent : shape) {
    if (extent < 1) {
      error(place) << "the extent of a tile is " << extent
                   << ", expected at least 1";
      return {};
    }
    // Both factors are bounded, so the product cannot overflow.
    elements = extent > tile::kMaxTileElements ? tile::kMaxTileElements + 1
                                               : elements * extent;
    if (elements > tile::kMaxTileElements) {
      auto diagnostic = error(place);
      diagnostic << "a tile has at most " << tile::kMaxTileElements
                 << " elements, got the extents ";
      llvm::interleave(
          shape, [&](int64_t extent) { diagnostic << extent; },
          [&] { diagnostic << " x "; });
      return {};
    }
  }
  return RankedTensorType::get(shape, element);
}

const Parameter *KernelContext::findParameter(Value value) const {
  auto argument = dyn_cast<BlockArgument>(value);
  if (!argument || argument.getArgNumber() >= signature.parameters.size())
    return nullptr;
  return signature.parameters[argument.getArgNumber()];
}
