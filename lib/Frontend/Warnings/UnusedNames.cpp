//===- UnusedNames.cpp - Names that nothing reads ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A walk over the syntax tree, with the scopes of the source. The tree contains
// branches that compile-time parameters exclude, so a name that only such a
// branch reads is used. An assignment to a `var` does not read it. A name that
// begins with `_` is unused on purpose, and so may be a loop variable, since a
// loop also repeats.
//
//===----------------------------------------------------------------------===//

#include "UnusedNames.h"

#include "tessera/Frontend/Vocabulary.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SetVector.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;
using namespace tessera::frontend;

namespace {
/// A declared name.
struct Declaration {
  Name name;
  StringRef kind;
  bool isUsed = false;
  /// Callers of the kernel give it by name.
  bool isPublic = false;
  /// A name of one of several values, which its statement needs.
  bool isOneOfSeveral = false;
};

/// Finds the unused names of a kernel or a fn, and the names that it uses and
/// does not declare.
class NameUses {
public:
  void visit(const KernelDecl &kernel);
  void visit(const FnDecl &fn);

  SmallVector<Declaration> declarations;
  /// Functions, types, and unknown names, each at its first use.
  llvm::MapVector<StringRef, SourcePlace> undeclared;

private:
  void declare(Name name, StringRef kind);
  void read(const Expr *expr);
  void read(const ValueBlock &block);
  void visit(const StmtList &statements);
  void visit(const Stmt *stmt);
  void visit(const AssignStmt &stmt);
  /// Ends the scopes of names that were declared after the first `count`.
  void endScope(size_t count);

  /// Indices in `declarations`.
  llvm::StringMap<size_t> visible;
  SmallVector<StringRef> order;
};
} // namespace

void NameUses::declare(Name name, StringRef kind) {
  visible[name.text] = declarations.size();
  order.push_back(name.text);
  declarations.push_back({name, kind, /*isUsed=*/name.text.starts_with("_"),
                          /*isPublic=*/false});
}

void NameUses::endScope(size_t count) {
  while (order.size() > count)
    visible.erase(order.pop_back_val());
}

void NameUses::read(const ValueBlock &block) {
  size_t before = order.size();
  for (const Stmt *let : block.lets)
    visit(let);
  read(block.value);
  endScope(before);
}

void NameUses::read(const Expr *expr) {
  if (!expr)
    return;
  switch (expr->kind) {
  case ExprKind::Integer:
  case ExprKind::Unsigned:
  case ExprKind::Float:
  case ExprKind::Bool:
  case ExprKind::String:
    return;
  case ExprKind::Name: {
    auto it = visible.find(cast<NameExpr>(expr)->name);
    if (it != visible.end())
      declarations[it->second].isUsed = true;
    else // An argument may be a fn: `reduce(x, axis = 0, with = merge)`.
      undeclared.insert({cast<NameExpr>(expr)->name, expr->place});
    return;
  }
  case ExprKind::Unary:
    return read(cast<UnaryExpr>(expr)->operand);
  case ExprKind::Binary:
    read(cast<BinaryExpr>(expr)->lhs);
    return read(cast<BinaryExpr>(expr)->rhs);
  case ExprKind::Cast:
    read(cast<CastExpr>(expr)->operand);
    return read(cast<CastExpr>(expr)->type);
  case ExprKind::Index:
    read(cast<IndexExpr>(expr)->base);
    for (const IndexItem &item : cast<IndexExpr>(expr)->items) {
      read(item.value);
      read(item.low);
      read(item.high);
    }
    return;
  case ExprKind::Member:
    return read(cast<MemberExpr>(expr)->base);
  case ExprKind::Call:
    // A parameter of a fn may be a function.
    if (auto it = visible.find(cast<CallExpr>(expr)->callee.text);
        it != visible.end() && declarations[it->second].kind == "parameter")
      declarations[it->second].isUsed = true;
    else
      undeclared.insert({cast<CallExpr>(expr)->callee.text,
                         cast<CallExpr>(expr)->callee.place});
    for (const Argument &argument : cast<CallExpr>(expr)->arguments) {
      read(argument.value);
      read(argument.whole);
    }
    return;
  case ExprKind::If:
    read(cast<IfExpr>(expr)->condition);
    read(cast<IfExpr>(expr)->thenBlock);
    return read(cast<IfExpr>(expr)->elseBlock);
  }
}

void NameUses::visit(const StmtList &statements) {
  size_t before = order.size();
  for (const Stmt *stmt : statements)
    visit(stmt);
  endScope(before);
}

void NameUses::visit(const AssignStmt &stmt) {
  read(stmt.value);
  auto *name = dyn_cast<NameExpr>(stmt.target);
  if (!name)
    read(stmt.target);
  else if (!visible.contains(name->name))
    undeclared.insert({name->name, name->place});
}

void NameUses::visit(const Stmt *stmt) {
  switch (stmt->kind) {
  case StmtKind::Declare: {
    auto *declaration = cast<DeclareStmt>(stmt);
    read(declaration->value);
    for (const Name &name : declaration->names) {
      declare(name, declaration->isVar ? "`var`" : "`let`");
      declarations.back().isOneOfSeveral = declaration->names.size() > 1;
    }
    return;
  }
  case StmtKind::Assign:
    return visit(*cast<AssignStmt>(stmt));
  case StmtKind::For: {
    auto *loop = cast<ForStmt>(stmt);
    read(loop->domain);
    size_t before = order.size();
    if (loop->domain) {
      declare(loop->name, "loop variable");
      declarations.back().isUsed = true;
    }
    visit(loop->body);
    return endScope(before);
  }
  case StmtKind::If:
    read(cast<IfStmt>(stmt)->condition);
    visit(cast<IfStmt>(stmt)->thenBody);
    return visit(cast<IfStmt>(stmt)->elseBody);
  case StmtKind::Assert:
    return read(cast<AssertStmt>(stmt)->condition);
  case StmtKind::Check:
    return read(cast<CheckStmt>(stmt)->condition);
  case StmtKind::Call:
    return read(cast<CallStmt>(stmt)->call);
  case StmtKind::Return:
    for (const Expr *value : cast<ReturnStmt>(stmt)->values)
      read(value);
    return;
  case StmtKind::Break:
    return;
  }
}

void NameUses::visit(const KernelDecl &kernel) {
  for (const CompileTimeParameter &parameter : kernel.compileTimeParameters) {
    read(parameter.value);
    llvm::for_each(parameter.candidates,
                   [&](const Expr *value) { read(value); });
    declare(parameter.name, "compile-time parameter");
    declarations.back().isPublic = true;
  }
  // Dimensions may refer to parameters that follow.
  for (const Parameter &parameter : kernel.parameters) {
    declare(parameter.name, "parameter");
    declarations.back().isPublic = true;
  }
  for (const Parameter &parameter : kernel.parameters) {
    read(parameter.type);
    read(parameter.condition);
  }
  for (const Axis &axis : kernel.axes)
    read(axis.domain);
  for (const Axis &axis : kernel.axes)
    declare(axis.name, "axis");
  for (const auto &clause : {kernel.schedule, kernel.numerics})
    for (const ClauseEntry &entry : clause)
      llvm::for_each(entry.values, [&](const Expr *value) { read(value); });
  visit(kernel.body);
}

void NameUses::visit(const FnDecl &fn) {
  for (const Parameter &parameter : fn.parameters) {
    read(parameter.type);
    declare(parameter.name, "parameter");
  }
  visit(fn.body);
}

/// Warnings for one file. More of them hide other diagnostics.
static constexpr size_t kMaxWarnings = 16;

static void warn(const Declaration &unused, Diagnostics &diagnostics) {
  if (!diagnostics.isFirstWarning(unused.name.place))
    return;
  StringRef name = unused.name.text;
  InFlightDiagnostic diagnostic =
      mlir::emitWarning(diagnostics.getLoc(unused.name.place));
  diagnostic << "the " << unused.kind << " `" << name << "` is never "
             << (unused.kind == "fn" ? "called" : "used") << " [unused-name]";
  Diagnostic &note =
      diagnostic.attachNote(diagnostics.getLoc(unused.name.place));
  if (unused.isPublic)
    note << "remove it, or write `let _" << name << " = " << name
         << ";` to keep it in the interface";
  else if (unused.isOneOfSeveral)
    note << "each of these values has a name; call it `_" << name << "`";
  else
    note << "remove it, or call it `_" << name << "` to keep it";
}

void tessera::frontend::warnOfUnusedNames(const Program &program,
                                          ArrayRef<KernelDecl *> kernels,
                                          Diagnostics &diagnostics) {
  llvm::StringMap<const FnDecl *> fns;
  for (const FnDecl *fn : program.fns)
    fns[fn->name.text] = fn;
  llvm::SetVector<const FnDecl *> called, compiled;
  SmallVector<Declaration> unused;
  auto visit = [&](const auto &owner, bool isCompiled) {
    NameUses uses;
    uses.visit(owner);
    for (StringRef name : llvm::make_first_range(uses.undeclared))
      if (const FnDecl *fn = fns.lookup(name)) {
        called.insert(fn);
        if (isCompiled)
          compiled.insert(fn);
      }
    llvm::copy_if(
        uses.declarations, std::back_inserter(unused),
        [&](const Declaration &name) { return isCompiled && !name.isUsed; });
  };
  for (const KernelDecl *kernel : program.kernels)
    visit(*kernel, llvm::is_contained(kernels, kernel));
  // Calls of called fns; the sets grow.
  for (size_t i = 0; i < compiled.size(); ++i)
    visit(*compiled[i], /*isCompiled=*/true);
  for (size_t i = 0; i < called.size(); ++i)
    visit(*called[i], /*isCompiled=*/false);
  // The fns of a file without kernels are for other files.
  bool isModule = program.kernels.empty();
  if (isModule)
    for (const FnDecl *fn : program.fns)
      visit(*fn, /*isCompiled=*/true);
  for (const FnDecl *fn : program.fns)
    if (!isModule && !called.contains(fn) && !fn->name.text.starts_with("_"))
      unused.push_back({fn->name, "fn", /*isUsed=*/false, /*isPublic=*/false});
  for (const Declaration &name :
       ArrayRef<Declaration>(unused).take_front(kMaxWarnings))
    warn(name, diagnostics);
}

void tessera::frontend::checkNamesOfFns(const Program &program,
                                        const FnTable &visibleFns,
                                        Diagnostics &diagnostics) {
  // Words that the types of parameters may also be.
  static constexpr StringRef kinds[] = {"float", "type"};
  for (const FnDecl *fn : program.fns) {
    NameUses uses;
    uses.visit(*fn);
    for (auto [name, place] : uses.undeclared) {
      if (isBuiltinFunction(name) || visibleFns.contains(name) ||
          llvm::is_contained(getTypeNames(), name) ||
          llvm::is_contained(kinds, name))
        continue;
      auto diagnostic = diagnostics.unknownName(place, name, fn);
      diagnostic << "unknown name `" << name << "`";
      if (StringRef hint = findForeignName(name); !hint.empty())
        diagnostic << "; " << hint;
    }
  }
}
