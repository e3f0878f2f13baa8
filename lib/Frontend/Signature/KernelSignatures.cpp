//===- KernelSignatures.cpp - Signatures of a file --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The syntax tree suffices to choose compile-time parameters, so a signature
// has no evaluated values. A default may use the parameters before it, and a
// condition may use all parameters.
//
//===----------------------------------------------------------------------===//

#include "tessera/Frontend/Frontend.h"

#include "Diagnostics.h"
#include "KernelChecks.h"
#include "Names/Entity.h"
#include "Parser/Documentation.h"
#include "Parser/Parser.h"

#include "tessera/Array/FloatText.h"

#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/SourceMgr.h"

using namespace tessera;
using namespace tessera::frontend;

/// Collects the names in an expression over sizes, in order.
static void collectNames(const Expr *expr,
                         llvm::SmallSetVector<StringRef, 8> &names) {
  if (!expr)
    return;
  if (auto *name = dyn_cast<NameExpr>(expr)) {
    names.insert(name->name);
  } else if (auto *unary = dyn_cast<UnaryExpr>(expr)) {
    collectNames(unary->operand, names);
  } else if (auto *binary = dyn_cast<BinaryExpr>(expr)) {
    collectNames(binary->lhs, names);
    collectNames(binary->rhs, names);
  } else if (auto *choice = dyn_cast<IfExpr>(expr)) {
    collectNames(choice->thenBlock.value, names);
    collectNames(choice->elseBlock.value, names);
  }
}

static StringRef getAccessName(Parameter::Access access) {
  switch (access) {
  case Parameter::Access::In:
    return "in";
  case Parameter::Access::Out:
    return "out";
  case Parameter::Access::InOut:
    return "inout";
  }
  return "";
}

static void writeName(llvm::json::OStream &json, const Name &name) {
  json.attribute("name", name.text);
  json.attribute("line", static_cast<int64_t>(name.place.line));
  json.attribute("column", static_cast<int64_t>(name.place.column));
}

/// Writes a name; null for other expressions.
static void writePlainName(llvm::json::OStream &json, const Expr *expr) {
  auto *name = dyn_cast_or_null<NameExpr>(expr);
  json.value(name ? llvm::json::Value(name->name) : nullptr);
}

/// Returns the text of an expression on one line.
static std::string joinWords(StringRef text) {
  SmallVector<StringRef> words;
  llvm::SplitString(text, words);
  return llvm::join(words, " ");
}

static void writeParameter(llvm::json::OStream &json,
                           const Parameter &parameter) {
  writeName(json, parameter.name);
  json.attribute("access", getAccessName(parameter.access));
  json.attribute("conditional", parameter.condition != nullptr);
  if (parameter.condition)
    json.attribute("condition", joinWords(parameter.conditionText));
  auto *tensor = dyn_cast<IndexExpr>(parameter.type);
  json.attributeBegin("type");
  writePlainName(json, tensor ? tensor->base : parameter.type);
  json.attributeEnd();
  if (!tensor)
    return;
  json.attributeArray("dims", [&] {
    for (const IndexItem &item : tensor->items)
      writePlainName(json, item.value);
  });
}

/// Finds the undeclared names in dimensions.
static llvm::SmallSetVector<StringRef, 8> findSizes(const KernelDecl &kernel) {
  llvm::SmallSetVector<StringRef, 8> sizes;
  for (const Parameter &parameter : kernel.parameters)
    if (auto *tensor = dyn_cast<IndexExpr>(parameter.type))
      for (const IndexItem &item : tensor->items)
        collectNames(item.value, sizes);
  for (const CompileTimeParameter &parameter : kernel.compileTimeParameters)
    sizes.remove(parameter.name.text);
  for (const Parameter &parameter : kernel.parameters)
    sizes.remove(parameter.name.text);
  return sizes;
}

/// Returns a default as -D takes it: a literal with or without a sign, or the
/// name of a type. Null for other expressions.
static llvm::json::Value getConstant(const Expr *value, StringRef text) {
  std::string sign;
  if (auto *unary = dyn_cast<UnaryExpr>(value);
      unary && unary->op == TokenKind::Minus) {
    sign = "-";
    value = unary->operand;
  }
  if (auto *integer = dyn_cast<IntegerExpr>(value))
    return sign + std::to_string(integer->value);
  if (isa<FloatExpr>(value) && array::readFloat(text))
    return text;
  if (!sign.empty())
    return nullptr;
  if (auto *truth = dyn_cast<BoolExpr>(value))
    return truth->value ? "true" : "false";
  auto *name = dyn_cast<NameExpr>(value);
  return name && isReservedTypeName(name->name) ? llvm::json::Value(name->name)
                                                : nullptr;
}

/// Writes a default as -D takes it, and as the source has it.
static void writeDefault(llvm::json::OStream &json,
                         const CompileTimeParameter &parameter) {
  llvm::json::Value constant = nullptr, expression = nullptr;
  if (parameter.value) {
    SmallVector<StringRef> words;
    llvm::SplitString(parameter.valueText, words);
    expression = joinWords(parameter.valueText);
    constant = getConstant(parameter.value, llvm::join(words, ""));
  }
  json.attribute("default", std::move(constant));
  json.attribute("expression", std::move(expression));
}

/// Returns the offset of the beginning of a line, counted from 1.
static size_t getLineBegin(StringRef source, unsigned line) {
  size_t begin = 0;
  while (--line)
    begin = source.find('\n', begin) + 1;
  return begin;
}

static void writeKernel(llvm::json::OStream &json, const KernelDecl &kernel,
                        StringRef source) {
  writeName(json, kernel.name);
  json.attribute("documentation",
                 llvm::json::fixUTF8(getDocumentation(
                     source, getLineBegin(source, kernel.name.place.line))));
  json.attributeArray("compileTime", [&] {
    for (const CompileTimeParameter &parameter : kernel.compileTimeParameters)
      json.object([&] {
        writeName(json, parameter.name);
        json.attribute("type", parameter.type.text);
        json.attribute("hasDefault", parameter.value != nullptr);
        writeDefault(json, parameter);
        if (!parameter.candidates.empty())
          json.attribute("values", joinWords(parameter.candidatesText));
      });
  });
  json.attributeArray("parameters", [&] {
    for (const Parameter &parameter : kernel.parameters)
      json.object([&] { writeParameter(json, parameter); });
  });
  json.attributeArray("sizes", [&] {
    for (StringRef size : findSizes(kernel))
      json.value(size);
  });
}

FailureOr<std::string>
tessera::frontend::describeKernels(llvm::SourceMgr &sourceMgr,
                                   MLIRContext *context, bool needsKernel) {
  const llvm::MemoryBuffer *buffer =
      sourceMgr.getMemoryBuffer(sourceMgr.getMainFileID());
  Diagnostics diagnostics(context, buffer->getBufferIdentifier());
  Program program;
  Lexer lexer(buffer->getBuffer(), diagnostics);
  Parser(lexer, diagnostics, program).parseProgram();
  if (!diagnostics.hadError() && program.kernels.empty() &&
      (needsKernel || program.fns.empty()))
    diagnostics.error(SourcePlace()) << "the file has no kernel";
  if (diagnostics.hadError() ||
      failed(checkKernels(sourceMgr, context, program)))
    return failure();
  std::string text;
  llvm::raw_string_ostream os(text);
  llvm::json::OStream json(os, /*IndentSize=*/1);
  json.object([&] {
    json.attributeArray("kernels", [&] {
      for (const KernelDecl *kernel : program.kernels)
        json.object([&] { writeKernel(json, *kernel, buffer->getBuffer()); });
    });
  });
  os << "\n";
  return text;
}
