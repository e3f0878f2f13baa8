//===- TileKernelOps.cpp - Kernels, sizes and ranges ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Verifiers, printers and parsers of kernels, sizes and ranges. C1, C2, … are
// the constraints of the op's description in ODS.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/Tile/IR/DialectSyntax.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"

using namespace tessera;
using namespace tessera::tile;

//===----------------------------------------------------------------------===//
// KernelOp: printing and parsing
//===----------------------------------------------------------------------===//
//
// The names in the text are the SSA names of the entry block's arguments.
// Parsing keeps them in `param_names` and in the axes. Printing suggests them
// through OpAsmOpInterface. Each name is therefore written once.

ParseResult KernelOp::parse(OpAsmParser &parser, OperationState &result) {
  Builder &builder = parser.getBuilder();
  Properties &properties = result.getOrAddProperties<Properties>();
  SmallVector<OpAsmParser::Argument> arguments;
  SmallVector<Attribute> axes;
  auto parseAxis = [&]() -> ParseResult {
    OpAsmParser::Argument &argument = arguments.emplace_back();
    if (parser.parseArgument(argument) || parser.parseKeyword("in"))
      return failure();
    FailureOr<AxisAttr> axis = AxisAttr::parseClause(
        parser,
        getArgumentName(builder, argument.ssaName.name, "axis", axes.size()));
    if (failed(axis))
      return failure();
    argument.type = axis->getArgumentType();
    axes.push_back(*axis);
    return success();
  };
  if (parseKernelParams(parser, properties.sym_name, properties.param_names,
                        arguments) ||
      parser.parseKeyword("grid") ||
      parser.parseCommaSeparatedList(AsmParser::Delimiter::Paren, parseAxis))
    return failure();
  properties.grid = builder.getArrayAttr(axes);
  if (parseOptionalSchedule(parser, properties.schedule) ||
      parseKernelBody(parser, result, arguments))
    return failure();
  ensureTerminator(*result.regions.front(), builder, result.location);
  return success();
}

void KernelOp::print(OpAsmPrinter &printer) {
  printKernelParams(printer, getSymName(), getParams());
  printer << " grid(";
  llvm::interleaveComma(llvm::zip_equal(getGridArguments(), getAxes()), printer,
                        [&](auto pair) {
                          auto [argument, axis] = pair;
                          printer.printOperand(argument);
                          printer << " in ";
                          axis.printClause(printer.getStream());
                        });
  printer << ")";
  printOptionalSchedule(printer, getScheduleAttr());
  printKernelBody(printer, *this,
                  {getSymNameAttrName(), getParamNamesAttrName(),
                   getGridAttrName(), getScheduleAttrName()});
}

void KernelOp::getAsmBlockArgumentNames(Region &region,
                                        OpAsmSetValueNameFn setName) {
  // An op that does not verify may have fewer names than arguments.
  ArrayRef<Attribute> names = getParamNames().getValue();
  ArrayRef<Attribute> axes = getGrid().getValue();
  for (auto [index, argument] : llvm::enumerate(region.getArguments())) {
    if (index < names.size())
      setName(argument, cast<StringAttr>(names[index]).getValue());
    else if (index - names.size() < axes.size())
      setName(argument,
              cast<AxisAttr>(axes[index - names.size()]).getName().getValue());
  }
}

//===----------------------------------------------------------------------===//
// KernelOp: verification
//===----------------------------------------------------------------------===//

static bool isIdentifier(StringRef name) {
  return !name.empty() && !llvm::isDigit(name.front()) &&
         llvm::all_of(name,
                      [](char c) { return llvm::isAlnum(c) || c == '_'; });
}

/// Collects the size names that a launch can bind.
static void collectBoundSizes(KernelOp kernel, llvm::StringSet<> &bound) {
  for (auto [index, param] : llvm::enumerate(kernel.getParams())) {
    if (isa<IndexType>(param.getType()))
      bound.insert(kernel.getParamName(index));
    auto global = dyn_cast<GlobalType>(param.getType());
    if (!global)
      continue;
    for (SizeAttr size : global.getShape())
      if (size.getOffsetFromSymbol())
        bound.insert(size.getSymbols().front().getValue());
  }
}

static LogicalResult verifyBound(Operation *op, SizeAttr size,
                                 const llvm::StringSet<> &bound) {
  for (StringAttr symbol : size.getSymbols())
    if (!bound.contains(symbol.getValue()))
      return op->emitOpError()
             << "uses the size '" << symbol.getValue()
             << "', which no parameter binds; expected a dimension of the form "
                "'"
             << symbol.getValue() << "' or an 'index' parameter of that name";
  return success();
}

LogicalResult KernelOp::verifyRegions() {
  Block &entry = getBody().front();
  SmallVector<AxisAttr> axes = getAxes();
  // C4: one argument per parameter and axis.
  if (entry.getNumArguments() != getNumParams() + axes.size())
    return emitOpError() << "expected " << getNumParams() + axes.size()
                         << " block arguments (" << getNumParams()
                         << " parameters, " << axes.size()
                         << " grid axes), got " << entry.getNumArguments();
  for (auto [argument, axis] : llvm::zip_equal(getGridArguments(), axes))
    if (argument.getType() != axis.getArgumentType())
      return emitOpError() << "expected the argument of axis '"
                           << axis.getName().getValue() << "' to be "
                           << axis.getArgumentType() << ", got "
                           << argument.getType();
  // C1: the types of parameters.
  for (auto [index, param] : llvm::enumerate(getParams()))
    if (!isa<GlobalType, IndexType>(param.getType()) &&
        !isElementType(param.getType()))
      return emitOpError() << "expected parameter '" << getParamName(index)
                           << "' to be a global tensor or a scalar, got "
                           << param.getType();
  // C2: names.
  llvm::StringSet<> names;
  auto verifyName = [&](StringRef name) -> LogicalResult {
    if (!isIdentifier(name))
      return emitOpError() << "expected '" << name << "' to be an identifier";
    if (!names.insert(name).second)
      return emitOpError() << "has two parameters or axes named '" << name
                           << "'";
    return success();
  };
  for (Attribute name : getParamNames())
    if (failed(verifyName(cast<StringAttr>(name).getValue())))
      return failure();
  for (AxisAttr axis : axes)
    if (failed(verifyName(axis.getName().getValue())))
      return failure();
  // C3: sizes are bound.
  llvm::StringSet<> bound;
  collectBoundSizes(*this, bound);
  for (BlockArgument param : getParams())
    if (auto global = dyn_cast<GlobalType>(param.getType()))
      for (SizeAttr size : global.getShape())
        if (failed(verifyBound(*this, size, bound)))
          return failure();
  for (AxisAttr axis : axes)
    if (failed(verifyBound(*this, axis.getSize(), bound)))
      return failure();
  WalkResult sizes = getBody().walk([&](SizeOp size) {
    return failed(verifyBound(size, size.getSize(), bound))
               ? WalkResult::interrupt()
               : WalkResult::advance();
  });
  return failure(sizes.wasInterrupted());
}

//===----------------------------------------------------------------------===//
// SizeOp
//===----------------------------------------------------------------------===//

void SizeOp::getAsmResultNames(OpAsmSetValueNameFn setName) {
  if (StringAttr symbol = getSize().getSingleSymbol())
    setName(getResult(), symbol.getValue());
}

OpFoldResult SizeOp::fold(FoldAdaptor) {
  if (std::optional<int64_t> value = getSize().getConstantValue())
    return IntegerAttr::get(IndexType::get(getContext()), *value);
  return {};
}

//===----------------------------------------------------------------------===//
// Ranges
//===----------------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  StringAttr dimension = getType().getDimension();
  auto size = getLimit().getDefiningOp<SizeOp>();
  // The limit may have been folded or replaced by an equal value. Only a size
  // of another name is certainly wrong.
  if (dimension && size && size.getSize().getSingleSymbol() &&
      size.getSize().getSingleSymbol() != dimension)
    return emitOpError() << "expected the limit to be the size '"
                         << dimension.getValue() << "', got '"
                         << size.getSize().str() << "'";
  return success();
}

void ShiftOp::build(OpBuilder &builder, OperationState &state, Value range,
                    Value offset) {
  auto type = RangeType::get(builder.getContext(),
                             cast<RangeType>(range.getType()).getExtent(), {});
  build(builder, state, type, range, offset);
}

OpFoldResult StartOp::fold(FoldAdaptor) {
  if (auto range = getRange().getDefiningOp<RangeOp>())
    return range.getStart();
  return {};
}

OpFoldResult LimitOp::fold(FoldAdaptor) {
  if (auto range = getRange().getDefiningOp<RangeOp>())
    return range.getLimit();
  return {};
}

OpFoldResult EndOp::fold(FoldAdaptor) {
  auto range = getRange().getDefiningOp<RangeOp>();
  if (!range)
    return {};
  // min(start + extent, limit) of constants.
  APInt start, limit;
  if (!matchPattern(range.getStart(), m_ConstantInt(&start)) ||
      !matchPattern(range.getLimit(), m_ConstantInt(&limit)))
    return {};
  int64_t end;
  if (llvm::AddOverflow(start.getSExtValue(), range.getType().getExtent(), end))
    return {};
  return IntegerAttr::get(getType(), std::min(end, limit.getSExtValue()));
}

/// Returns the type of a vector of `element` with one entry per index of
/// `range`.
static RankedTensorType getRangeTensorType(Value range, Type element) {
  return RankedTensorType::get(cast<RangeType>(range.getType()).getExtent(),
                               element);
}

template <typename OpTy>
static LogicalResult verifyRangeTensor(OpTy op) {
  auto type = cast<RankedTensorType>(op.getType());
  RankedTensorType expected =
      getRangeTensorType(op.getRange(), type.getElementType());
  if (type != expected)
    return op.emitOpError()
           << "expected the result to be " << expected << ", got " << type;
  return success();
}

void IndicesOp::build(OpBuilder &builder, OperationState &state, Value range) {
  build(builder, state, getRangeTensorType(range, builder.getI32Type()), range);
}

LogicalResult IndicesOp::verify() { return verifyRangeTensor(*this); }

void ValidOp::build(OpBuilder &builder, OperationState &state, Value range) {
  build(builder, state, getRangeTensorType(range, builder.getI1Type()), range);
}

LogicalResult ValidOp::verify() { return verifyRangeTensor(*this); }

OpFoldResult ValidOp::fold(FoldAdaptor) {
  auto range = getRange().getDefiningOp<RangeOp>();
  if (range && range.getFull())
    return DenseElementsAttr::get(cast<ShapedType>(getType()), true);
  return {};
}
