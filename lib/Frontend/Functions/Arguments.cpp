//===- Arguments.cpp - Matching of arguments to parameters ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Built-in functions and fns share this matching by position and by name.
//
//===----------------------------------------------------------------------===//

#include "Arguments.h"

#include "llvm/ADT/StringSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

/// Reports an argument without the name that `parameter` requires, or one too
/// many if the call gives that parameter by name.
static void reportUnnamed(KernelContext &context, const CallExpr &call,
                          const Argument &argument, StringRef parameter) {
  auto diagnostic = context.error(argument.value->place);
  if (llvm::any_of(call.arguments, [&](const Argument &other) {
        return other.name.text == parameter;
      })) {
    diagnostic << "too many arguments for `" << call.callee.text << "` before `"
               << parameter << "`";
    if (call.callee.text == "max" || call.callee.text == "min")
      diagnostic << "; it reduces one tile along an axis, or combines tiles "
                    "element by element without `axis`";
    return;
  }
  diagnostic << "`" << call.callee.text << "` takes `" << parameter
             << "` by name; write `" << parameter << " = ";
  if (auto *number = dyn_cast<IntegerExpr>(argument.value))
    diagnostic << number->value << "`";
  else if (auto *name = dyn_cast<NameExpr>(argument.value))
    diagnostic << name->name << "`";
  else
    diagnostic << "…`";
}

/// Returns how a call is written that has fewer or more arguments in other
/// languages.
static StringRef findOtherForm(StringRef function) {
  return llvm::StringSwitch<StringRef>(function)
      .Case("iota", "; positions from `a` on are `a + iota(64)`")
      .Case("max", "; three values are `max(max(a, b), c)`")
      .Case("min", "; three values are `min(min(a, b), c)`")
      .Case("range", "; integers from 0 are `range(0, n)`")
      .Case("tile", "; the first tile of `N` is `tile(0, N, 64)`")
      .Default("");
}

bool tessera::frontend::matchArguments(
    KernelContext &context, const CallExpr &call,
    ArrayRef<StringRef> parameters, size_t required,
    SmallVectorImpl<const Argument *> &matched, size_t named) {
  StringRef name = call.callee.text;
  matched.assign(parameters.size(), nullptr);
  size_t position = 0;
  for (const Argument &argument : call.arguments) {
    size_t slot = position;
    if (argument.name.text.empty()) {
      ++position;
    } else {
      slot = llvm::find(parameters, argument.name.text) - parameters.begin();
      if (slot == parameters.size()) {
        StringRef hint = findForeignParameter(argument.name.text, parameters);
        context.error(argument.name.place)
            << "`" << name << "` has no parameter `" << argument.name.text
            << "`; its parameters are " << joinNames(parameters)
            << (hint.empty() ? askForName(argument.name.text, parameters)
                             : ("; " + hint).str());
        return false;
      }
    }
    if (slot >= parameters.size()) {
      context.error(argument.value->place)
          << "too many arguments for `" << name << "`; its parameters are "
          << joinNames(parameters) << findOtherForm(name);
      return false;
    }
    if (slot >= named && argument.name.text.empty()) {
      reportUnnamed(context, call, argument, parameters[slot]);
      return false;
    }
    if (matched[slot]) {
      context.error(argument.value->place)
          << "the argument `" << parameters[slot] << "` of `" << name
          << "` is given twice";
      return false;
    }
    if (argument.whole && parameters[slot] != "part") {
      context.error(argument.whole->place)
          << "`of` is allowed in `part = s of S` only, in `tiles(size, extent, "
             "part = s of S)`";
      return false;
    }
    matched[slot] = &argument;
  }
  for (size_t i = 0; i < required; ++i) {
    if (matched[i])
      continue;
    auto diagnostic = context.error(call.place);
    diagnostic << "`" << name << "` needs an argument `" << parameters[i]
               << "`; its parameters are " << joinNames(parameters);
    if (parameters[i] == "axis")
      diagnostic << "; the axis of a vector is `axis = 0`";
    diagnostic << findOtherForm(name);
    return false;
  }
  return true;
}
