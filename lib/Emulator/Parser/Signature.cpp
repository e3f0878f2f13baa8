//===- Signature.cpp - Signatures of functions ----------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of the signature of a kernel or function: results,
// name, parameters, and performance directives. A declaration without a body
// ends here.
//
//===----------------------------------------------------------------------===//

#include "Function.h"

#include "DebugInformation.h"
#include "Literals.h"
#include "Variables.h"

namespace tessera::emu::parsing {

FunctionParser::FunctionParser(Cursor &cursor, Module &module,
                               ModuleNames &moduleNames, bool isKernel)
    : cursor(cursor), module(module), moduleNames(moduleNames),
      isKernel(isKernel), kernel(std::make_unique<Kernel>()),
      names(cursor, moduleNames, *kernel), labels(cursor, *kernel),
      operands(cursor, names, *kernel) {}

/// Parses a parameter in a register, which functions may have, but kernels may
/// not.
bool FunctionParser::parseRegisterParameter() {
  Type type = Type::Pred;
  Token name;
  return parseFundamentalType(cursor, type) &&
         cursor.expectIdentifier(name, "the name of a parameter") &&
         names.declareRegister(name, type);
}

bool FunctionParser::parseParameterList(StringRef what,
                                        std::vector<Variable> &list) {
  if (!cursor.expect("(", "'(' before " + what))
    return false;
  if (cursor.consume(")"))
    return true;
  do {
    if (!isKernel && cursor.consumeDotWord(".reg")) {
      if (!parseRegisterParameter())
        return false;
      kernel->hasRegisterParameters = true;
      continue;
    }
    if (!cursor.consumeDotWord(".param"))
      return cursor.errorExpected("'.param'");
    Declaration declaration;
    // Prototypes may omit names: "_". No instruction can use them.
    if (!parseParameter(cursor, /*mayBeUnsized=*/!isKernel, declaration))
      return false;
    if (declaration.name.text == "_")
      continue;
    if (!names.declareParameter(declaration.name))
      return false;
    list.push_back(std::move(declaration.variable));
  } while (cursor.consume(","));
  return cursor.expect(")", "')' after " + what);
}

/// Parses "128", "128, 2" or "128, 2, 1".
bool FunctionParser::parseExtent(const Token &directive,
                                 unsigned (&extent)[3]) {
  if (extent[0] != 0)
    return cursor.error(directive, "'" + directive.text +
                                       "' says again what a directive before "
                                       "it has said");
  for (unsigned i = 0; i < 3; ++i) {
    uint64_t value = 1;
    bool isGiven = i == 0 || cursor.consume(",");
    if (isGiven && !parseCount(cursor, "a size", 1, UINT32_MAX, value))
      return false;
    extent[i] = value;
  }
  return true;
}

/// Parses a property: PTX ISA, 11.4 "Performance-Tuning Directives", and
/// directives of clusters and of functions.
bool FunctionParser::parseProperty(const Token &directive) {
  StringRef text = directive.text;
  uint64_t value = 0;
  if (text == ".pragma")
    return skipPragma(cursor);
  if (isKernel && text == ".maxntid")
    return parseExtent(directive, kernel->maxThreads);
  if (isKernel && text == ".reqntid") {
    kernel->hasExactThreads = true;
    return parseExtent(directive, kernel->maxThreads);
  }
  if (isKernel && text == ".reqnctapercluster")
    return parseExtent(directive, kernel->cluster);
  if (isKernel && text == ".blocksareclusters") {
    kernel->blocksAreClusters = true;
    return true;
  }
  // Only declares that the launch, or `.reqnctapercluster`, determines the
  // size.
  if (isKernel && text == ".explicitcluster")
    return true;
  if (!isKernel && (text == ".noreturn" || text == ".unique"))
    return true;

  bool isBlocks = text == ".minnctapersm", isRegisters = text == ".maxnreg";
  bool isHint =
      isKernel ? text == ".maxclusterrank" || text == ".maxnctapersm"
               : text == ".abi_preserve" || text == ".abi_preserve_control";
  if (!isHint && !(isKernel && (isBlocks || isRegisters)))
    return cursor.error(directive, "unknown directive '" + text + "'");
  if (!parseCount(cursor, "the value of '" + text + "'", 0, UINT32_MAX, value))
    return false;
  if (isBlocks)
    kernel->minBlocks = value;
  else if (isRegisters)
    kernel->maxRegisters = value;
  return true;
}

bool FunctionParser::parseProperties() {
  while (cursor.isDotWord())
    if (!parseProperty(cursor.take()))
      return false;
  return true;
}

bool FunctionParser::declare(const Token &name, bool isDefinition) {
  if (!isDefinition || !isKernel)
    return isKernel || moduleNames.declare(cursor, name, NameEntry::Function);
  if (module.findKernel(name.text))
    return cursor.error(name, "kernel '" + name.text + "' is defined twice");
  return true;
}

bool FunctionParser::parse() {
  if (!isKernel && cursor.consumeDotWord(".attribute")) {
    while (!cursor.is(")") && !cursor.is(";") && !cursor.isEnd())
      cursor.advance();
    if (!cursor.expect(")", "')' after attributes"))
      return false;
  }
  if (!isKernel && cursor.is("(") &&
      !parseParameterList("a result", kernel->results))
    return false;
  Token name;
  if (!cursor.expectIdentifier(name, isKernel ? "the name of a kernel"
                                              : "the name of a function"))
    return false;
  kernel->name = name.text.str();
  kernel->where.line = name.line;
  kernel->where.column = name.column;
  if (cursor.is("(") && !parseParameterList("parameters", kernel->parameters))
    return false;
  if (!parseProperties())
    return false;
  bool isPrototype = cursor.is(";");
  if (!declare(name, !isPrototype))
    return false;
  if (cursor.consume(";"))
    return true;
  if (!cursor.expect("{", "'{' before the body of '" + name.text + "'") ||
      !parseBody())
    return false;
  (isKernel ? module.kernels : module.functions).push_back(std::move(kernel));
  return true;
}

} // namespace tessera::emu::parsing
