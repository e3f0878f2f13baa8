//===- MachineScalars.cpp - Scalars as in machine code ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Differences between machine code and the reference interpreter (SMToNVVM). An
// `index` has 32 bits, and exp2 (ex2.approx.ftz: PTX ISA, Floating Point
// Instructions) flushes subnormal arguments and results to zero.
//
//===----------------------------------------------------------------------===//

#include "Behaviours.h"
#include "Machine/Warp.h"
#include "tessera/Array/Rounding.h"

#include "mlir/Dialect/Math/IR/Math.h"

#include <cmath>
#include <limits>

using namespace tessera;
using namespace tessera::sim;
using interp::ElementType;
using interp::Frame;
using interp::SemanticsTable;
using interp::Tile;

static float flush(float x) {
  return std::fabs(x) < std::numeric_limits<float>::min() ? x * 0.0f : x;
}

/// Computes exp2 in f32, and rounds to the type of the result. An f64 is not
/// flushed.
static LogicalResult runExp2(Operation *op, Frame &frame) {
  Tile result = frame.makeResult(op);
  if (result.getType() == ElementType::F64)
    return (*SemanticsTable::get().lookup(op))(op, frame);
  ArrayRef<float> x = frame.getTile(op->getOperand(0)).get<float>();
  for (auto [out, in] : llvm::zip_equal(result.getMutable<float>(), x))
    out =
        array::roundTo(result.getType(),
                       flush(static_cast<float>(std::exp2(double(flush(in))))));
  frame.set(op->getResult(0), std::move(result));
  return success();
}

void sim::addMachineScalars(SemanticsTable &table) {
  table.add<math::Exp2Op>(runExp2);
}

void sim::cutToMachineWidth(Operation *op, Frame &frame) {
  for (Value result : op->getResults()) {
    if (!result.getType().isIndex())
      continue;
    auto low = static_cast<int32_t>(frame.getInteger(result));
    frame.set(result, Tile::getInteger(ElementType::I64, low));
  }
}
