//===- KernelGenerator.cpp - Checks and generates a kernel ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The frame of the walk: signature, body, end; and what all parts of it share,
// which is places, errors and names.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"
#include "Expressions/InvalidIndexMasks.h"

#include "tessera/Dialect/Tile/IR/LazyRescale.h"
#include "tessera/Frontend/NameObserver.h"

using namespace tessera;
using namespace tessera::frontend;

KernelGenerator::KernelGenerator(ModuleOp module, const FnTable &fns,
                                 Diagnostics &diagnostics,
                                 const CompileOptions &options,
                                 const KernelDecl &kernel)
    : module(module), context(module.getContext()), fns(fns),
      diagnostics(diagnostics), options(options), kernel(kernel),
      builder(module.getContext()) {}

void KernelGenerator::generate() {
  scopes.pushFrame();
  scopes.pushScope();
  entry = &scratch.emplaceBlock();
  builder.setInsertionPointToEnd(entry);
  SmallVector<Type> types;
  SmallVector<Attribute> axes;
  if (!bindCompileTimeParameters() || !chooseParameters() ||
      !collectParameterTypes(types) || !evaluateGrid(axes) ||
      !checkSizesAreBound(types))
    return;
  unsigned errorsBefore = diagnostics.getNumErrors();
  tile::ScheduleAttr schedule = evaluateSchedule();
  KernelNumerics numerics = evaluateNumerics();
  if (diagnostics.getNumErrors() != errorsBefore)
    return;

  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<StringRef> names;
  for (const Parameter *parameter : parameters)
    names.push_back(parameter->name.text);
  Location loc = getLoc(kernel.name.place);
  auto kernelOp = tile::KernelOp::create(
      builder, loc, builder.getStringAttr(kernel.name.text),
      builder.getStrArrayAttr(names), builder.getArrayAttr(axes), schedule);
  if (!numerics.foldExp2)
    kernelOp->setAttr(tile::kNoFoldExp2AttrName, builder.getUnitAttr());
  if (!numerics.contract)
    kernelOp->setAttr(tile::kNoContractAttrName, builder.getUnitAttr());
  if (!numerics.lazyRescale)
    kernelOp->setAttr(tile::kNoLazyRescaleAttrName, builder.getUnitAttr());
  for (Attribute axis : axes)
    types.push_back(cast<tile::AxisAttr>(axis).getArgumentType());
  entry = &kernelOp.getBody().emplaceBlock();
  for (auto [i, type] : llvm::enumerate(types)) {
    SourcePlace place = i < parameters.size()
                            ? parameters[i]->name.place
                            : kernel.axes[i - parameters.size()].name.place;
    entry->addArgument(type, getLoc(place));
  }
  lastAtTop = nullptr;
  constants.clear();
  wholeRanges.clear();
  builder.setInsertionPointToEnd(entry);
  declareParameters(kernelOp);
  genStatements(kernel.body);
  tile::ReturnOp::create(builder, loc);

  // Products took the operands of these.
  kernelOp.walk([](tile::TransposeOp op) {
    if (op.use_empty())
      op.erase();
  });
  if (diagnostics.getNumErrors() == errorsBefore)
    maskPositions(kernelOp);
}

//===----------------------------------------------------------------------===//
// Places and errors
//===----------------------------------------------------------------------===//

Location KernelGenerator::getLoc(SourcePlace place) const {
  Location loc = diagnostics.getLoc(place);
  return calls.empty() ? loc : CallSiteLoc::get(loc, calls.back().loc);
}

InFlightDiagnostic KernelGenerator::error(SourcePlace place) {
  InFlightDiagnostic diagnostic = diagnostics.error(place);
  noteCalls(diagnostic);
  return diagnostic;
}

Diagnostic &KernelGenerator::note(InFlightDiagnostic &diagnostic,
                                  SourcePlace place) const {
  return diagnostic.attachNote(diagnostics.getLoc(place));
}

void KernelGenerator::noteDeclaration(InFlightDiagnostic &diagnostic,
                                      const Symbol &symbol) const {
  note(diagnostic, symbol.place)
      << "`" << symbol.name << "` is declared here as " << symbol.describe();
}

//===----------------------------------------------------------------------===//
// Names
//===----------------------------------------------------------------------===//

Symbol *KernelGenerator::declare(Symbol::Kind kind, Name name, Entity entity) {
  if (isReservedTypeName(name.text)) {
    error(name.place) << "`" << name.text
                      << "` is the name of a type; choose another name";
    return nullptr;
  }
  if (Symbol *other = scopes.lookup(name.text)) {
    auto diagnostic = error(name.place);
    diagnostic << "`" << name.text
               << "` is declared already; a name means one thing, and none may "
                  "hide another";
    noteDeclaration(diagnostic, *other);
    return nullptr;
  }
  if (options.observer) {
    bool isSize = kind == Symbol::Kind::Size;
    options.observer->declare({name.text, name.place.line, name.place.column,
                               isSize ? "int" : entity.getTypeText(),
                               entity.getDimensionText()});
  }
  return scopes.declare({kind, name.text, name.place, std::move(entity)});
}

void KernelGenerator::reportUnknownName(SourcePlace place, StringRef name) {
  // In the body sizes are values; before it only the launch knows them.
  if (sizePlaces.contains(name) && !scopes.isHidden(name)) {
    error(place) << "the size `" << name
                 << "` is known at launch only, expected a value that is known "
                    "at compile time; make that a compile-time parameter, as "
                    "in `kernel k<B: int = 64>(…)`";
    return;
  }
  // Scalar parameters are unknown as well, where the signature uses them.
  if (scalarParameters.contains(name) && !scopes.isHidden(name)) {
    error(place) << "the parameter `" << name
                 << "` is known at launch only, expected a value that is known "
                    "at compile time; make it a compile-time parameter, as in "
                    "`kernel k<"
                 << name << ": int = 64>(…)`";
    return;
  }
  auto diagnostic = error(place);
  diagnostic << "unknown name `" << name << "`";
  if (const SourcePlace *declared = scopes.findEnded(name)) {
    diagnostic << "; the block that declares it has ended";
    diagnostic.attachNote(diagnostics.getLoc(*declared))
        << "`" << name << "` is declared here";
    return;
  }
  if (scopes.isHidden(name)) {
    diagnostic.attachNote(diagnostics.getLoc(place))
        << "a fn sees its own parameters only; pass `" << name
        << "` as an argument";
    return;
  }
  for (const Parameter *parameter : absentParameters)
    if (parameter->name.text == name) {
      diagnostic << "; its condition as a parameter is false here, so use it "
                    "inside of a compile-time `if`";
      note(diagnostic, parameter->condition->place)
          << "`" << name << "` is a parameter only if this holds";
      return;
    }
  if (StringRef hint = findForeignName(name); !hint.empty()) {
    diagnostic << "; " << hint;
    return;
  }
  if (getBuiltins().contains(name) || fns.contains(name)) {
    diagnostic << "; a function is called: `" << name << "(…)`";
    return;
  }
  StringRef nearest = findNearestName(name, scopes.getNames());
  // In a kernel without a grid, `n` is not a misspelled size `N`.
  Symbol *near = nearest.empty() ? nullptr : scopes.lookup(nearest);
  if (kernel.axes.empty() && calls.empty() &&
      (!near || near->kind == Symbol::Kind::Size)) {
    diagnostic << "; the kernel has no `grid`, which names the ranges of one "
                  "program: `grid (n in tiles(N, 64))` before the `{`";
    return;
  }
  if (near)
    diagnostic << "; did you mean `" << nearest << "`?";
}

void KernelGenerator::reportUndeclared(const AssignStmt &stmt,
                                       const NameExpr &target) {
  SmallVector<StringRef> vars;
  for (Symbol *var : scopes.getVars())
    vars.push_back(var->name);
  StringRef nearest = findNearestName(target.name, vars);
  if (scopes.findEnded(target.name) || scopes.isHidden(target.name) ||
      !findForeignName(target.name).empty())
    return reportUnknownName(target.place, target.name);
  auto diagnostic = error(target.place);
  diagnostic << "unknown name `" << target.name << "`; ";
  if (!nearest.empty())
    diagnostic << "did you mean `" << nearest << "`? If it is new, ";
  if (stmt.op == TokenKind::Equal)
    diagnostic << "declare it by `let " << target.name
               << " = …;`, or by `var` if it changes";
  else
    diagnostic << "declare it before by `var " << target.name << " = …;`";
}
