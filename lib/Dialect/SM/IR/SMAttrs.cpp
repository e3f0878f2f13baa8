//===- SMAttrs.cpp - Attributes of the sm dialect ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Target.h"

using namespace tessera;
using namespace tessera::sm;

llvm::hash_code layout::hash_value(const Layout &layout) {
  llvm::hash_code code = llvm::hash_combine_range(layout.getShape());
  for (const Axis &axis : layout.getAxes()) {
    code = llvm::hash_combine(code, axis.name);
    for (const Term &term : axis.terms)
      code = llvm::hash_combine(code, term.count,
                                llvm::hash_combine_range(term.stride));
  }
  return code;
}

void LayoutAttr::print(AsmPrinter &printer) const {
  printer << "<\"" << getLayout().str() << "\">";
}

Attribute LayoutAttr::parse(AsmParser &parser, Type) {
  std::string text;
  if (parser.parseLess())
    return {};
  SMLoc loc = parser.getCurrentLocation();
  if (parser.parseString(&text) || parser.parseGreater())
    return {};
  llvm::Expected<layout::Layout> layout = layout::Layout::parse(text);
  if (!layout) {
    parser.emitError(loc, "invalid layout: ")
        << llvm::toString(layout.takeError());
    return {};
  }
  if (!layout->hasOnlyAxes({layout::kRegister, layout::kLane, layout::kWarp})) {
    parser.emitError(loc, "expected a layout over register, lane and warp");
    return {};
  }
  if (layout->getSize(layout::kLane) != 32) {
    parser.emitError(loc, "expected a layout over 32 lanes, got ")
        << layout->getSize(layout::kLane);
    return {};
  }
  return LayoutAttr::get(parser.getContext(), *layout);
}

LogicalResult
LayoutAttr::verifyEncoding(ArrayRef<int64_t> shape, Type,
                           function_ref<InFlightDiagnostic()> emitError) const {
  if (shape == getLayout().getShape())
    return success();
  InFlightDiagnostic diagnostic = emitError()
                                  << "expected a layout of the shape of the "
                                     "tensor, got one of ";
  llvm::interleave(getLayout().getShape(), diagnostic, "x");
  return diagnostic;
}

LogicalResult TargetAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                                 StringRef name) {
  if (findGpuTarget(name))
    return success();
  return emitError() << "expected the name of a target, got '" << name
                     << "'; there is " << listGpuTargets();
}

const GpuTarget &TargetAttr::getTarget() const {
  return *findGpuTarget(getName());
}

const GpuTarget *sm::findTarget(ModuleOp module) {
  auto target = module->getAttrOfType<TargetAttr>(kTargetAttrName);
  return target ? &target.getTarget() : nullptr;
}

const GpuTarget &sm::getTarget(Operation *op) {
  for (; op; op = op->getParentOp())
    if (auto module = dyn_cast<ModuleOp>(op))
      if (const GpuTarget *target = findTarget(module))
        return *target;
  return getDefaultGpuTarget();
}

void sm::setTarget(ModuleOp module, const GpuTarget &target) {
  MLIRContext *context = module.getContext();
  // A module of tiles alone has not loaded the dialect yet.
  context->loadDialect<SMDialect>();
  module->setAttr(kTargetAttrName, TargetAttr::get(context, target.name));
}

//===----------------------------------------------------------------------===//
// Ops
//===----------------------------------------------------------------------===//

LogicalResult
OpScheduleAttr::verify(function_ref<InFlightDiagnostic()> emitError,
                       int64_t stage, int64_t order) {
  static_assert(kLastStage == 1, "the message names all stages");
  if (stage < 0 || stage > kLastStage)
    return emitError() << "expected stage 0 or 1, got " << stage;
  if (order < 0)
    return emitError() << "expected an order from 0 up, got " << order;
  return success();
}
