//===- CallGenerator.cpp - Calls of functions and fns -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A call names a built-in function or a fn of the program. As a statement it
// may have no value.
//
//===----------------------------------------------------------------------===//

#include "CallGenerator.h"

#include "tessera/Frontend/Modules.h"

using namespace tessera;
using namespace tessera::frontend;

void CallGenerator::genCallStatement(const CallExpr &call) {
  if (BuiltinFunctions::isAtomic(call.callee.text)) {
    builtins.genAtomicStatement(call);
    return;
  }
  Entity result = genCall(call);
  // The value of a fn may be ignored, but not that of a built-in function.
  if (!result.isError() && !result.is(Kind::Nothing) &&
      BuiltinFunctions::contains(call.callee.text))
    error(call.place) << "the value of `" << call.callee.text
                      << "` is not used; `let name = …;` names it";
}

Entity CallGenerator::genValueCall(const CallExpr &call) {
  Entity result = genValues(call);
  if (!result.is(Kind::Several))
    return result;
  auto diagnostic = error(call.place);
  diagnostic << "`" << call.callee.text << "` yields " << result.describe()
             << ", but an expression has one; name them by `let a, b"
             << (result.getSeveral().size() > 2 ? ", …" : "") << " = "
             << call.callee.text << "(…);`";
  return Entity();
}

Entity CallGenerator::genValues(const CallExpr &call) {
  Entity result = genCall(call);
  if (!result.is(Kind::Nothing))
    return result;
  auto diagnostic = error(call.place);
  diagnostic << "`" << call.callee.text << "` yields no value";
  if (FnDecl *fn = context.getFns().lookup(call.callee.text))
    note(diagnostic, fn->end) << "the fn ends here without `return e;`";
  return Entity();
}

Entity CallGenerator::genCall(const CallExpr &call) {
  StringRef name = call.callee.text;
  // A parameter of a fn may be a function.
  Symbol *symbol = scopes.lookup(name);
  if (symbol && symbol->entity.is(Kind::Function)) {
    CallExpr renamed = call;
    renamed.callee.text = symbol->entity.getFunctionName();
    const FnDecl *fn = symbol->entity.getFn();
    return fn ? genFnCall(renamed, *fn) : builtins.genCall(renamed);
  }
  if (BuiltinFunctions::contains(name))
    return builtins.genCall(call);
  if (FnDecl *fn = context.getFns().lookup(name))
    return genFnCall(call, *fn);
  reportUnknownFunction(call);
  return Entity();
}

void CallGenerator::reportUnknownFunction(const CallExpr &call) {
  StringRef name = call.callee.text;
  auto diagnostic = error(call.callee.place);
  StringRef type =
      lookupTypeName(builder.getContext(), name) ? name : findForeignType(name);
  Symbol *symbol = scopes.lookup(name);
  if (symbol && symbol->kind == Symbol::Kind::Parameter &&
      !context.getCalls().empty()) {
    diagnostic << "`" << name << "` is " << symbol->entity.describe()
               << " here, and not a function";
    return;
  }
  if (symbol || !type.empty()) {
    diagnostic << "`" << name << "` is not a function";
    if (!type.empty())
      diagnostic << "; convert with `as " << type << "`";
    else if (symbol->entity.is(Kind::Global))
      diagnostic << "; elements are written `" << name << "[…]`";
    return;
  }
  if (findForeignName(name).empty() &&
      llvm::any_of(context.kernel.file->kernels, [&](KernelDecl *kernel) {
        return kernel->name.text == name;
      })) {
    diagnostic << "`" << name << "` is a kernel, and only fns are called; "
               << "launch it before or after this one";
    return;
  }
  diagnostic << "unknown function `" << name << "`";
  if (StringRef module = findStandardModuleOf(name); !module.empty()) {
    diagnostic << "; `use \"" << module << "\" (" << name
               << ");` at the top of the file makes it visible";
    return;
  }
  if (StringRef hint = findForeignName(name); !hint.empty()) {
    diagnostic << "; " << hint;
    return;
  }
  std::vector<StringRef> names = BuiltinFunctions::getNames();
  for (const auto &entry : context.getFns())
    names.push_back(entry.getKey());
  llvm::sort(names);
  diagnostic << askForName(name, names);
}
