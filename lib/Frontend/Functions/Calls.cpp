//===- Calls.cpp - Whom a call means, and its arguments ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of built-in functions, and the matching of arguments by position
// and by name that all of them share. Functions have names of their own: a
// `let` may be called `max` without hiding the function.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"

#include "tessera/Frontend/Vocabulary.h"

using namespace tessera;
using namespace tessera::frontend;

const llvm::StringMap<KernelGenerator::Handler> &
KernelGenerator::getBuiltins() {
  using K = KernelGenerator;
  static const llvm::StringMap<Handler> table = {
      {"abs", &K::genElementwise},
      {"ceil", &K::genElementwise},
      {"erf", &K::genElementwise},
      {"exp", &K::genElementwise},
      {"exp2", &K::genElementwise},
      {"floor", &K::genElementwise},
      {"log", &K::genElementwise},
      {"log2", &K::genElementwise},
      {"rsqrt", &K::genElementwise},
      {"sigmoid", &K::genElementwise},
      {"sqrt", &K::genElementwise},
      {"tanh", &K::genElementwise},
      {"max", &K::genExtremum},
      {"min", &K::genExtremum},
      {"where", &K::genWhere},
      {"fma", &K::genFma},
      {"sum", &K::genSum},
      {"cumsum", &K::genCumsum},
      {"zeros", &K::genZeros},
      {"ones", &K::genZeros},
      {"full", &K::genFull},
      {"iota", &K::genIota},
      {"load", &K::genLoad},
      {"atomic_add", &K::genAtomicAdd},
      {"barrier", &K::genBarrier},
      {"tile", &K::genTileRange},
      {"tiles", &K::genMisplacedDomain},
      {"range", &K::genMisplacedDomain}};
  return table;
}

std::vector<StringRef> tessera::frontend::getBuiltinFunctions() {
  return KernelGenerator::getBuiltinNames();
}

std::vector<StringRef> KernelGenerator::getBuiltinNames() {
  std::vector<StringRef> names;
  for (const auto &entry : getBuiltins())
    names.push_back(entry.getKey());
  // The order of a hash table must not show.
  llvm::sort(names);
  return names;
}

void KernelGenerator::genCallStatement(const CallExpr &call) {
  Entity result = genCall(call);
  // A fn may be called for its effect alone; a built-in function of value not.
  if (!result.isError() && !result.is(Kind::Nothing) &&
      hasBuiltin(call.callee.text))
    error(call.place) << "the value of `" << call.callee.text
                      << "` is not used; `let name = …;` names it";
}

Entity KernelGenerator::genValueCall(const CallExpr &call) {
  Entity result = genCall(call);
  if (!result.is(Kind::Nothing))
    return result;
  auto diagnostic = error(call.place);
  diagnostic << "`" << call.callee.text << "` yields no value";
  if (FnDecl *fn = fns.lookup(call.callee.text))
    note(diagnostic, fn->end) << "the fn ends here without `return e;`";
  return Entity();
}

Entity KernelGenerator::genCall(const CallExpr &call) {
  StringRef name = call.callee.text;
  auto builtin = getBuiltins().find(name);
  if (builtin != getBuiltins().end())
    return (this->*builtin->second)(call);
  if (FnDecl *fn = fns.lookup(name))
    return genFnCall(call, *fn);
  auto diagnostic = error(call.callee.place);
  StringRef type = lookupTypeName(context, name) ? name : findForeignType(name);
  if (scopes.lookup(name) || !type.empty()) {
    diagnostic << "`" << name << "` is not a function";
    if (!type.empty())
      diagnostic << "; convert with `as " << type << "`";
    return Entity();
  }
  diagnostic << "unknown function `" << name << "`";
  if (StringRef hint = findForeignName(name); !hint.empty()) {
    diagnostic << "; " << hint;
    return Entity();
  }
  std::vector<StringRef> names = getBuiltinNames();
  for (const auto &entry : fns)
    names.push_back(entry.getKey());
  llvm::sort(names);
  StringRef nearest = findNearestName(name, names);
  if (!nearest.empty())
    diagnostic << "; did you mean `" << nearest << "`?";
  return Entity();
}

bool KernelGenerator::matchArguments(
    const CallExpr &call, ArrayRef<StringRef> parameters, size_t required,
    SmallVectorImpl<const Argument *> &matched) {
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
        StringRef hint = findForeignName(argument.name.text);
        error(argument.name.place)
            << "`" << name << "` has no parameter `" << argument.name.text
            << "`; its parameters are " << joinNames(parameters)
            << (hint.empty() ? "" : "; ") << hint;
        return false;
      }
    }
    if (slot >= parameters.size()) {
      error(argument.value->place)
          << "too many arguments for `" << name << "`; its parameters are "
          << joinNames(parameters);
      return false;
    }
    if (matched[slot]) {
      error(argument.value->place) << "the argument `" << parameters[slot]
                                   << "` of `" << name << "` is given twice";
      return false;
    }
    if (argument.whole && parameters[slot] != "part") {
      error(argument.whole->place)
          << "`of` stands in `part = s of S` only, in `tiles(size, extent, "
             "part = s of S)`";
      return false;
    }
    matched[slot] = &argument;
  }
  for (size_t i = 0; i < required; ++i) {
    if (matched[i])
      continue;
    error(call.place) << "`" << name << "` needs an argument `" << parameters[i]
                      << "`; its parameters are " << joinNames(parameters);
    return false;
  }
  return true;
}
