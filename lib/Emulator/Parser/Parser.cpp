//===- Parser.cpp - Directives of a module --------------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Recursive-descent parser of a module: directives, variables and functions.
// The parts share one Cursor, which stores the first error; every function
// returns false after an error.
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/Parser.h"

#include "DebugInformation.h"
#include "Function.h"
#include "Literals.h"
#include "Variables.h"

namespace tessera::emu::parsing {

namespace {

class ModuleParser {
public:
  ModuleParser(StringRef text, StringRef name)
      : cursor(text, name), module(std::make_unique<Module>()) {}

  llvm::Expected<std::unique_ptr<Module>> parse();

private:
  bool parseModule();
  bool parseVersion();
  bool parseTarget();
  bool parseDirective();
  bool parseDefinition(const Token &directive, bool isExtern);
  bool parseModuleVariables(Variable::Space space, bool isExtern);

  Cursor cursor;
  std::unique_ptr<Module> module;
  ModuleNames names;
};

} // namespace

bool ModuleParser::parseVersion() {
  if (!cursor.consumeDotWord(".version"))
    return cursor.errorExpected("'.version' first");
  Token number = cursor.get();
  if (number.kind != Token::Number)
    return cursor.errorExpected("the version of PTX");
  cursor.advance();
  auto [major, minor] = number.text.split('.');
  if (major.getAsInteger(10, module->majorVersion) ||
      minor.getAsInteger(10, module->minorVersion))
    return cursor.error(number, "malformed version '" + number.text + "'");
  return true;
}

bool ModuleParser::parseTarget() {
  Token target;
  if (!cursor.consumeDotWord(".target"))
    return cursor.errorExpected("'.target' after '.version'");
  if (!cursor.expectIdentifier(target, "the name of a target"))
    return false;
  if (!target.text.starts_with("sm_") && !target.text.starts_with("compute_"))
    return cursor.error(target, "unknown target '" + target.text + "'");
  module->target = target.text.str();
  while (cursor.consume(",")) {
    Token option;
    if (!cursor.expectIdentifier(option, "an option of '.target'"))
      return false;
    if (option.text != "debug" && option.text != "texmode_unified" &&
        option.text != "texmode_independent")
      return cursor.error(option, "option '" + option.text +
                                      "' of '.target' is not supported");
  }
  return true;
}

bool ModuleParser::parseModuleVariables(Variable::Space space, bool isExtern) {
  return parseVariables(cursor, space, isExtern, [&](Declaration declaration) {
    // The launch determines the size of shared memory; other variables need a
    // definition.
    bool isElsewhere = isExtern && space != Variable::Shared;
    NameEntry::Kind kind = isElsewhere                ? NameEntry::Extern
                           : declaration.hasAddresses ? NameEntry::HasAddresses
                                                      : NameEntry::Variable;
    if (!names.declare(cursor, declaration.name, kind))
      return false;
    if (kind == NameEntry::Variable)
      module->variables.push_back(std::move(declaration.variable));
    return true;
  });
}

/// Parses a function or variables, after `.visible` and similar directives.
bool ModuleParser::parseDefinition(const Token &directive, bool isExtern) {
  StringRef text = directive.text;
  if (text == ".entry" || text == ".func")
    return FunctionParser(cursor, *module, names, text == ".entry").parse();
  if (std::optional<Variable::Space> space = parseSpace(text);
      space && *space != Variable::Param && *space != Variable::Local)
    return parseModuleVariables(*space, isExtern);
  if (text == ".param" || text == ".local" || text == ".reg" || text == ".loc")
    return cursor.error(directive, "directive '" + text +
                                       "' is only supported in functions");
  return cursor.error(directive, "unknown directive '" + text + "'");
}

bool ModuleParser::parseDirective() {
  if (!cursor.isDotWord())
    return cursor.errorExpected("a directive");
  Token directive = cursor.take();
  StringRef text = directive.text;
  if (text == ".file")
    return parseFile(cursor, *module);
  if (text == ".section")
    return skipSection(cursor);
  if (text == ".pragma")
    return skipPragma(cursor);
  if (text == ".address_size") {
    uint64_t bits = 0;
    return parseCount(cursor, "the size of addresses", 64, 64, bits);
  }

  bool isExtern = false;
  while (llvm::is_contained({".extern", ".visible", ".weak", ".common"},
                            directive.text)) {
    isExtern |= directive.text == ".extern";
    if (!cursor.isDotWord())
      return cursor.errorExpected("a function or a variable");
    directive = cursor.take();
  }
  return parseDefinition(directive, isExtern);
}

bool ModuleParser::parseModule() {
  if (!parseVersion() || !parseTarget())
    return false;
  while (!cursor.isEnd())
    if (!parseDirective())
      return false;
  return cursor.get().kind == Token::End;
}

llvm::Expected<std::unique_ptr<Module>> ModuleParser::parse() {
  if (!parseModule())
    return cursor.takeError();
  return std::move(module);
}

} // namespace tessera::emu::parsing

llvm::Expected<std::unique_ptr<tessera::emu::Module>>
tessera::emu::parse(StringRef text, StringRef name) {
  return parsing::ModuleParser(text, name).parse();
}
