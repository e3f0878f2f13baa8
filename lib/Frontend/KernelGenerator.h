//===- KernelGenerator.h - Checks and generates one kernel ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Types in the language depend on compile-time parameters, so a kernel is
// checked like an instantiated template: with concrete values, in the same walk
// that generates its IR. This class is that walk; its members are spread over
// files by what they generate.
//
// - Constants, sizes and whole-dimension ranges are made once, at the top.
// - A body that may not run (of a loop, of a run-time `if`) is generated into a
//   block of its own first; which `var`s it changed is then known, and only
//   those become results of the loop or the `if`.
// - A fn is generated anew at each call, in a frame of names of its own.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_KERNELGENERATOR_H
#define TESSERA_FRONTEND_KERNELGENERATOR_H

#include "Diagnostics.h"
#include "Names/CompileTime.h"
#include "Names/Scope.h"
#include "Parser/AST.h"

#include "tessera/Frontend/Frontend.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/MapVector.h"

namespace tessera::frontend {

/// The fns of a program by name.
using FnTable = llvm::StringMap<FnDecl *>;

/// What the clause `numerics` says: what may become of formulas.
struct KernelNumerics {
  bool contract = true;
  bool foldExp2 = true;
  bool lazyRescale = true;
};

class KernelGenerator {
public:
  KernelGenerator(ModuleOp module, const FnTable &fns, Diagnostics &diagnostics,
                  const CompileOptions &options, const KernelDecl &kernel);

  void generate();

  /// Whether `name` is a built-in function, which no fn may be called.
  static bool hasBuiltin(StringRef name) {
    return getBuiltins().contains(name);
  }
  /// All of them, in alphabetical order.
  static std::vector<StringRef> getBuiltinNames();

private:
  using Kind = Entity::Kind;

  //===--------------------------------------------------------------------===//
  // Places and errors (KernelGenerator.cpp)
  //===--------------------------------------------------------------------===//

  /// The location of code at `place`: inside of a fn, with the calls around it.
  Location getLoc(SourcePlace place) const;
  /// Begins an error at `place`, with notes on the calls that lead there.
  InFlightDiagnostic error(SourcePlace place);
  /// Begins a warning at `place`; returns nothing if there was one before. Adds
  /// notes on the enclosing calls last.
  std::optional<InFlightDiagnostic> warn(SourcePlace place);
  void noteCalls(InFlightDiagnostic &diagnostic) const;
  /// Adds a note that shows `place`.
  Diagnostic &note(InFlightDiagnostic &diagnostic, SourcePlace place) const;
  /// Adds a note that says where the symbol was declared.
  void noteDeclaration(InFlightDiagnostic &diagnostic,
                       const Symbol &symbol) const;

  //===--------------------------------------------------------------------===//
  // Names (KernelGenerator.cpp)
  //===--------------------------------------------------------------------===//

  /// Declares a name, unless it is taken; an error then, and null.
  Symbol *declare(Symbol::Kind kind, Name name, Entity entity);
  void reportUnknownName(SourcePlace place, StringRef name);
  /// Reports an assignment to an undeclared name.
  void reportUndeclared(const AssignStmt &stmt, const NameExpr &target);

  //===--------------------------------------------------------------------===//
  // The signature (Signature.cpp, SizeExpressions.cpp, Clauses.cpp)
  //===--------------------------------------------------------------------===//

  bool bindCompileTimeParameters();
  Entity parseDefine(const CompileTimeParameter &parameter, StringRef text);
  Entity convertDefault(const CompileTimeParameter &parameter, Entity value);

  /// Splits the parameters into those that the kernel has and those whose
  /// conditions do not hold.
  bool chooseParameters();
  bool collectParameterTypes(SmallVectorImpl<Type> &types);
  Type evaluateParameterType(const Parameter &parameter);
  Type evaluateGlobalType(const Parameter &parameter, const IndexExpr &index);
  bool evaluateGrid(SmallVectorImpl<Attribute> &axes);
  bool checkSizesAreBound(ArrayRef<Type> types);
  void declareParameters(tile::KernelOp kernelOp);

  tile::SizeAttr evaluateSize(const Expr *expr, StringRef what);
  AffineExpr evaluateSizeExpr(const Expr *expr, StringRef what);
  AffineExpr evaluateSizeChoice(const IfExpr &expr, StringRef what);
  AffineExpr getSizeSymbol(SourcePlace place, StringRef name);

  tile::ScheduleAttr evaluateSchedule();
  KernelNumerics evaluateNumerics();

  //===--------------------------------------------------------------------===//
  // Values at the top of the kernel (Constants.cpp)
  //===--------------------------------------------------------------------===//

  Value getConstant(TypedAttr value, SourcePlace place);
  Value getIndexConstant(int64_t value, SourcePlace place);
  Value getSize(StringRef name, SourcePlace place);
  /// The range over a whole dimension of known extent.
  Value getWholeRange(int64_t extent, SourcePlace place);
  /// The constant that a compile-time value is as an `element`, repeated to
  /// `shape` if there is one. Null, after an error, if it does not fit.
  Value getNumber(const Entity &number, Type element,
                  std::optional<ArrayRef<int64_t>> shape, SourcePlace place);
  TypedAttr getNumberAttr(const Entity &number, Type element,
                          SourcePlace place);

  //===--------------------------------------------------------------------===//
  // Types and conversion (Types.cpp, Conversions.cpp, Casts.cpp)
  //===--------------------------------------------------------------------===//

  /// A tile type; null, after an error, if it is too large.
  RankedTensorType getTileType(ArrayRef<int64_t> shape, Type element,
                               SourcePlace place);
  /// The type that an expression denotes; null after an error.
  Type evaluateType(const Expr *expr);
  Type evaluateTileType(const IndexExpr &index);
  /// An element type of tiles, not `int`; null after an error.
  Type evaluateElementType(const Expr *expr);
  bool checkElementType(Type type, SourcePlace place);

  std::optional<int64_t> evaluateInteger(const Expr *expr, StringRef what);
  std::optional<bool> evaluateBool(const Expr *expr, StringRef what);
  /// The value as an `index`, where `what` (an index, a bound) needs one.
  Value toIndex(const Entity &entity, SourcePlace place, StringRef what);
  Value genIndex(const Expr *expr, StringRef what);

  /// The element type in which the operands meet; null, after an error, if they
  /// do not. `what` names the operation: "`+`".
  Type findCommonElement(ArrayRef<Entity> operands, SourcePlace place,
                         StringRef what, bool forTile);
  /// Extends `shape` so that a tile of `other` broadcasts to it.
  bool joinShapes(SmallVectorImpl<int64_t> &shape, ArrayRef<int64_t> other);
  /// Joins the shapes of all tiles among the operands; the result has no value
  /// if there is none, and is false after an error.
  bool findCommonShape(ArrayRef<Entity> operands, SourcePlace place,
                       StringRef what,
                       std::optional<SmallVector<int64_t>> &shape);
  /// The operand as an `element`, repeated to `shape` if there is one.
  Value materialize(const Entity &operand, Type element,
                    std::optional<ArrayRef<int64_t>> shape, SourcePlace place);
  /// Checks whether all known numbers among the operands can become an
  /// `element`. Reports an error if a float would become an integer.
  bool checkFloats(ArrayRef<Entity> operands, Type element, SourcePlace place,
                   StringRef what);
  /// Brings the operands to one element type, shape and names of axes. False
  /// after an error.
  bool unify(MutableArrayRef<Entity> operands, SourcePlace place,
             StringRef what);
  /// The value where exactly `type` is needed: numbers adapt, scalars repeat.
  /// `what` says where: "the value of `acc`".
  Value coerce(const Entity &entity, Type type, SourcePlace place,
               StringRef what);

  Entity genCast(const CastExpr &cast);
  Entity castTo(const Entity &entity, Type element, SourcePlace place);
  Value castFloatToFloat(Value value, Type element, SourcePlace place);
  Value castFloatToInteger(Value value, Type element, SourcePlace place);
  Value castIntegerToFloat(Value value, Type element, SourcePlace place);
  Value castIntegerToInteger(Value value, Type element, SourcePlace place);
  Value clampFloat(Value value, double low, double high, SourcePlace place);
  /// A constant of the type of `like`, which is a scalar or a tile.
  Value getFloatLike(Value like, double value, SourcePlace place);

  //===--------------------------------------------------------------------===//
  // Statements (Statements.cpp, Branches.cpp, Loops.cpp)
  //===--------------------------------------------------------------------===//

  void genStatements(const StmtList &statements);
  void genStatement(const Stmt *stmt);
  void genDeclare(const DeclareStmt &stmt);
  void genAssign(const AssignStmt &stmt);
  void genAssignVar(const AssignStmt &stmt, const NameExpr &target);
  void genStore(const AssignStmt &stmt, const IndexExpr &target);
  void genAssert(const AssertStmt &stmt);
  void genFor(const ForStmt &stmt);
  void genIf(const IfStmt &stmt);

  /// The values of the `var`s at one point.
  using VarState = SmallVector<std::pair<Symbol *, Entity>>;
  VarState saveVars() const;
  static void restoreVars(const VarState &state);

  struct LoopDomain {
    Value lower, upper;
    int64_t step = 1;
    /// Of the range that the loop variable is; null in `range(…)`.
    tile::RangeType rangeType;
    Value limit;
  };
  bool genLoopDomain(const ForStmt &stmt, LoopDomain &domain);
  bool genTilesDomain(const CallExpr &call, LoopDomain &domain);
  bool genRangeDomain(const CallExpr &call, LoopDomain &domain);
  /// Restricts the bounds to part `part` of `parts` of the tiles.
  Value genLoopEnd(Value limit, int64_t extent, SourcePlace place);
  void genPart(LoopDomain &domain, Value part, Value parts, SourcePlace place);

  //===--------------------------------------------------------------------===//
  // Expressions (Expressions.cpp, Operators.cpp, MatrixProduct.cpp,
  // Indexing.cpp, Ranges.cpp)
  //===--------------------------------------------------------------------===//

  Entity genExpr(const Expr *expr);
  Entity genExprUnchecked(const Expr *expr);
  /// An expression that must be a value; an error if it is a tensor, a range…
  Entity genOperand(const Expr *expr, StringRef what);
  bool checkOperand(const Entity &entity, SourcePlace place, StringRef what);
  Entity genName(const NameExpr &expr);
  Entity genUnary(const UnaryExpr &expr);
  Entity genBinary(const BinaryExpr &expr);
  Entity genLogical(const BinaryExpr &expr);
  Entity genMember(const MemberExpr &expr);
  /// A condition: a known truth value or a scalar `bool`.
  Entity genCondition(const Expr *expr);
  Entity genIfExpr(const IfExpr &expr);
  Entity genValueBlock(const ValueBlock &block);

  Entity evaluateKnown(TokenKind op, const Entity &lhs, const Entity &rhs,
                       SourcePlace place);
  Entity applyBinary(TokenKind op, Entity lhs, Entity rhs, SourcePlace place);
  Entity applyArithmetic(TokenKind op, Entity lhs, Entity rhs,
                         SourcePlace place);
  Entity applyComparison(TokenKind op, Entity lhs, Entity rhs,
                         SourcePlace place);
  Entity applyExtremum(bool isMax, Entity lhs, Entity rhs, SourcePlace place);

  /// `lhs @ rhs`, added to `accumulator` if that is given.
  Entity genProduct(const BinaryExpr &expr, const Entity *accumulator);

  Entity genIndexing(const IndexExpr &expr);
  Entity genTileIndexing(const IndexExpr &expr, const Entity &base);

  /// Elements of a global tensor, before it is known what happens to them.
  struct Access {
    Value global;
    SmallVector<Value> indices;
    /// The tile or scalar type of the elements.
    Type valueType;
    SourcePlace place;
    /// How messages call the tensor.
    std::string name;
  };
  enum class Use : uint8_t { Read, Write, Add };
  std::optional<Access> genAccess(const IndexExpr &expr, Use use);
  std::optional<Access> genAccess(const IndexExpr &expr, const Entity &base,
                                  Use use);
  Value genAccessIndex(const IndexItem &item, Access &access, size_t dim,
                       SmallVectorImpl<int64_t> &shape);
  bool checkDimension(const IndexItem &item, const Access &access, size_t dim,
                      tile::RangeType range);
  bool checkUse(const Access &access, Use use);

  //===--------------------------------------------------------------------===//
  // The sizes that axes walk (AxisNames.cpp)
  //===--------------------------------------------------------------------===//

  static AxisNames getAxisNames(const Access &access);
  /// Appends the names of what combines the operands element by element, whose
  /// shapes match. False after an error: they must agree.
  bool joinAxisNames(ArrayRef<Entity> operands, SourcePlace place,
                     StringRef what, AxisNames &names);
  bool checkProductAxes(const Entity &lhs, const Entity &rhs,
                        SourcePlace place);
  bool checkStoredAxes(const Access &access, const Entity &value,
                       SourcePlace place, StringRef what);

  /// The type of a range below `limit`, which walks a dimension if `limit` is
  /// the size of one. Null after an error.
  tile::RangeType getRangeType(Value limit, const Expr *extentExpr);
  Entity shiftRange(const Entity &range, const Entity &offset,
                    SourcePlace place);
  Entity genRangeMember(const Entity &range, const MemberExpr &expr);

  //===--------------------------------------------------------------------===//
  // Calls (Calls.cpp, Fns.cpp and Builtins*.cpp)
  //===--------------------------------------------------------------------===//

  using Handler = Entity (KernelGenerator::*)(const CallExpr &);
  static const llvm::StringMap<Handler> &getBuiltins();

  /// A call as a statement or as a value.
  void genCallStatement(const CallExpr &call);
  Entity genValueCall(const CallExpr &call);
  Entity genCall(const CallExpr &call);
  Entity genFnCall(const CallExpr &call, const FnDecl &fn);
  Entity genFnBody(const FnDecl &fn);
  bool bindFnParameter(const Parameter &parameter, Entity argument,
                       SourcePlace place);
  Entity adaptArgument(const Parameter &parameter, const Entity &argument,
                       SourcePlace place);

  /// Sorts the arguments by the parameters they are for; the first `required`
  /// must be there, the others are null if absent. False after an error.
  bool matchArguments(const CallExpr &call, ArrayRef<StringRef> parameters,
                      size_t required,
                      SmallVectorImpl<const Argument *> &matched);

  Entity genElementwise(const CallExpr &call);
  Entity genExtremum(const CallExpr &call);
  Entity genWhere(const CallExpr &call);
  Entity genFma(const CallExpr &call);
  Entity genSum(const CallExpr &call);
  Entity genCumsum(const CallExpr &call);
  Entity genZeros(const CallExpr &call);
  Entity genFull(const CallExpr &call);
  Entity genIota(const CallExpr &call);
  Entity genLoad(const CallExpr &call);
  Entity genAtomicAdd(const CallExpr &call);
  Entity genBarrier(const CallExpr &call);
  /// `tiles` or `range` where no loop is.
  Entity genTileRange(const CallExpr &call);
  Entity genMisplacedDomain(const CallExpr &call);

  /// The type that `zeros` and the like are given; null after an error.
  RankedTensorType evaluateMadeType(const CallExpr &call, const Expr *expr);
  bool checkReduced(const Entity &source, SourcePlace place, StringRef what);

  Entity reduce(tile::ReduceKind kind, const Entity &source, const Expr *axis,
                SourcePlace place);
  std::optional<int64_t> evaluateAxis(const Expr *axis, const Entity &source,
                                      StringRef what);
  bool checkTile(const Entity &entity, SourcePlace place, StringRef what);

  //===--------------------------------------------------------------------===//
  // Warnings (Warnings.cpp)
  //===--------------------------------------------------------------------===//

  /// Returns the source text for the elementwise maximum or minimum with
  /// `other`.
  static std::string getElementwiseForm(bool isMax, const Entity &source,
                                        int64_t other);
  /// Warns of `max(x, 0)`, where the 0 is an axis.
  void warnOfAxis(bool isMax, const Entity &source, int64_t axis,
                  SourcePlace place);
  /// Warns if `number`, which becomes a float, is an inexact quotient of
  /// integers.
  void warnOfQuotient(const Entity &number);
  /// Warns of a function of bf16 or an 8-bit float, which has at most three
  /// digits.
  void warnOfNarrowFunction(const Entity &operand, StringRef name,
                            SourcePlace place);
  /// Warns of a sum of 8-bit integers.
  void warnOfNarrowSum(const Entity &source, StringRef name, SourcePlace place);

  //===--------------------------------------------------------------------===//
  // State
  //===--------------------------------------------------------------------===//

  /// Bounds the recursion over the syntax tree, fns included.
  static constexpr unsigned maxDepth = 400;

  /// Counts one level of that recursion while it lives.
  class Depth {
  public:
    /// Reports an error at `place` if this level is one too many.
    Depth(KernelGenerator &generator, SourcePlace place);
    ~Depth() { --generator.depth; }
    Depth(const Depth &) = delete;
    Depth &operator=(const Depth &) = delete;
    bool isAllowed() const { return generator.depth <= maxDepth; }

  private:
    KernelGenerator &generator;
  };

  /// Bounds the calls of fns that are inlined into one kernel.
  static constexpr unsigned maxInlinedCalls = 4096;

  ModuleOp module;
  MLIRContext *context;
  const FnTable &fns;
  Diagnostics &diagnostics;
  const CompileOptions &options;
  const KernelDecl &kernel;
  OpBuilder builder;
  Scopes scopes;

  /// What the kernel has and, for messages, what it has not.
  SmallVector<const Parameter *> parameters, absentParameters;
  /// The names of sizes in the order of their first use, and where that is.
  llvm::MapVector<StringRef, SourcePlace> sizePlaces;
  SmallVector<StringAttr> sizeNames;
  /// The types of scalar parameters, which dimensions may refer to.
  llvm::StringMap<Type> scalarParameters;
  /// Where tensors are declared.
  llvm::StringMap<SourcePlace> tensorPlaces;

  /// Holds what is generated before there is a kernel: only a mistaken
  /// signature has run-time values, and they must go somewhere until it is
  /// reported.
  Region scratch;
  Block *entry = nullptr;
  /// The last operation that stands at the top; null if none.
  Operation *lastAtTop = nullptr;
  llvm::DenseMap<Attribute, Value> constants;
  llvm::DenseMap<int64_t, Value> wholeRanges;

  /// An inlined call around the current code.
  struct ActiveCall {
    const FnDecl *fn;
    SourcePlace place;
    Location loc;
  };
  SmallVector<ActiveCall> calls;
  unsigned inlinedCalls = 0;
  unsigned depth = 0;
  bool reportedDepth = false;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_KERNELGENERATOR_H
