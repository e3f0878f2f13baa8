//===- AST.h - The syntax tree of a source file -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The syntax tree, before name resolution: names are text, and types are
// expressions (`f32[BM, BN]` is an index of the name `f32`). Their meaning
// depends on compile-time parameters. Nodes are plain structs owned by the
// Program and point to each other freely. The source text outlives them.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_AST_H
#define TESSERA_FRONTEND_AST_H

#include "Token.h"

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/Casting.h"

#include <memory>
#include <string>
#include <vector>

namespace tessera::frontend {

/// A name and its place in the source.
struct Name {
  llvm::StringRef text;
  SourcePlace place;
};

//===----------------------------------------------------------------------===//
// Expressions
//===----------------------------------------------------------------------===//

enum class ExprKind : uint8_t {
  Integer,
  Unsigned,
  Float,
  Bool,
  String,
  Name,
  Unary,
  Binary,
  Cast,
  Index,
  Member,
  Call,
  If
};

struct Node {
  virtual ~Node() = default;
};

struct Expr : Node {
  Expr(ExprKind kind, SourcePlace place) : kind(kind), place(place) {}

  ExprKind kind;
  /// The place in diagnostics: the operator or the first token.
  SourcePlace place;
  /// The height of the tree below, bounded by the parser.
  unsigned height = 1;
};

template <ExprKind Kind>
struct ExprOf : Expr {
  explicit ExprOf(SourcePlace place) : Expr(Kind, place) {}
  static bool classof(const Expr *expr) { return expr->kind == Kind; }
};

struct IntegerExpr : ExprOf<ExprKind::Integer> {
  using ExprOf::ExprOf;
  int64_t value = 0;
};

/// A literal of 2^63 and more, which only u64 represents.
struct UnsignedExpr : ExprOf<ExprKind::Unsigned> {
  using ExprOf::ExprOf;
  uint64_t value = 0;
};

struct FloatExpr : ExprOf<ExprKind::Float> {
  using ExprOf::ExprOf;
  double value = 0;
};

struct BoolExpr : ExprOf<ExprKind::Bool> {
  using ExprOf::ExprOf;
  bool value = false;
};

/// An argument of a function that takes text, such as `print`.
struct StringExpr : ExprOf<ExprKind::String> {
  using ExprOf::ExprOf;
  std::string text;
};

struct NameExpr : ExprOf<ExprKind::Name> {
  using ExprOf::ExprOf;
  llvm::StringRef name;
};

struct UnaryExpr : ExprOf<ExprKind::Unary> {
  using ExprOf::ExprOf;
  TokenKind op = TokenKind::Minus;
  Expr *operand = nullptr;
};

struct BinaryExpr : ExprOf<ExprKind::Binary> {
  using ExprOf::ExprOf;
  TokenKind op = TokenKind::Plus;
  Expr *lhs = nullptr;
  Expr *rhs = nullptr;
};

/// `operand as type`.
struct CastExpr : ExprOf<ExprKind::Cast> {
  using ExprOf::ExprOf;
  Expr *operand = nullptr;
  Expr *type = nullptr;
};

/// One entry between the brackets of an index.
struct IndexItem {
  enum class Kind : uint8_t { Value, Whole, Part, NewDimension, Any };
  /// `e`, `:`, `a:b`, `_` or `..`.
  Kind kind = Kind::Value;
  SourcePlace place;
  Expr *value = nullptr;
  /// The number of the list `(e, e, …)` of paired positions to which the item
  /// belongs, from 1 on; 0 outside of lists.
  unsigned list = 0;
  /// The bounds of a part; null if absent.
  Expr *low = nullptr, *high = nullptr;
};

/// `base[items]`: a load, a new dimension, or a tile type.
struct IndexExpr : ExprOf<ExprKind::Index> {
  using ExprOf::ExprOf;
  Expr *base = nullptr;
  llvm::SmallVector<IndexItem, 4> items;
};

/// `base.name`.
struct MemberExpr : ExprOf<ExprKind::Member> {
  using ExprOf::ExprOf;
  Expr *base = nullptr;
  Name name;
};

/// An argument of a call: `value`, `name = value`, or `part = value of whole`.
struct Argument {
  Name name;
  Expr *value = nullptr;
  Expr *whole = nullptr;
};

struct CallExpr : ExprOf<ExprKind::Call> {
  using ExprOf::ExprOf;
  Name callee;
  llvm::SmallVector<Argument, 3> arguments;
};

struct Stmt;

/// A block that yields a value: `let` statements and an expression.
struct ValueBlock {
  llvm::SmallVector<Stmt *, 1> lets;
  Expr *value = nullptr;
};

struct IfExpr : ExprOf<ExprKind::If> {
  using ExprOf::ExprOf;
  Expr *condition = nullptr;
  ValueBlock thenBlock;
  ValueBlock elseBlock;
};

//===----------------------------------------------------------------------===//
// Statements
//===----------------------------------------------------------------------===//

enum class StmtKind : uint8_t {
  Declare,
  Assign,
  For,
  Break,
  If,
  Assert,
  Check,
  Call,
  Return
};

struct Stmt : Node {
  Stmt(StmtKind kind, SourcePlace place) : kind(kind), place(place) {}

  StmtKind kind;
  SourcePlace place;
};

using StmtList = std::vector<Stmt *>;

template <StmtKind Kind>
struct StmtOf : Stmt {
  explicit StmtOf(SourcePlace place) : Stmt(Kind, place) {}
  static bool classof(const Stmt *stmt) { return stmt->kind == Kind; }
};

/// `let name = value;` and `var name = value;`. Several names take the values
/// of one call.
struct DeclareStmt : StmtOf<StmtKind::Declare> {
  using StmtOf::StmtOf;
  llvm::SmallVector<Name, 1> names;
  Expr *value = nullptr;
  bool isVar = false;
};

/// `target = value;`, or with `op`, `target op= value;`.
struct AssignStmt : StmtOf<StmtKind::Assign> {
  using StmtOf::StmtOf;
  Expr *target = nullptr;
  /// Equal, or the operator of a compound assignment: Plus, Minus, Star, Slash.
  TokenKind op = TokenKind::Equal;
  Expr *value = nullptr;
};

/// `break;`, which the parser replaces in a loop (Breaks.cpp).
using BreakStmt = StmtOf<StmtKind::Break>;

/// `for name in domain { body }`, and `while condition { body }` without a name
/// and a domain. The parser makes the condition a branch of the body
/// (Breaks.cpp).
struct ForStmt : StmtOf<StmtKind::For> {
  using StmtOf::StmtOf;
  Name name;
  Expr *domain = nullptr;
  StmtList body;
  /// The name of a `var` that is true until a `break` ends the loop; empty if
  /// there is none. No source can declare the name.
  std::string runs;
};

struct IfStmt : StmtOf<StmtKind::If> {
  using StmtOf::StmtOf;
  Expr *condition = nullptr;
  StmtList thenBody;
  StmtList elseBody;
  /// Whether the condition is that of a `while`.
  bool isWhile = false;
};

struct AssertStmt : StmtOf<StmtKind::Assert> {
  using StmtOf::StmtOf;
  Expr *condition = nullptr;
  std::string message;
};

/// `check condition, "message";`, at run time.
struct CheckStmt : StmtOf<StmtKind::Check> {
  using StmtOf::StmtOf;
  Expr *condition = nullptr;
  std::string message;
};

/// An expression for its effect: `atomic_add(…);`, `barrier();`, a fn that
/// stores.
struct CallStmt : StmtOf<StmtKind::Call> {
  using StmtOf::StmtOf;
  Expr *call = nullptr;
};

struct ReturnStmt : StmtOf<StmtKind::Return> {
  using StmtOf::StmtOf;
  llvm::SmallVector<Expr *, 1> values;
};

//===----------------------------------------------------------------------===//
// Declarations
//===----------------------------------------------------------------------===//

/// `name: type in {candidates} = value` between `<` and `>`.
struct CompileTimeParameter {
  Name name;
  Name type;
  /// The values that are worth considering; empty without `in`.
  std::vector<Expr *> candidates;
  /// Their text in the source, with the braces.
  llvm::StringRef candidatesText;
  Expr *value = nullptr;
  /// The text of the value in the source.
  llvm::StringRef valueText;
};

/// A parameter of a kernel or a fn.
struct Parameter {
  enum class Access : uint8_t { In, Out, InOut };
  Access access = Access::In;
  Name name;
  /// Null for a parameter of a fn without a type, which takes any argument.
  Expr *type = nullptr;
  /// Null for an unconditional parameter.
  Expr *condition = nullptr;
  /// The text of the condition in the source.
  llvm::StringRef conditionText;
};

/// `name in domain` of a grid.
struct Axis {
  Name name;
  Expr *domain = nullptr;
};

/// `name`, `name = value` or `name = (values)` of `schedule` or `numerics`.
struct ClauseEntry {
  Name name;
  llvm::SmallVector<Expr *, 2> values;
  bool isTuple = false;
};

/// `use "path" (names);`.
struct UseDecl {
  /// The place of the path.
  SourcePlace place;
  std::string path;
  llvm::SmallVector<Name, 2> names;
};

class Program;

struct KernelDecl : Node {
  Name name;
  /// The file that declares it.
  const Program *file = nullptr;
  std::vector<CompileTimeParameter> compileTimeParameters;
  std::vector<Parameter> parameters;
  std::vector<Axis> axes;
  std::vector<ClauseEntry> schedule;
  std::vector<ClauseEntry> numerics;
  /// The place of `schedule`; line 0 if there is none.
  SourcePlace schedulePlace{0, 0};
  StmtList body;
};

struct FnDecl;

/// The fns that a file sees, by the names that it calls them.
using FnTable = llvm::StringMap<FnDecl *>;

struct FnDecl : Node {
  Name name;
  std::vector<Parameter> parameters;
  StmtList body;
  /// The place of the closing brace.
  SourcePlace end;
  /// The fns that the body may call: those that its file sees.
  const FnTable *visibleFns = nullptr;
};

/// A source file.
class Program {
public:
  template <typename T, typename... Args>
  T *create(Args &&...args) {
    auto node = std::make_unique<T>(std::forward<Args>(args)...);
    T *result = node.get();
    nodes.push_back(std::move(node));
    return result;
  }

  std::vector<UseDecl> uses;
  std::vector<KernelDecl *> kernels;
  std::vector<FnDecl *> fns;

private:
  std::vector<std::unique_ptr<Node>> nodes;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_AST_H
