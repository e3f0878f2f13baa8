//===- Warnings.cpp - Warnings of surprising programs -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Warnings of legal programs that do not compute what most readers expect. Each
// warning has a stable name (docs/remarks.md). A note shows the source for the
// expected meaning, and the source for the actual one without the warning.
//
//===----------------------------------------------------------------------===//

#include "Warnings.h"
#include "Extents.h"
#include "PaddedLoads.h"
#include "Places.h"

#include "tessera/Dialect/Tile/Analysis/LinearBounds.h"
#include "tessera/Dialect/Tile/IR/Asm.h"
#include "tessera/Dialect/Tile/IR/GpuLimits.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/Regex.h"

using namespace tessera;
using namespace tessera::frontend;

void tessera::frontend::warnOfNarrowFunction(KernelContext &context,
                                             const Entity &operand,
                                             StringRef name,
                                             SourcePlace place) {
  Type element = operand.getElementType();
  // One warning for a kernel: its other functions have the same remedy.
  if (!isa<BFloat16Type, Float8E4M3FNType, Float8E5M2Type>(element) ||
      context.hasNarrowFunction)
    return;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  context.hasNarrowFunction = true;
  std::string type = printType(element);
  *diagnostic << name << " of `" << type << "` is rounded to `" << type
              << "`, and so are the results computed from it "
                 "[narrow-function]";
  context.note(*diagnostic, place)
      << "convert before, as in `x as f32`, and back with `as " << type
      << "` after the last step";
  context.noteCalls(*diagnostic);
}

void tessera::frontend::warnOfUnderflow(KernelContext &context,
                                        const Entity &number, Type element,
                                        SourcePlace place) {
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  std::string type = printType(element);
  std::string text = printNumber(number.getFloat());
  StringRef wide = element.isF32() ? "f64" : "f32";
  *diagnostic << number.describe() << " is 0 in `" << type << "` [underflow]";
  context.note(*diagnostic, place)
      << "compute in `" << wide << "`: convert the other operand before, as in "
      << "`(x as " << wide << ") + " << text << "`, and the result by `as "
      << type << "`; write `0.0` if 0 is meant";
  context.noteCalls(*diagnostic);
}

void tessera::frontend::warnOfNanComparison(KernelContext &context,
                                            TokenKind op, SourcePlace place) {
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  bool isUnequal = op == TokenKind::ExclaimEqual;
  StringRef result = isUnequal ? "true" : "false";
  *diagnostic << frontend::describe(op) << " with `nan` is always " << result
              << " [nan-comparison]";
  context.note(*diagnostic, place)
      << "write `" << (isUnequal ? "!" : "")
      << "isnan(x)` to test for NaN, or `" << result << "` if it is meant";
  context.noteCalls(*diagnostic);
}

/// Checks whether a scalar is computed from the reduction of a vector.
static bool isReduced(Value scalar) {
  SmallVector<Value> worklist = {scalar};
  llvm::SmallPtrSet<Operation *, 8> visited;
  while (!worklist.empty()) {
    Operation *op = worklist.pop_back_val().getDefiningOp();
    if (!op || !visited.insert(op).second)
      continue;
    if (auto extract = dyn_cast<tensor::ExtractOp>(op)) {
      if (extract.getTensor().getDefiningOp<tile::ReduceOp>())
        return true;
    } else if (tile::isArithmetic(op)) {
      llvm::append_range(worklist, op->getOperands());
    }
  }
  return false;
}

void tessera::frontend::warnOfRepeatedReduction(KernelContext &context,
                                                const Entity &value,
                                                Type stored,
                                                SourcePlace place) {
  auto tensor = dyn_cast<RankedTensorType>(stored);
  if (!tensor || tensor.getNumElements() == 1 ||
      !value.is(Entity::Kind::Scalar) || !isReduced(value.getValue()))
    return;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  std::string type = printType(stored);
  *diagnostic << "the reduction of a vector is one number, which is stored to "
                 "all elements of `"
              << type << "` [repeated-reduction]";
  context.note(*diagnostic, place)
      << "index the target by an `int` to store one element, as in "
         "`y[m.start / 64]`; write `full("
      << type << ", …)` to repeat the number";
  context.noteCalls(*diagnostic);
}

/// Returns the first placeholder in a text: `{}`, `{name}`, `{:…}` or `%d`.
static StringRef findPlaceholder(StringRef text) {
  static const llvm::Regex placeholder(
      "[{]([A-Za-z_][A-Za-z_0-9]*|[0-9]*)(:[^{}]*)?[}]|"
      "%[-+#0]*[0-9]*([.][0-9]+)?l*[diouxXeEfFgGsp]");
  SmallVector<StringRef> matches;
  if (!placeholder.match(text, &matches))
    return "";
  // `100%free` has no placeholder.
  StringRef found = matches.front(),
            rest(found.end(), text.end() - found.end());
  bool isWord =
      found.front() == '%' && !rest.empty() && llvm::isAlnum(rest.front());
  return isWord ? StringRef() : found;
}

void tessera::frontend::warnOfPlaceholders(KernelContext &context,
                                           StringRef text, SourcePlace place) {
  StringRef found = findPlaceholder(text);
  if (found.empty())
    return;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(place);
  if (!diagnostic)
    return;
  *diagnostic
      << "`print` writes `" << found
      << "` as it is, and the values after the text [print-placeholder]";
  context.note(*diagnostic, place)
      << "write `print(\"x:\", x)`; several values follow one text";
  context.noteCalls(*diagnostic);
}

void tessera::frontend::warnOfNoOutput(KernelContext &context,
                                       tile::KernelOp kernel) {
  auto isWritten = [](const Parameter *parameter) {
    return parameter->access != Parameter::Access::In;
  };
  // An absent parameter may be the output of another configuration.
  if (context.kernel.body.empty() ||
      llvm::any_of(context.signature.parameters, isWritten) ||
      llvm::any_of(context.signature.absentParameters, isWritten))
    return;
  bool hasEffect = kernel
                       .walk([](Operation *op) {
                         return isa<tile::PrintOp, tile::CheckOp>(op)
                                    ? WalkResult::interrupt()
                                    : WalkResult::advance();
                       })
                       .wasInterrupted();
  if (hasEffect)
    return;
  const Name &name = context.kernel.name;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(name.place);
  if (!diagnostic)
    return;
  *diagnostic << "the kernel `" << name.text
              << "` has no tensor to store results in [no-output]";
  context.note(*diagnostic, name.place)
      << "add a parameter `out y: f32[N]` for results, or `inout` for a tensor "
         "that has values before";
}

/// Returns the grid axis whose number `index` is; null for an expression of it.
static const Axis *findAxis(const KernelContext &context, Value index) {
  auto argument = dyn_cast<BlockArgument>(index);
  if (!argument ||
      !isa_and_nonnull<tile::KernelOp>(argument.getOwner()->getParentOp()))
    return nullptr;
  size_t parameters = context.signature.parameters.size();
  return argument.getArgNumber() < parameters
             ? nullptr
             : &context.kernel.axes[argument.getArgNumber() - parameters];
}

void tessera::frontend::warnOfOtherDimension(KernelContext &context,
                                             Value index, const Expr &expr,
                                             StringRef tensor, size_t dim,
                                             tile::SizeAttr size) {
  // A `let` may choose between positions of several dimensions.
  auto *written = dyn_cast<NameExpr>(&expr);
  Symbol *symbol = written ? context.scopes.lookup(written->name) : nullptr;
  if (!symbol || (symbol->kind != Symbol::Kind::Axis &&
                  symbol->kind != Symbol::Kind::Parameter))
    return;
  const Axis *axis = findAxis(context, index);
  StringAttr named = size.getSingleSymbol();
  if (!axis || !named)
    return;
  auto kernel = cast<tile::KernelOp>(index.getParentBlock()->getParentOp());
  size_t number = axis - context.kernel.axes.data();
  StringAttr walked = cast<tile::AxisAttr>(kernel.getAxes()[number])
                          .getSize()
                          .getSingleSymbol();
  if (!walked || walked == named)
    return;
  std::optional<InFlightDiagnostic> diagnostic = context.warn(expr.place);
  if (!diagnostic)
    return;
  StringRef name = written->name;
  *diagnostic << "`" << name << "` walks `" << walked.getValue()
              << "`, but dimension " << dim << " of " << tensor << " is `"
              << named.getValue() << "` [other-dimension]";
  context.note(*diagnostic, axis->name.place)
      << "`" << axis->name.text << "` is declared here to walk `"
      << walked.getValue() << "`";
  context.note(*diagnostic, expr.place)
      << "use an axis over `" << named.getValue()
      << "`, or, if the position is meant, a sum such as `0 + " << name
      << "`, which may index any dimension";
  context.noteCalls(*diagnostic);
}

/// Describes a value of elements past the end; empty if unknown.
static std::string printValue(Attribute value) {
  if (auto number = dyn_cast_if_present<FloatAttr>(value))
    return printNumber(number.getValueAsDouble());
  auto number = dyn_cast_if_present<IntegerAttr>(value);
  if (number && number.getType().isInteger(1))
    return number.getValue().isZero() ? "false" : "true";
  return number ? std::to_string(number.getValue().getSExtValue()) : "";
}

/// Names a reduction or a scan at the beginning of a message.
static void printReduction(InFlightDiagnostic &diagnostic, Operation *op) {
  if (auto reduce = dyn_cast<tile::ReduceOp>(op))
    diagnostic << "`" << tile::stringifyReduceKind(reduce.getKind())
               << "` along axis " << reduce.getAxis();
  else if (isa<tile::GemmOp>(op))
    diagnostic << "`@`";
  else if (auto scan = dyn_cast<tile::ScanOp>(op))
    diagnostic << "`cumsum` from the end of axis " << scan.getAxis();
  else if (auto reduce = dyn_cast<tile::ReduceWithOp>(op))
    diagnostic << "this reduction along axis " << reduce.getAxis();
  else
    diagnostic << "this scan from the end of axis "
               << cast<tile::ScanWithOp>(op).getAxis();
}

/// Prints the condition under which a range `n` has elements of a load. A range
/// that does not walk the dimension, as `tile(a, b, 64)` or `n + 1`, may be
/// valid past the end of the tensor.
static std::string printMask(Operation *origin) {
  std::string text = "n.valid";
  auto load = dyn_cast<tile::LoadOp>(origin);
  if (!load)
    return text;
  tile::GlobalType global = load.getGlobalType();
  for (auto [dim, index] : llvm::enumerate(load.getIndices())) {
    auto range = dyn_cast<tile::RangeType>(index.getType());
    if (!range || tile::isInBounds(index, global, dim) ||
        isInside(index, global.getShape()[dim]))
      continue;
    if (range.getDimension())
      return text;
    llvm::raw_string_ostream os(text = "n.index < ");
    global.getShape()[dim].printExpression(os);
    return text;
  }
  return text;
}

/// Checks whether only the positions of a gather may be outside of the tensor.
static bool isGathered(Operation *origin) {
  auto load = dyn_cast<tile::LoadOp>(origin);
  bool hasTile = false;
  for (auto [dim, index] :
       llvm::enumerate(load ? ValueRange(load.getIndices()) : ValueRange())) {
    tile::GlobalType global = load.getGlobalType();
    if (isa<RankedTensorType>(index.getType()))
      hasTile = true;
    else if (!tile::isInBounds(index, global, dim) &&
             !isInside(index, global.getShape()[dim]))
      return false;
  }
  return hasTile;
}

/// Explains where the elements past the end come from, and how to choose others
/// or to include them.
static void noteOrigin(InFlightDiagnostic &diagnostic,
                       const PaddedReduction &reduction, StringRef neutral) {
  Diagnostic &note =
      diagnostic.attachNote(findPlace(reduction.origin->getLoc()));
  if (isGathered(reduction.origin)) {
    note << "positions of this load may be outside of the tensor, where it "
            "yields zeros; write `load(…, fill = 0)` if they are inside";
    return;
  }
  bool isLoad = isa<tile::LoadOp>(reduction.origin);
  note << (isLoad ? "this load may be partial, and its elements past the end "
                    "are zero; "
                  : "these positions may be past the end; ")
       << "choose elements of the computed tile by `where("
       << printMask(reduction.origin) << ", …, " << neutral
       << ")` for a range `n`";
  if (isLoad)
    note << "; write `load(…, fill = 0)` to "
         << (isa<tile::ReduceOp, tile::ScanOp, tile::GemmOp>(reduction.op)
                 ? "add"
                 : "include")
         << " all elements";
}

/// Returns a number that comes last in an order. Of equal elements, the one of
/// the lower position comes first. In ascending order NaN is after infinity.
static std::string printLast(Type element, bool isDescending) {
  if (element.isInteger(1))
    return "…";
  return isa<FloatType>(element) && !isDescending
             ? "nan"
             : printExtremum(element, /*isLeast=*/isDescending);
}

static void warnOfOrder(InFlightDiagnostic &diagnostic, const OrderCall &call,
                        const PaddedReduction &padded) {
  std::string value = printValue(padded.value);
  diagnostic << "`" << call.name << "` along axis " << call.axis
             << " moves elements past the end, which are "
             << (value.empty() ? "not known" : value)
             << ", between the others [padded-order]";
  Diagnostic &note = diagnostic.attachNote(findPlace(padded.origin->getLoc()));
  note << "this load may be partial, and its elements past the end are zero; ";
  auto load = cast<tile::LoadOp>(padded.origin);
  std::string last =
      printLast(load.getGlobalType().getDeclaredType(), call.isDescending);
  if (call.name == "flip")
    note << "load the elements in reverse by the index `N - 1 - n.index` for a "
            "range `n` of the size `N`";
  else
    note << "choose elements that come last by `where("
         << printMask(padded.origin) << ", …, " << last << ")` for a range `n`";
  note << "; write `load(…, fill = 0)` to include zeros";
}

static void warnOfReduction(KernelContext &context,
                            const PaddedReduction &reduction) {
  Operation *op = reduction.op;
  std::optional<InFlightDiagnostic> diagnostic = warnAt(context, op);
  if (!diagnostic)
    return;
  if (auto it = context.orderCalls.find(op->getLoc());
      it != context.orderCalls.end()) {
    warnOfOrder(*diagnostic, it->second, reduction);
    noteCall(*diagnostic, op);
    return;
  }
  auto reduce = dyn_cast<tile::ReduceOp>(op);
  printReduction(*diagnostic, op);
  if (reduce && reduce.getKind() != tile::ReduceKind::Sum) {
    bool isMax = reduce.getKind() == tile::ReduceKind::Max;
    Type element =
        cast<tile::LoadOp>(reduction.origin).getGlobalType().getDeclaredType();
    std::string neutral = printExtremum(element, /*isLeast=*/isMax);
    *diagnostic << " includes the zeros that a load yields past the end "
                   "[padded-extremum]";
    diagnostic->attachNote(findPlace(reduction.origin->getLoc()))
        << "this load may be partial; write `load(…, fill = " << neutral
        << ")`, or choose elements by `where(" << printMask(reduction.origin)
        << ", …, " << neutral
        << ")` for a range `n`; write `fill = 0` to include zeros";
  } else if (isa<tile::ReduceWithOp, tile::ScanWithOp>(op)) {
    std::string value = printValue(reduction.value);
    std::string neutral = printValue(reduction.neutral);
    *diagnostic << " includes elements past the end, which "
                << (value.empty() ? "may change its result" : "are ") << value
                << " [padded-reduction]";
    noteOrigin(*diagnostic, reduction, neutral.empty() ? "…" : neutral);
  } else {
    std::string value = printValue(reduction.value);
    *diagnostic << " adds elements past the end, which are "
                << (value.empty() ? "not known to be zero" : value)
                << " [padded-sum]";
    noteOrigin(*diagnostic, reduction, "0");
  }
  noteCall(*diagnostic, op);
}

void tessera::frontend::warnOfPaddedReductions(KernelContext &context,
                                               tile::KernelOp kernel) {
  for (const PaddedReduction &reduction :
       findPaddedReductions(kernel, context.orderCalls))
    warnOfReduction(context, reduction);
}

void tessera::frontend::warnOfLargeTile(KernelContext &context,
                                        tile::KernelOp kernel) {
  kernel.walk([&](Operation *op) {
    for (Type result : op->getResultTypes()) {
      auto type = dyn_cast<RankedTensorType>(result);
      if (!type)
        continue;
      int64_t most = tile::getMaxGpuTileElements(type.getElementType());
      if (type.getNumElements() <= most)
        continue;
      if (std::optional<InFlightDiagnostic> diagnostic = warnAt(context, op)) {
        // A call of an order has tiles that the source does not show.
        if (auto call = context.orderCalls.find(op->getLoc());
            call != context.orderCalls.end())
          *diagnostic << "`" << call->second.name << "` orders "
                      << type.getNumElements() << " elements as numbers of "
                      << type.getElementTypeBitWidth() << " bits";
        else
          *diagnostic << "`" << printType(type) << "` has "
                      << type.getNumElements() << " elements";
        *diagnostic << ", and a GPU holds tiles of at most " << most
                    << " of these [large-tile]";
        diagnostic->attachNote(findPlace(op->getLoc()))
            << "use a smaller tile, in a loop or in more programs of the grid";
        noteCall(*diagnostic, op);
      }
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
}
