//===- Configurations.cpp - Values that parameters may take -----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `BM: int in {64, 128} = 128` declares the values of a parameter that are
// worth considering. They may depend on earlier parameters. The configurations
// of a kernel are therefore the leaves of a tree. Each level binds the next
// parameter without a value to one of its candidates. The walk over the
// tree is depth first, and the default is the first candidate. The first leaf
// therefore has all defaults.
//
//===----------------------------------------------------------------------===//

#include "Configurations.h"

#include "KernelGenerator.h"

#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::frontend;

/// Returns the first name in `expr` that is in `names`; null if none is.
static const NameExpr *findName(const Expr *expr,
                                const llvm::StringSet<> &names) {
  if (!expr)
    return nullptr;
  auto findFirst = [&](ArrayRef<const Expr *> parts) -> const NameExpr * {
    for (const Expr *part : parts)
      if (const NameExpr *found = findName(part, names))
        return found;
    return nullptr;
  };
  return llvm::TypeSwitch<const Expr *, const NameExpr *>(expr)
      .Case([&](const NameExpr *name) {
        return names.contains(name->name) ? name : nullptr;
      })
      .Case([&](const UnaryExpr *unary) { return findFirst({unary->operand}); })
      .Case([&](const BinaryExpr *binary) {
        return findFirst({binary->lhs, binary->rhs});
      })
      .Case([&](const CastExpr *cast) {
        return findFirst({cast->operand, cast->type});
      })
      .Case([&](const IndexExpr *index) {
        SmallVector<const Expr *> parts = {index->base};
        for (const IndexItem &item : index->items)
          parts.append({item.value, item.low, item.high});
        return findFirst(parts);
      })
      .Case([&](const MemberExpr *member) { return findFirst({member->base}); })
      .Case([&](const CallExpr *call) {
        SmallVector<const Expr *> parts;
        for (const Argument &argument : call->arguments) {
          parts.push_back(argument.value);
          parts.push_back(argument.whole);
        }
        return findFirst(parts);
      })
      .Case([&](const IfExpr *choice) {
        SmallVector<const Expr *> parts = {choice->condition};
        for (const ValueBlock *block :
             {&choice->thenBlock, &choice->elseBlock}) {
          for (const Stmt *let : block->lets)
            if (auto *declaration = dyn_cast<DeclareStmt>(let))
              parts.push_back(declaration->value);
          parts.push_back(block->value);
        }
        return findFirst(parts);
      })
      .Default([](const Expr *) { return nullptr; });
}

/// Returns a value as -D takes it.
static std::string print(const Entity &value) {
  if (value.is(Entity::Kind::Bool))
    return value.getBool() ? "true" : "false";
  return std::to_string(value.getInteger());
}

bool SignatureGenerator::checkCandidates(
    const CompileTimeParameter &parameter) {
  if (parameter.candidates.empty())
    return true;
  StringRef type = parameter.type.text;
  if (type != "int" && type != "bool") {
    error(parameter.type.place)
        << "`" << parameter.name.text
        << "` has values to choose from, so it is an `int` or a `bool`, got `"
        << type << "`";
    return false;
  }
  if (!parameter.value) {
    error(parameter.name.place)
        << "`" << parameter.name.text
        << "` has values to choose from, but no default; write `= value` after "
           "the `}`";
    return false;
  }
  return true;
}

bool SignatureGenerator::evaluateCandidates(
    const CompileTimeParameter &parameter, const Entity &value, bool isGiven) {
  if (parameter.candidates.empty())
    return true;
  std::vector<std::string> texts;
  auto add = [&](const Entity &choice) {
    std::string text = print(choice);
    if (!llvm::is_contained(texts, text))
      texts.push_back(std::move(text));
  };
  if (!isGiven)
    add(value);
  for (const Expr *candidate : parameter.candidates) {
    Entity choice = convertValue(parameter, candidate, "a value");
    if (choice.isError())
      return false;
    add(choice);
  }
  if (!isGiven)
    signature.choices[parameter.name.text] = std::move(texts);
  return true;
}

bool SignatureGenerator::checkInterface() {
  // Parameters with candidates, and those whose default depends on one.
  llvm::StringSet<> chosen;
  llvm::StringMap<SourcePlace> places;
  for (const CompileTimeParameter &parameter :
       context.kernel.compileTimeParameters) {
    places[parameter.name.text] = parameter.name.place;
    if (!parameter.candidates.empty() || findName(parameter.value, chosen))
      chosen.insert(parameter.name.text);
  }
  bool valid = true;
  for (const Parameter &parameter : context.kernel.parameters) {
    const NameExpr *found = findName(parameter.type, chosen);
    if (!found)
      found = findName(parameter.condition, chosen);
    if (!found)
      continue;
    auto diagnostic = error(found->place);
    diagnostic << "the parameter `" << parameter.name.text << "` depends on `"
               << found->name
               << "`, which is chosen by the compiler; a choice must not "
                  "change what callers pass";
    note(diagnostic, places[found->name]) << "the choice is declared here";
    valid = false;
  }
  return valid;
}

/// Appends the leaves below the node with the values of `given`, which are
/// added to those of the options. Returns false after an error.
static bool addLeaves(ModuleOp module, const FnTable &fns,
                      Diagnostics &diagnostics, const CompileOptions &options,
                      const KernelDecl &kernel, Configuration &given,
                      std::vector<Configuration> &leaves) {
  CompileOptions node = options;
  llvm::append_range(node.defines, given);
  // The names of a kernel are declared once, so each node has a generator.
  KernelGenerator generator(module, fns, diagnostics, node, kernel);
  std::optional<KernelChoices> choices = generator.evaluateChoices();
  if (!choices)
    return false;
  if (choices->empty()) {
    leaves.push_back(given);
    if (leaves.size() <= kMostConfigurations)
      return true;
    diagnostics.error(kernel.name.place)
        << "the values of the compile-time parameters of `" << kernel.name.text
        << "` have more than " << kMostConfigurations
        << " combinations; declare fewer values, or give some parameters by -D";
    return false;
  }
  const auto &[name, values] = choices->front();
  for (const std::string &value : values) {
    given.emplace_back(name.str(), value);
    bool isValid =
        addLeaves(module, fns, diagnostics, options, kernel, given, leaves);
    given.pop_back();
    if (!isValid)
      return false;
  }
  return true;
}

FailureOr<std::vector<Configuration>> tessera::frontend::collectConfigurations(
    ModuleOp module, const FnTable &fns, Diagnostics &diagnostics,
    const CompileOptions &options, const KernelDecl &kernel) {
  Configuration given;
  std::vector<Configuration> leaves;
  if (!addLeaves(module, fns, diagnostics, options, kernel, given, leaves))
    return failure();
  return leaves;
}
