//===- UnknownNames.cpp - Errors about undeclared names ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Finds the probable meaning of an unknown name. The checks in order:
// - a size or a parameter that only a launch knows;
// - a name of an ended block or of the caller;
// - a parameter whose condition is false;
// - a word of another language, or a function;
// - a misspelled name.
//
//===----------------------------------------------------------------------===//

#include "UnknownNames.h"

#include "tessera/Frontend/Vocabulary.h"

using namespace tessera;
using namespace tessera::frontend;

/// Lists the visible names at the end of a message; many names are cut.
static std::string listNames(ArrayRef<StringRef> names) {
  constexpr size_t kMostNames = 8;
  if (names.empty())
    return "";
  if (names.size() <= kMostNames)
    return "; the names here are " + joinNames(names);
  return ("; names here are `" +
          llvm::join(names.take_front(kMostNames), "`, `") + "`, …");
}

void tessera::frontend::reportUnknownName(KernelContext &context,
                                          SourcePlace place, StringRef name) {
  const KernelSignature &signature = context.signature;
  Scopes &scopes = context.scopes;
  // In the body sizes are values; before it only the launch knows them.
  if (signature.sizePlaces.contains(name) && !scopes.isHidden(name)) {
    context.error(place)
        << "the size `" << name
        << "` is known at launch only, expected a value that is known "
           "at compile time; make that a compile-time parameter, as "
           "in `kernel k<B: int = 64>(…)`";
    return;
  }
  // Scalar parameters are unknown as well, where the signature uses them.
  if (signature.scalarParameters.contains(name) && !scopes.isHidden(name)) {
    context.error(place)
        << "the parameter `" << name
        << "` is known at launch only, expected a value that is known "
           "at compile time; make it a compile-time parameter, as in "
           "`kernel k<"
        << name << ": int = 64>(…)`";
    return;
  }
  auto diagnostic = context.unknownName(place, name);
  diagnostic << "unknown name `" << name << "`";
  if (const SourcePlace *declared = scopes.findEnded(name)) {
    diagnostic << "; the block that declares it has ended";
    context.note(diagnostic, *declared) << "`" << name << "` is declared here";
    return;
  }
  if (scopes.isHidden(name)) {
    context.note(diagnostic, place)
        << "a fn sees its own parameters only; pass `" << name
        << "` as an argument";
    return;
  }
  for (const Parameter *parameter : signature.absentParameters)
    if (parameter->name.text == name) {
      diagnostic << "; its condition as a parameter is false here, so use it "
                    "inside of a compile-time `if`";
      context.note(diagnostic, parameter->condition->place)
          << "`" << name << "` is a parameter only if this holds";
      return;
    }
  if (StringRef hint = findForeignName(name); !hint.empty()) {
    diagnostic << "; " << hint;
    return;
  }
  if (isBuiltinFunction(name) || context.getFns().contains(name)) {
    diagnostic << "; a function is called: `" << name << "(…)`";
    return;
  }
  StringRef nearest = findNearestName(name, scopes.getNames());
  // In a kernel without a grid, `n` is not a misspelled size `N`.
  Symbol *near = nearest.empty() ? nullptr : scopes.lookup(nearest);
  if (context.kernel.axes.empty() && context.getCalls().empty() &&
      (!near || near->kind == Symbol::Kind::Size)) {
    diagnostic << "; the kernel has no `grid`, which names the ranges of one "
                  "program: `grid (n in tiles(N, 64))` before the `{`";
    return;
  }
  if (near && near->kind == Symbol::Kind::Size &&
      name.equals_insensitive(nearest))
    diagnostic << "; `" << nearest
               << "` is a size, and its ranges are named by "
               << "`grid (" << name << " in tiles(" << nearest
               << ", 64))` or `for " << name << " in tiles(" << nearest
               << ", 64) { … }`";
  else if (near)
    diagnostic << "; did you mean `" << nearest << "`?";
  else
    diagnostic << listNames(scopes.getNames());
}

void tessera::frontend::reportUndeclared(KernelContext &context,
                                         const AssignStmt &stmt,
                                         const NameExpr &target) {
  Scopes &scopes = context.scopes;
  SmallVector<StringRef> vars;
  for (Symbol *var : scopes.getVars())
    vars.push_back(var->name);
  StringRef nearest = findNearestName(target.name, vars);
  if (scopes.findEnded(target.name) || scopes.isHidden(target.name) ||
      !findForeignName(target.name).empty())
    return reportUnknownName(context, target.place, target.name);
  auto diagnostic = context.unknownName(target.place, target.name);
  diagnostic << "unknown name `" << target.name << "`; ";
  if (!nearest.empty())
    diagnostic << "did you mean `" << nearest << "`? If it is new, ";
  if (stmt.op == TokenKind::Equal)
    diagnostic << "declare it by `let " << target.name
               << " = …;`, or by `var` if it changes";
  else
    diagnostic << "declare it before by `var " << target.name << " = …;`";
}
