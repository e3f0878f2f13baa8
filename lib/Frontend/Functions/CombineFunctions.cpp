//===- CombineFunctions.cpp - Reductions by a function ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// `reduce` and `scan` by an associative fn of the program, and built-in
// functions that are such combinations. The fn is inlined once, on scalars: the
// elements of a left and a right part of the axis. Its body becomes the region
// of a tile.reduce_with or a tile.scan_with, without references to values
// outside: constants are copied into the region, and branches become
// selections.
//
//===----------------------------------------------------------------------===//

#include "BuiltinFunctions.h"
#include "Expressions/AxisNames.h"
#include "Expressions/Shapes.h"

#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Dialect/Tile/IR/Combiner.h"

using namespace tessera;
using namespace tessera::frontend;

//===----------------------------------------------------------------------===//
// The region
//===----------------------------------------------------------------------===//

/// Replaces `branch` by the operations of both of its blocks, and selections
/// between their results.
static void flatten(scf::IfOp branch) {
  OpBuilder builder(branch);
  for (Region *region : branch.getRegions())
    if (!region->empty())
      for (Operation &op :
           llvm::make_early_inc_range(region->front().without_terminator()))
        op.moveBefore(branch);
  for (auto [number, result] : llvm::enumerate(branch.getResults()))
    result.replaceAllUsesWith(
        arith::SelectOp::create(builder, branch.getLoc(), branch.getCondition(),
                                branch.thenYield().getOperand(number),
                                branch.elseYield().getOperand(number)));
  branch.erase();
}

/// Copies the constants that `region` uses into it.
static void copyConstants(Region &region) {
  OpBuilder builder = OpBuilder::atBlockBegin(&region.front());
  llvm::DenseMap<Value, Value> copies;
  region.walk([&](Operation *op) {
    for (OpOperand &operand : op->getOpOperands()) {
      Operation *source = operand.get().getDefiningOp();
      if (!isa_and_nonnull<arith::ConstantOp>(source) ||
          region.isAncestor(source->getParentRegion()))
        continue;
      Value &copy = copies[operand.get()];
      if (!copy)
        copy = builder.clone(*source)->getResult(0);
      operand.set(copy);
    }
  });
}

/// Describes an operation that a combiner cannot contain; empty if it can.
static StringRef describeForeign(Operation *op, Region &region) {
  if (isa<scf::ForOp, scf::WhileOp>(op))
    return "a loop";
  for (Value value : llvm::concat<Value>(SmallVector<Value>(op->getOperands()),
                                         SmallVector<Value>(op->getResults())))
    if (isa<RankedTensorType>(value.getType()))
      return "a tile";
  if (!tile::isArithmetic(op) && !isa<tile::YieldOp>(op))
    return "more than arithmetic";
  for (Value operand : op->getOperands())
    if (!region.isAncestor(operand.getParentRegion()))
      return "a value of the kernel";
  return "";
}

bool BuiltinFunctions::finishCombiner(Region &region, SourcePlace place,
                                      StringRef name) {
  SmallVector<scf::IfOp> branches;
  region.walk([&](scf::IfOp branch) { branches.push_back(branch); });
  // A walk visits inner branches first.
  for (scf::IfOp branch : branches)
    flatten(branch);
  copyConstants(region);
  for (Operation &op : region.front()) {
    StringRef foreign = describeForeign(&op, region);
    if (foreign.empty())
      continue;
    auto diagnostic = error(place);
    diagnostic << "`" << name
               << "` combines two elements by arithmetic on scalars, but it "
                  "has "
               << foreign;
    diagnostic.attachNote(op.getLoc()) << "here";
    return false;
  }
  return true;
}

//===----------------------------------------------------------------------===//
// The operation
//===----------------------------------------------------------------------===//

Entity BuiltinFunctions::combine(ArrayRef<Entity> sources,
                                 const Combination &combination,
                                 SourcePlace place) {
  Location loc = getLoc(place);
  AxisNames names;
  if (!joinAxisNames(context, sources, place, "the operands", names))
    return Entity();
  SmallVector<Value> tiles;
  SmallVector<Type> types, elements;
  for (const Entity &source : sources) {
    tiles.push_back(source.getValue());
    elements.push_back(source.getElementType());
    SmallVector<int64_t> shape(source.getShape());
    if (!combination.isScan)
      shape.erase(shape.begin() + combination.axis);
    types.push_back(RankedTensorType::get(shape, elements.back()));
  }
  Operation *op =
      combination.isScan
          ? tile::ScanWithOp::create(builder, loc, types, tiles,
                                     combination.axis, combination.isReverse)
          : tile::ReduceWithOp::create(builder, loc, types, tiles,
                                       combination.axis)
                .getOperation();
  Block &block = op->getRegion(0).emplaceBlock();
  SmallVector<Entity> arguments;
  for (unsigned part = 0; part < 2; ++part)
    for (Type element : elements)
      arguments.push_back(Entity::runtime(block.addArgument(element, loc)));
  {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(&block);
    std::optional<SmallVector<Value>> results = combination.emit(arguments);
    if (results)
      tile::YieldOp::create(builder, loc, *results);
    if (!results ||
        !finishCombiner(op->getRegion(0), place, combination.name)) {
      op->erase();
      return Entity();
    }
  }
  std::vector<Entity> results;
  if (!combination.isScan && !names.empty())
    names.erase(names.begin() + combination.axis);
  for (Value result : op->getResults()) {
    // A tile of one dimension reduces to a scalar.
    bool isScalar = cast<RankedTensorType>(result.getType()).getRank() == 0;
    results.push_back(isScalar ? Entity::runtime(tensor::ExtractOp::create(
                                     builder, loc, result, ValueRange()))
                               : Entity::runtime(result).withAxisNames(names));
  }
  return results.size() == 1 ? results.front()
                             : Entity::several(std::move(results));
}

//===----------------------------------------------------------------------===//
// `reduce` and `scan`
//===----------------------------------------------------------------------===//

/// Returns how to write a reduction by the built-in function `name`.
static std::string getBuiltinReduction(StringRef name, bool isScan) {
  if (!isScan && (name == "max" || name == "min" || name == "sum"))
    return ("`" + name + "(x, axis = n)` reduces").str();
  return ("write a fn that calls it, as in `fn merge(a, b) { return " + name +
          "(a, b); }`")
      .str();
}

const FnDecl *BuiltinFunctions::findCombiner(const Expr *expr, bool isScan) {
  auto *name = dyn_cast<NameExpr>(expr);
  const FnDecl *fn = name ? context.getFns().lookup(name->name) : nullptr;
  // A parameter of a fn may be a function.
  Symbol *symbol = name ? scopes.lookup(name->name) : nullptr;
  StringRef text = name ? name->name : StringRef();
  if (symbol && symbol->entity.is(Kind::Function)) {
    fn = symbol->entity.getFn();
    text = symbol->entity.getFunctionName();
  }
  if (fn)
    return fn;
  auto diagnostic = error(expr->place);
  diagnostic << "`with` takes the name of a fn";
  if (name && contains(text))
    diagnostic << "; `" << text << "` is a built-in function; "
               << getBuiltinReduction(text, isScan);
  else if (name)
    diagnostic << ", and there is no fn `" << text
               << "`; declare one before "
                  "the kernel, as in `fn "
               << text << "(a, b) { return a + b; }`";
  return nullptr;
}

/// Returns a declaration of `fn` that combines these elements of both parts. It
/// keeps the names of the parameters if there are enough.
static std::string getCombinerDeclaration(const FnDecl &fn,
                                          ArrayRef<Entity> elements) {
  size_t count = elements.size() / 2;
  std::string text;
  llvm::raw_string_ostream os(text);
  os << "fn " << fn.name.text << "(";
  for (size_t i = 0; i < elements.size(); ++i) {
    os << (i ? ", " : "");
    if (fn.parameters.size() == elements.size())
      os << fn.parameters[i].name.text;
    else
      os << (i < count ? "a" : "b")
         << (count > 1 ? std::to_string(i % count + 1) : "");
    os << ": " << printType(elements[i].getElementType());
  }
  os << ") { return …";
  for (size_t i = 1; i < count; ++i)
    os << ", …";
  os << "; }";
  return text;
}

/// Converts the operands to tiles of one shape. Returns false after an error.
bool BuiltinFunctions::makeSources(ArrayRef<const Argument *> arguments,
                                   const CallExpr &call, StringRef what,
                                   SmallVectorImpl<Entity> &sources) {
  bool isValid = true;
  for (const Argument *argument : arguments) {
    sources.push_back(walk.genOperand(argument->value, what));
    isValid &= !sources.back().isError();
  }
  std::optional<SmallVector<int64_t>> shape;
  if (!isValid || !findCommonShape(context, sources, call.place, what, shape))
    return false;
  if (!shape)
    return conversions.checkTile(sources.front(), call.place,
                                 ("the operand of " + what).str());
  for (Entity &source : sources) {
    // A number has its type in a tile of its own.
    Type element = conversions.findCommonElement(source, call.place, what,
                                                 /*forTile=*/true);
    Value tile =
        element ? conversions.materialize(source, element,
                                          ArrayRef<int64_t>(*shape), call.place)
                : Value();
    if (!tile)
      return false;
    source = Entity::runtime(tile).withAxisNames(source.getAxisNames());
  }
  return true;
}

Entity BuiltinFunctions::genCombined(const CallExpr &call) {
  StringRef name = call.callee.text;
  std::string what = ("`" + name + "`").str();
  Combination combination;
  combination.isScan = name == "scan";
  SmallVector<const Argument *> tiles;
  const Argument *axis = nullptr, *with = nullptr, *reverse = nullptr;
  for (const Argument &argument : call.arguments) {
    if (argument.name.text.empty()) {
      tiles.push_back(&argument);
      continue;
    }
    const Argument **named =
        llvm::StringSwitch<const Argument **>(argument.name.text)
            .Case("axis", &axis)
            .Case("with", &with)
            .Case("reverse", combination.isScan ? &reverse : nullptr)
            .Default(nullptr);
    if (!named) {
      error(argument.name.place)
          << what << " has no parameter `" << argument.name.text
          << "`; it takes tiles, then `axis`, `with`"
          << (combination.isScan ? " and `reverse`" : "") << " by name";
      return Entity();
    }
    if (*named) {
      error(argument.value->place) << "the argument `" << argument.name.text
                                   << "` of " << what << " is given twice";
      return Entity();
    }
    *named = &argument;
  }
  if (tiles.empty() || !axis || !with) {
    error(call.place) << what << " needs "
                      << (tiles.empty() ? "a tile"
                          : !axis       ? "an argument `axis`"
                                        : "an argument `with`")
                      << ", as in `" << name << "(x, axis = 0, with = merge)`";
    return Entity();
  }
  SmallVector<Entity> sources;
  if (!makeSources(tiles, call, what, sources))
    return Entity();
  std::optional<int64_t> position =
      evaluateAxis(axis->value, sources.front(), what);
  std::optional<bool> isReverse = false;
  if (reverse)
    isReverse = walk.evaluateBool(reverse->value, "`reverse`");
  const FnDecl *fn = findCombiner(with->value, combination.isScan);
  if (!position || !isReverse || !fn)
    return Entity();
  combination.name = fn->name.text;
  combination.axis = *position;
  combination.isReverse = *isReverse;
  combination.emit = [&](ArrayRef<Entity> elements) {
    return emitCombiner(*fn, elements, with->value->place);
  };
  return combine(sources, combination, call.place);
}

std::optional<SmallVector<Value>>
BuiltinFunctions::emitCombiner(const FnDecl &fn, ArrayRef<Entity> elements,
                               SourcePlace place) {
  size_t count = elements.size() / 2;
  ErrorNote declaration(context, fn.name.place,
                        "for these tiles, declare it as `" +
                            getCombinerDeclaration(fn, elements) + "`");
  if (fn.parameters.size() != elements.size()) {
    error(place)
        << "`" << fn.name.text << "` has " << fn.parameters.size()
        << (fn.parameters.size() == 1 ? " parameter" : " parameters")
        << ", expected " << elements.size()
        << ": the elements of the left part, then those of the right one";
    return std::nullopt;
  }
  Entity result = walk.genInlined(fn, elements, place);
  if (result.isError())
    return std::nullopt;
  SmallVector<Entity> results = {result};
  if (result.is(Kind::Several))
    results = SmallVector<Entity>(result.getSeveral());
  if (results.size() != count || result.is(Kind::Nothing)) {
    auto diagnostic = error(place);
    diagnostic << "`" << fn.name.text << "` returns "
               << (result.is(Kind::Nothing) ? "nothing"
                   : results.size() == 1    ? "one value"
                                            : result.describe())
               << ", expected " << count << ": one for each tile";
    note(diagnostic, fn.end) << "the fn ends here";
    return std::nullopt;
  }
  SmallVector<Value> values;
  for (auto [number, value] : llvm::enumerate(results)) {
    std::string what =
        ("the value " + Twine(number + 1) + " of `" + fn.name.text + "`").str();
    values.push_back(conversions.coerce(
        value, elements[number].getElementType(), place, what));
    if (!values.back())
      return std::nullopt;
  }
  return values;
}

//===----------------------------------------------------------------------===//
// Built-in functions that are combinations
//===----------------------------------------------------------------------===//

Entity BuiltinFunctions::genWhole(const CallExpr &call) {
  StringRef name = call.callee.text;
  std::string what = ("`" + name + "`").str();
  bool isScan = name.starts_with("cum");
  SmallVector<StringRef> parameters = {"x", "axis"};
  if (isScan)
    parameters.push_back("reverse");
  SmallVector<const Argument *> arguments;
  if (!matchArguments(context, call, parameters, 2, arguments, 1))
    return Entity();
  Entity source = walk.genExpr(arguments[0]->value);
  bool isOfBools = name == "any" || name == "all";
  if (isOfBools
          ? !conversions.checkTile(source, call.place, "the operand of " + what)
          : !checkReduced(source, call.place, what))
    return Entity();
  if (isOfBools && !source.getElementType().isInteger(1)) {
    error(call.place) << what << " is for `bool`, got " << source.describe()
                      << "; compare before, as in `" << name
                      << "(x != 0, axis = 0)`";
    return Entity();
  }
  std::optional<int64_t> axis = evaluateAxis(arguments[1]->value, source, what);
  std::optional<bool> isReverse = false;
  if (isScan && arguments[2])
    isReverse = walk.evaluateBool(arguments[2]->value, "`reverse`");
  if (!axis || !isReverse)
    return Entity();
  Combination combination{name, isScan, *axis, *isReverse, {}};
  Location loc = getLoc(call.place);
  if (name == "argmax" || name == "argmin")
    return genPosition(source, combination, name == "argmax", call.place);
  if (name.ends_with("prod"))
    source = source.withValue(getSummed(source, call.place));
  combination.emit = [&](ArrayRef<Entity> x) {
    Value result;
    if (isOfBools)
      result = name == "any"
                   ? arith::OrIOp::create(builder, loc, x[0].getValue(),
                                          x[1].getValue())
                         .getResult()
                   : arith::AndIOp::create(builder, loc, x[0].getValue(),
                                           x[1].getValue())
                         .getResult();
    else if (name.ends_with("prod"))
      result = operators.applyBinary(TokenKind::Star, x[0], x[1], call.place)
                   .getValue();
    else
      result = operators.applyExtremum(name == "cummax", x[0], x[1], call.place)
                   .getValue();
    return std::optional(SmallVector<Value>{result});
  };
  return combine(source, combination, call.place);
}

/// Of equal elements the first one counts, and the first NaN of all.
Entity BuiltinFunctions::genPosition(const Entity &source,
                                     Combination combination, bool isMax,
                                     SourcePlace place) {
  Location loc = getLoc(place);
  ArrayRef<int64_t> shape = source.getShape();
  Type i32 = builder.getI32Type();
  Value positions = tile::IotaOp::create(
      builder, loc, RankedTensorType::get(shape[combination.axis], i32));
  for (int64_t dim = 0, e = shape.size(); dim < e; ++dim)
    if (dim != combination.axis)
      positions = tile::ExpandDimsOp::create(builder, loc, positions, dim);
  auto type = RankedTensorType::get(shape, i32);
  if (positions.getType() != type)
    positions = tile::BroadcastOp::create(builder, loc, type, positions);
  combination.emit = [&](ArrayRef<Entity> x) {
    Value a = x[0].getValue(), b = x[2].getValue();
    Value takesRight =
        operators
            .applyBinary(isMax ? TokenKind::Greater : TokenKind::Less, x[2],
                         x[0], place)
            .getValue();
    if (isa<FloatType>(a.getType())) {
      auto compare = [&](arith::CmpFPredicate predicate, Value x) -> Value {
        return arith::CmpFOp::create(builder, loc, predicate, x, x);
      };
      Value isNewNaN = arith::AndIOp::create(
          builder, loc, compare(arith::CmpFPredicate::UNO, b),
          compare(arith::CmpFPredicate::ORD, a));
      takesRight = arith::OrIOp::create(builder, loc, takesRight, isNewNaN);
    }
    auto choose = [&](Value left, Value right) -> Value {
      return arith::SelectOp::create(builder, loc, takesRight, right, left);
    };
    return std::optional(SmallVector<Value>{
        choose(a, b), choose(x[1].getValue(), x[3].getValue())});
  };
  Entity both =
      combine({source, Entity::runtime(positions)}, combination, place);
  return both.isError() ? both : both.getSeveral()[1];
}
