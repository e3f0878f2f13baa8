//===- KernelGenerator.cpp - Checks and generates a kernel ------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Evaluates the signature, creates the kernel, then generates its body.
//
//===----------------------------------------------------------------------===//

#include "KernelGenerator.h"
#include "Expressions/InvalidIndexMasks.h"
#include "Warnings/Places.h"
#include "Warnings/Warnings.h"

#include "tessera/Dialect/Tile/Analysis/ProgramVariance.h"
#include "tessera/Dialect/Tile/IR/LazyRescale.h"
#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Iterators.h"

using namespace tessera;
using namespace tessera::frontend;

KernelGenerator::KernelGenerator(ModuleOp module, const FnTable &fns,
                                 Diagnostics &diagnostics,
                                 const CompileOptions &options,
                                 const KernelDecl &kernel)
    : module(module),
      context(module.getContext(), kernel, fns, options, diagnostics),
      values(context), conversions(context, values),
      body(context, values, conversions), sizes(context, body),
      signature(context, body, sizes), clauses(context, body, sizes) {}

void KernelGenerator::begin() {
  context.scopes.pushFrame();
  context.scopes.pushScope();
  enter(&scratch.emplaceBlock());
}

std::optional<KernelChoices> KernelGenerator::evaluateChoices() {
  begin();
  if (!signature.bindCompileTimeParameters())
    return std::nullopt;
  return std::move(context.signature.choices);
}

void KernelGenerator::generate() {
  begin();
  SmallVector<Type> types;
  SmallVector<Attribute> axes;
  if (!signature.bindCompileTimeParameters() || !signature.chooseParameters() ||
      !signature.collectParameterTypes(types) || !clauses.evaluateGrid(axes) ||
      !sizes.checkSizesAreBound(types))
    return;
  unsigned errorsBefore = context.getNumErrors();
  tile::ScheduleAttr schedule = clauses.evaluateSchedule();
  KernelNumerics numerics = clauses.evaluateNumerics();
  if (context.getNumErrors() != errorsBefore)
    return;

  tile::KernelOp kernelOp = createKernel(axes, schedule, numerics);
  addEntry(kernelOp, types);
  signature.declareParameters(kernelOp);
  body.genStatements(context.kernel.body);
  tile::ReturnOp::create(context.builder, kernelOp.getLoc());

  // Transposes and conversions to TF32 whose only users were products are dead:
  // a product takes their operands. Users come before the operands.
  kernelOp.walk<WalkOrder::PostOrder, mlir::ReverseIterator>([](Operation *op) {
    bool isOfProduct =
        isa<tile::TransposeOp>(op) ||
        (isa<arith::TruncFOp>(op) &&
         getElementTypeOrSelf(op->getResult(0).getType()).isTF32());
    if (isOfProduct && op->use_empty())
      op->erase();
  });
  checkTF32(kernelOp);
  checkGridBarriers(kernelOp);
  if (context.getNumErrors() != errorsBefore)
    return;
  warnOfNoOutput(context, kernelOp);
  warnOfLargeTile(context, kernelOp);
  warnOfCombiners(context, kernelOp);
  warnOfIntegerQuotients(context, kernelOp);
  warnOfPaddedReductions(context, kernelOp);
  warnOfOwnStores(context, kernelOp);
  warnOfLostUpdates(context, kernelOp);
  warnOfSwappedTiles(context, kernelOp);
  warnOfOtherPrograms(context, kernelOp);
  warnOfOutsideAccesses(context, kernelOp);
  eraseSigns(kernelOp);
  maskPositions(kernelOp);
}

void KernelGenerator::checkTF32(tile::KernelOp kernelOp) {
  kernelOp.walk([&](arith::TruncFOp op) {
    if (!getElementTypeOrSelf(op.getType()).isTF32())
      return WalkResult::advance();
    Operation *user = *op->user_begin();
    InFlightDiagnostic diagnostic =
        context.error(getPlace(context, user))
        << "a `tf32` tile is an operand of `@` only; convert where the product "
           "reads the tile";
    noteCall(diagnostic, user);
    return WalkResult::interrupt();
  });
}

void KernelGenerator::checkGridBarriers(tile::KernelOp kernelOp) {
  std::optional<tile::ProgramVariance> variance;
  kernelOp.walk([&](tile::BarrierOp barrier) {
    if (!barrier.getGrid())
      return WalkResult::advance();
    tile::ScheduleAttr schedule = kernelOp.getScheduleAttr();
    if (schedule &&
        (schedule.getPersistent() || !schedule.getCluster().empty())) {
      StringRef entry = schedule.getPersistent() ? "persistent" : "cluster";
      InFlightDiagnostic diagnostic =
          context.error(getPlace(context, barrier))
          << "`barrier(grid)` needs one CTA for each program, without "
             "clusters; remove `"
          << entry << "` from `schedule`";
      noteCall(diagnostic, barrier);
      return WalkResult::interrupt();
    }
    if (!variance)
      variance.emplace(kernelOp);
    Operation *divergence = variance->findDivergence(barrier);
    if (!divergence)
      return WalkResult::advance();
    InFlightDiagnostic diagnostic =
        context.error(getPlace(context, barrier))
        << "all programs must come to `barrier(grid)` together; some may not "
           "come to this one";
    noteCall(diagnostic, barrier);
    context.note(diagnostic, getPlace(context, divergence))
        << "programs may "
        << (isa<scf::IfOp>(divergence) ? "choose different branches here first"
                                       : "repeat this loop differently")
        << "; use conditions and bounds that no axis of the grid and no atomic "
           "operation changes";
    return WalkResult::interrupt();
  });
}

/// Returns `attribute`, the value of an operation, without the sign of its
/// type.
static Attribute withoutSign(Attribute attribute) {
  if (auto number = dyn_cast<IntegerAttr>(attribute);
      number && number.getType().isUnsignedInteger())
    return IntegerAttr::get(tile::withoutSign(number.getType()),
                            number.getValue());
  if (auto elements = dyn_cast<DenseIntElementsAttr>(attribute);
      elements && elements.getElementType().isUnsignedInteger())
    return elements.bitcast(tile::withoutSign(elements.getElementType()));
  return attribute;
}

void KernelGenerator::eraseSigns(tile::KernelOp kernelOp) {
  SmallVector<int64_t> unsignedParams;
  for (auto [number, parameter] : llvm::enumerate(kernelOp.getParams()))
    if (parameter.getType().isUnsignedInteger())
      unsignedParams.push_back(number);
  if (!unsignedParams.empty())
    kernelOp->setAttr(
        tile::kUnsignedParamsAttrName,
        DenseI64ArrayAttr::get(kernelOp.getContext(), unsignedParams));
  kernelOp.walk([](Operation *op) {
    for (NamedAttribute attribute : op->getAttrs())
      if (Attribute plain = withoutSign(attribute.getValue());
          plain != attribute.getValue())
        op->setAttr(attribute.getName(), plain);
    for (Value result : op->getResults())
      result.setType(tile::withoutSign(result.getType()));
    for (Region &region : op->getRegions())
      for (Block &block : region)
        for (BlockArgument argument : block.getArguments())
          argument.setType(tile::withoutSign(argument.getType()));
  });
  // Conversions that only change a sign are left over.
  kernelOp.walk([](arith::BitcastOp op) {
    if (op.getType() != op.getIn().getType())
      return;
    op.replaceAllUsesWith(op.getIn());
    op.erase();
  });
}

void KernelGenerator::enter(Block *block) {
  values.setEntry(block);
  context.builder.setInsertionPointToEnd(block);
}

tile::KernelOp KernelGenerator::createKernel(ArrayRef<Attribute> axes,
                                             tile::ScheduleAttr schedule,
                                             KernelNumerics numerics) {
  OpBuilder &builder = context.builder;
  builder.setInsertionPointToEnd(module.getBody());
  SmallVector<StringRef> names;
  for (const Parameter *parameter : context.signature.parameters)
    names.push_back(parameter->name.text);
  const Name &name = context.kernel.name;
  auto kernelOp = tile::KernelOp::create(
      builder, context.getLoc(name.place), builder.getStringAttr(name.text),
      builder.getStrArrayAttr(names), builder.getArrayAttr(axes), schedule);
  if (!numerics.foldExp2)
    kernelOp->setAttr(tile::kNoFoldExp2AttrName, builder.getUnitAttr());
  if (!numerics.contract)
    kernelOp->setAttr(tile::kNoContractAttrName, builder.getUnitAttr());
  if (!numerics.lazyRescale)
    kernelOp->setAttr(tile::kNoLazyRescaleAttrName, builder.getUnitAttr());
  return kernelOp;
}

void KernelGenerator::addEntry(tile::KernelOp kernelOp, ArrayRef<Type> types) {
  Block &entry = kernelOp.getBody().emplaceBlock();
  for (auto [parameter, type] :
       llvm::zip_equal(context.signature.parameters, types))
    entry.addArgument(type, context.getLoc(parameter->name.place));
  for (auto [axis, attr] :
       llvm::zip_equal(context.kernel.axes, kernelOp.getAxes()))
    entry.addArgument(cast<tile::AxisAttr>(attr).getArgumentType(),
                      context.getLoc(axis.name.place));
  enter(&entry);
}
