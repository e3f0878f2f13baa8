//===- ReportLowering.cpp - Checks and prints as stores ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The results of checks and prints in global memory. The buffer has words of 64
// bits: the first one holds the number of words of a program, W. Program p owns
// the W words from 1 + p W on:
//
//   one word for each check   0, or 1 + the position of an element that is
//   false if there are prints: one word                  the number of words of
//   lines, or W if a line did
//                             not fit
//   lines                     1 + the number of the print, then its values
//
// Invariant: programs write different words, so nothing orders them. A store
// that does not apply has a negative position, so control flow does not change.
//
//===----------------------------------------------------------------------===//

#include "Debug/ReportLowering.h"

#include "tessera/Array/Limits.h"
#include "tessera/Dialect/Tile/IR/ReportBuffer.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/JSON.h"
#include "llvm/Support/Path.h"

using namespace tessera;
using namespace tessera::tile;
namespace json = llvm::json;

namespace {
class ReportLowering {
public:
  explicit ReportLowering(KernelOp kernel)
      : kernel(kernel), builder(kernel.getContext()) {}

  void run() {
    SmallVector<CheckOp> checks;
    SmallVector<PrintOp> prints;
    kernel.walk([&](Operation *op) {
      if (auto check = dyn_cast<CheckOp>(op))
        checks.push_back(check);
      else if (auto print = dyn_cast<PrintOp>(op))
        prints.push_back(print);
    });
    if (checks.empty() && prints.empty())
      return;
    addBuffer();
    numChecks = checks.size();
    for (auto [number, check] : llvm::enumerate(checks))
      lower(check, number);
    for (auto [number, print] : llvm::enumerate(prints))
      lower(print, number);
    kernel->setAttr(kReportsAttrName,
                    builder.getStringAttr(llvm::formatv(
                        "{0}", json::Value(json::Object{
                                   {"axes", std::move(axisTexts)},
                                   {"checks", std::move(checkTexts)},
                                   {"prints", std::move(printTexts)}}))));
  }

private:
  Value makeIndex(int64_t value) {
    return arith::ConstantIndexOp::create(builder, loc, value);
  }
  Value makeWord(int64_t value) {
    return arith::ConstantIntOp::create(builder, loc, value, 64);
  }
  Value makeNumbers(ArrayRef<int64_t> shape, int64_t value) {
    auto type = RankedTensorType::get(shape, builder.getI32Type());
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(type,
                               builder.getI32IntegerAttr(int32_t(value))));
  }
  Value add(Value value, int64_t number) {
    return arith::AddIOp::create(builder, loc, value, makeIndex(number));
  }
  Value select(Value condition, Value one, Value other) {
    return arith::SelectOp::create(builder, loc, condition, one, other);
  }

  /// Adds the parameter, and the place of the words of this program.
  void addBuffer();
  /// Returns the number of this program, the first axis fastest.
  Value getProgram();
  /// Returns the row-major positions of the elements of a tile.
  Value getPositions(ArrayRef<int64_t> shape);
  void store(Value word, Value index);
  void lower(CheckOp check, int64_t number);
  void lower(PrintOp print, int64_t number);
  /// Returns the bits of an element type or a tile as words, and the name of
  /// their kind.
  std::pair<Value, StringRef> toWords(Value value, bool isUnsigned);
  StringRef getRelativePath(StringRef path);
  json::Object describe(Operation *op, StringRef text);

  KernelOp kernel;
  OpBuilder builder;
  Location loc = UnknownLoc::get(kernel.getContext());
  Value buffer, numWords, base;
  int64_t numChecks = 0;
  json::Array axisTexts, checkTexts, printTexts;
};
} // namespace

/// Returns a name that no parameter, axis or size of the kernel has.
static std::string getFreeName(KernelOp kernel) {
  llvm::StringSet<> taken;
  for (Attribute name : kernel.getParamNames())
    taken.insert(cast<StringAttr>(name).getValue());
  for (AxisAttr axis : kernel.getAxes())
    taken.insert(axis.getName().getValue());
  std::string name = "reports";
  while (taken.contains(name))
    name += "_";
  return name;
}

Value ReportLowering::getProgram() {
  Value program, programs;
  for (auto [axis, argument] :
       llvm::zip_equal(kernel.getAxes(), kernel.getGridArguments())) {
    Value position = argument;
    SizeAttr count = axis.getSize();
    if (axis.isTiled()) {
      position =
          StartOp::create(builder, loc, builder.getIndexType(), argument);
      position = arith::FloorDivSIOp::create(builder, loc, position,
                                             makeIndex(axis.getTileExtent()));
      count = SizeAttr::getNormalized(
          kernel.getContext(), count.getSymbols(),
          count.getExpr().ceilDiv(axis.getTileExtent()));
    }
    Value extent = SizeOp::create(builder, loc, builder.getIndexType(), count);
    axisTexts.push_back(json::Object{{"name", axis.getName().getValue().str()},
                                     {"count", count.str()}});
    if (program) {
      position = arith::MulIOp::create(builder, loc, position, programs);
      position = arith::AddIOp::create(builder, loc, program, position);
      extent = arith::MulIOp::create(builder, loc, programs, extent);
    }
    program = position;
    programs = extent;
  }
  return program ? program : makeIndex(0);
}

void ReportLowering::addBuffer() {
  SmallVector<Attribute> names(kernel.getParamNames().getValue());
  unsigned number = names.size();
  names.push_back(builder.getStringAttr(getFreeName(kernel)));
  kernel.setParamNamesAttr(builder.getArrayAttr(names));
  auto type = GlobalType::get(
      kernel.getContext(),
      SizeAttr::getConstant(kernel.getContext(), array::kMaxSize),
      builder.getI64Type(), Access::InOut);
  buffer = kernel.getBody().insertArgument(number, type, kernel.getLoc());
  builder.setInsertionPointToStart(&kernel.getBody().front());
  loc = kernel.getLoc();
  numWords = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      LoadOp::create(builder, loc, builder.getI64Type(), buffer, makeIndex(0),
                     /*fill=*/TypedAttr(), /*in_bounds=*/DenseBoolArrayAttr(),
                     /*axes=*/DenseI64ArrayAttr(),
                     /*open_ends=*/DenseBoolArrayAttr()));
  base = add(arith::MulIOp::create(builder, loc, getProgram(), numWords), 1);
}

Value ReportLowering::getPositions(ArrayRef<int64_t> shape) {
  Value sum;
  int64_t stride = 1;
  for (int64_t axis = int64_t(shape.size()) - 1; axis >= 0; --axis) {
    Value part = IotaOp::create(
        builder, loc, RankedTensorType::get(shape[axis], builder.getI32Type()));
    part = arith::MulIOp::create(builder, loc, part,
                                 makeNumbers(shape[axis], stride));
    for (int64_t other = 0; other < int64_t(shape.size()); ++other)
      if (other != axis)
        part = ExpandDimsOp::create(builder, loc, part, other);
    if (shape.size() > 1)
      part = BroadcastOp::create(
          builder, loc, RankedTensorType::get(shape, builder.getI32Type()),
          part);
    sum = sum ? arith::AddIOp::create(builder, loc, sum, part) : part;
    stride *= shape[axis];
  }
  return sum;
}

void ReportLowering::store(Value word, Value index) {
  StoreOp::create(builder, loc, word, buffer, index,
                  /*in_bounds=*/DenseBoolArrayAttr(),
                  /*axes=*/DenseI64ArrayAttr());
}

/// Returns the path of a file relative to the folder of the kernel, so that
/// code does not depend on the folder in which it is compiled.
StringRef ReportLowering::getRelativePath(StringRef path) {
  auto place = kernel.getLoc()->findInstanceOf<FileLineColLoc>();
  StringRef folder =
      place ? llvm::sys::path::parent_path(place.getFilename()) : StringRef();
  if (!folder.empty() && path.consume_front(folder))
    path.consume_front("/");
  return path;
}

json::Object ReportLowering::describe(Operation *op, StringRef text) {
  json::Object object{{"text", text.str()}};
  if (auto place = op->getLoc()->findInstanceOf<FileLineColLoc>()) {
    object["file"] = getRelativePath(place.getFilename()).str();
    object["line"] = place.getLine();
    object["column"] = place.getColumn();
  }
  return object;
}

void ReportLowering::lower(CheckOp check, int64_t number) {
  builder.setInsertionPoint(check);
  loc = check.getLoc();
  Value condition = check.getCondition();
  auto type = dyn_cast<RankedTensorType>(condition.getType());
  json::Object text = describe(check, check.getMessage());
  Value holds = condition, word = makeWord(1);
  if (type) {
    ArrayRef<int64_t> shape = type.getShape();
    text["shape"] = json::Array(shape);
    int64_t count = type.getNumElements();
    Value first =
        arith::SelectOp::create(builder, loc, condition,
                                makeNumbers(shape, count), getPositions(shape));
    while (cast<RankedTensorType>(first.getType()).getRank() > 0)
      first = ReduceOp::create(
          builder, loc, ReduceKind::Min, first,
          cast<RankedTensorType>(first.getType()).getRank() - 1);
    first = tensor::ExtractOp::create(builder, loc, first, ValueRange());
    Value end = arith::ConstantIntOp::create(builder, loc, count, 32);
    holds = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::eq, first,
                                  end);
    word = arith::AddIOp::create(
        builder, loc, word,
        arith::ExtSIOp::create(builder, loc, builder.getI64Type(), first));
  }
  checkTexts.push_back(std::move(text));
  store(word, select(holds, makeIndex(-1), add(base, number)));
  check.erase();
}

std::pair<Value, StringRef> ReportLowering::toWords(Value value,
                                                    bool isUnsigned) {
  Type type = value.getType();
  Type wordType = builder.getI64Type(), narrow = builder.getI32Type();
  Type element = type, single = builder.getF32Type();
  if (auto tile = dyn_cast<RankedTensorType>(type)) {
    element = tile.getElementType();
    wordType = tile.clone(wordType);
    narrow = tile.clone(narrow);
    single = tile.clone(single);
  }
  if (element.isF64())
    return {arith::BitcastOp::create(builder, loc, wordType, value), "double"};
  if (isa<FloatType>(element)) {
    if (!element.isF32())
      value = arith::ExtFOp::create(builder, loc, single, value);
    value = arith::BitcastOp::create(builder, loc, narrow, value);
    return {arith::ExtUIOp::create(builder, loc, wordType, value), "float"};
  }
  if (element.isIndex())
    return {arith::IndexCastOp::create(builder, loc, wordType, value), "int"};
  if (!element.isInteger(64))
    value =
        isUnsigned || element.isInteger(1)
            ? arith::ExtUIOp::create(builder, loc, wordType, value).getResult()
            : arith::ExtSIOp::create(builder, loc, wordType, value).getResult();
  return {value, element.isInteger(1) ? "bool" : isUnsigned ? "uint" : "int"};
}

void ReportLowering::lower(PrintOp print, int64_t number) {
  builder.setInsertionPoint(print);
  loc = print.getLoc();
  json::Object text = describe(print, print.getText());
  json::Array values;
  int64_t length = 1;
  for (Value value : print.getValues())
    if (auto tile = dyn_cast<RankedTensorType>(value.getType()))
      length += tile.getNumElements();
    else
      ++length;

  BarrierOp::create(builder, loc);
  Value counter = add(base, numChecks);
  Value used = arith::IndexCastOp::create(
      builder, loc, builder.getIndexType(),
      LoadOp::create(builder, loc, builder.getI64Type(), buffer, counter,
                     /*fill=*/TypedAttr(), /*in_bounds=*/DenseBoolArrayAttr(),
                     /*axes=*/DenseI64ArrayAttr(),
                     /*open_ends=*/DenseBoolArrayAttr()));
  Value end = add(used, length);
  Value fits = arith::CmpIOp::create(builder, loc, arith::CmpIPredicate::sle,
                                     add(end, numChecks + 1), numWords);
  Value line = arith::AddIOp::create(builder, loc, add(counter, 1), used);
  // Positions of lines that do not fit are negative.
  Value place = select(fits, line, makeIndex(-array::kMaxSize));
  store(makeWord(number + 1), place);
  int64_t offset = 1;
  for (auto [value, isUnsigned] :
       llvm::zip_equal(print.getValues(), print.getIsUnsigned())) {
    auto [words, kind] = toWords(value, isUnsigned);
    json::Object entry{{"kind", kind}};
    Value first = add(place, offset);
    auto tile = dyn_cast<RankedTensorType>(value.getType());
    if (tile) {
      entry["shape"] = json::Array(tile.getShape());
      Value start =
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), first);
      Value starts = tensor::SplatOp::create(
          builder, loc,
          RankedTensorType::get(tile.getShape(), builder.getI32Type()), start);
      first = arith::AddIOp::create(builder, loc, starts,
                                    getPositions(tile.getShape()));
    }
    store(words, first);
    offset += tile ? tile.getNumElements() : 1;
    values.push_back(std::move(entry));
  }
  Value filled = select(fits, end, numWords);
  store(arith::IndexCastOp::create(builder, loc, builder.getI64Type(), filled),
        counter);
  text["values"] = std::move(values);
  printTexts.push_back(std::move(text));
  print.erase();
}

void tile::lowerReports(KernelOp kernel) { ReportLowering(kernel).run(); }
