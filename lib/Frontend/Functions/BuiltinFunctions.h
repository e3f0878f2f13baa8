//===- BuiltinFunctions.h - Calls of built-in functions ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table of built-in functions is in BuiltinFunctions.cpp.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_BUILTINFUNCTIONS_H
#define TESSERA_FRONTEND_BUILTINFUNCTIONS_H

#include "Arguments.h"
#include "Expressions/AccessGenerator.h"
#include "Expressions/Operators.h"

namespace tessera::frontend {

class BuiltinFunctions : KernelPart {
public:
  BuiltinFunctions(KernelContext &context, TreeWalk &walk, EntryValues &values,
                   Conversions &conversions, Operators &operators,
                   AccessGenerator &accesses)
      : KernelPart(context), walk(walk), values(values),
        conversions(conversions), operators(operators), accesses(accesses) {}

  static bool contains(StringRef name) { return getTable().contains(name); }
  /// Returns the names of all built-in functions in alphabetical order.
  static std::vector<StringRef> getNames();

  /// Checks whether the function is an atomic operation.
  static bool isAtomic(StringRef name) {
    return contains(name) && name.starts_with("atomic_");
  }

  /// Generates the call of a built-in function, which `call` must name.
  Entity genCall(const CallExpr &call);
  /// Generates the call of an atomic operation without its result.
  void genAtomicStatement(const CallExpr &call);

private:
  using Handler = Entity (BuiltinFunctions::*)(const CallExpr &);
  static const llvm::StringMap<Handler> &getTable();

  // ElementwiseFunctions.cpp
  Entity genElementwise(const CallExpr &call);
  Entity genExtremum(const CallExpr &call);
  Entity genWhere(const CallExpr &call);
  Entity genFma(const CallExpr &call);
  Entity genBits(const CallExpr &call);
  Entity genMulhi(const CallExpr &call);

  // AsmFunction.cpp
  Entity genAsm(const CallExpr &call);
  /// Generates an operand of `asm`.
  Entity genAsmOperand(const Argument &argument);

  // NumericFunctions.cpp
  /// Generates calls of `atan2`, `copysign`, `fmod` and `pow`.
  Entity genOfTwo(const CallExpr &call);
  Entity genSign(const CallExpr &call);
  /// Generates calls of `isnan`, `isinf` and `isfinite`.
  Entity genFloatTest(const CallExpr &call);
  Entity genFloatArgument(const CallExpr &call);
  /// Checks whether the function exists for the type of the operand: few do for
  /// f64.
  bool checkFunctionOfF64(const Entity &operand, StringRef name,
                          SourcePlace place);

  // TileFunctions.cpp
  Entity genZeros(const CallExpr &call);
  Entity genFull(const CallExpr &call);
  Entity genIota(const CallExpr &call);
  Entity genSum(const CallExpr &call);
  Entity genCumsum(const CallExpr &call);
  /// Returns the tile type that an argument denotes; null after an error.
  RankedTensorType evaluateMadeType(const CallExpr &call, const Expr *expr);
  Entity reduce(tile::ReduceKind kind, const Entity &source, const Expr *axis,
                SourcePlace place);
  /// Returns the tile that a sum adds up: small integers as i32.
  Value getSummed(const Entity &source, SourcePlace place);
  /// Inverts the highest bits of the elements.
  Value flipSign(Value tile, SourcePlace place);
  bool checkReduced(const Entity &source, SourcePlace place, StringRef what);
  std::optional<int64_t> evaluateAxis(const Expr *axis, const Entity &source,
                                      StringRef what);

  // ShapeFunctions.cpp
  Entity genReshape(const CallExpr &call);
  /// Reports an extent -1 in `shape`, which other languages infer.
  void reportInferred(const Entity &source, ArrayRef<int64_t> shape,
                      const CallExpr &call);
  Entity genPermute(const CallExpr &call);
  Entity genBroadcast(const CallExpr &call);
  Entity genFlip(const CallExpr &call);
  Entity genSplit(const CallExpr &call);
  Entity genJoin(const CallExpr &call);
  Entity genConcat(const CallExpr &call);
  Entity genShaped(const CallExpr &call, StringRef each,
                   SmallVectorImpl<int64_t> &numbers);
  bool genJoined(ArrayRef<const Argument *> arguments, StringRef what,
                 SmallVectorImpl<Entity> &sources);
  SmallVector<int64_t> findJoinedShape(ArrayRef<Entity> sources, int64_t axis,
                                       SourcePlace place, AxisNames &names);
  /// Joins tiles along `axis` to a tile of `shape`.
  Entity concat(ArrayRef<Entity> sources, int64_t axis, ArrayRef<int64_t> shape,
                SourcePlace place);

  // SortFunctions.cpp
  /// Generates calls of `sort`, `argsort` and `top`.
  Entity genSorted(const CallExpr &call);
  /// Generates integers of the order of the elements, of at least 32 bits.
  Value makeKeys(const Entity &source, bool isDescending, SourcePlace place);
  /// The inverse of `makeKeys`.
  Value makeElements(Value keys, Type element, bool isDescending,
                     SourcePlace place);
  Value moveAxis(Value tile, int64_t from, int64_t to, SourcePlace place);

  // CombineFunctions.cpp
  /// A reduction or a scan by a function of two groups of elements.
  struct Combination {
    StringRef name;
    bool isScan = false;
    int64_t axis = 0;
    bool isReverse = false;
    /// Emits the combined elements; nothing after an error.
    std::function<std::optional<SmallVector<Value>>(ArrayRef<Entity>)> emit;
  };
  /// Generates calls of `reduce` and `scan`.
  Entity genCombined(const CallExpr &call);
  /// Generates calls of `argmax`, `argmin`, `any`, `all`, `prod`, `cumprod`,
  /// `cummax` and `cummin`.
  Entity genWhole(const CallExpr &call);
  /// Generates the positions of maxima or minima.
  Entity genPosition(const Entity &source, Combination combination, bool isMax,
                     SourcePlace place);
  Entity combine(ArrayRef<Entity> sources, const Combination &combination,
                 SourcePlace place);
  /// Returns the fn that `expr` names, or null after an error.
  const FnDecl *findCombiner(const Expr *expr, bool isScan);
  bool makeSources(ArrayRef<const Argument *> arguments, const CallExpr &call,
                   StringRef what, SmallVectorImpl<Entity> &sources);
  /// Emits the body of `fn` for the elements of both parts. Errors of its
  /// interface show a declaration of `fn` that is valid.
  std::optional<SmallVector<Value>>
  emitCombiner(const FnDecl &fn, ArrayRef<Entity> elements, SourcePlace place);
  /// Makes `region` independent of values outside. Reports an operation that
  /// the function `name` must not have, and returns false.
  bool finishCombiner(Region &region, SourcePlace place, StringRef name);

  // MemoryFunctions.cpp
  Entity genLoad(const CallExpr &call);
  Entity genAtomic(const CallExpr &call);
  Entity genAtomicCall(const CallExpr &call, bool wantsOld);
  /// Returns the order of an atomic operation; relaxed without an argument.
  std::optional<tile::AtomicOrder> evaluateOrder(const Argument *argument);
  bool checkAtomicElement(const CallExpr &call, tile::AtomicKind kind,
                          Type element);
  Entity genBarrier(const CallExpr &call);

  // PrintFunction.cpp
  Entity genPrint(const CallExpr &call);

  // RangeFunctions.cpp
  Entity genTileRange(const CallExpr &call);
  /// Reports `tiles` or `range` outside of a loop.
  Entity genMisplacedDomain(const CallExpr &call);

  TreeWalk &walk;
  EntryValues &values;
  Conversions &conversions;
  Operators &operators;
  AccessGenerator &accesses;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_BUILTINFUNCTIONS_H
