//===- SharedAccessPlan.cpp - Registers and shared memory -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses the widest instruction: matrices of 8x8 elements if both layouts
// permit them, else vectors. The addresses are a table by thread and access,
// computed from the layouts, which IndexFunctions converts to code.
//
//===----------------------------------------------------------------------===//

#include "SharedAccessPlan.h"
#include "Kernel/IndexFunctions.h"
#include "SharedValues.h"
#include "tessera/Layout/InverseMap.h"

using namespace tessera;
using namespace tessera::sm;
using layout::kLane;
using layout::kRegister;
using layout::kWarp;

SharedAccessPlan::SharedAccessPlan(RankedTensorType tile, SmemType shared)
    : tile(tile), shared(shared) {
  const layout::Layout &registers = getLayout(tile);
  layout::Layout offsets = shared.getLayout();
  int64_t bytes = shared.getElementBytes();
  // Cannot fail: the shapes are equal, and every element has a place.
  width = llvm::cantFail(layout::getAccessWidth(registers, offsets, bytes));
  if (width * bytes >= 16 || !isPacked(tile))
    return;
  for (bool transposed : {false, true}) {
    auto access =
        layout::getMatrixAccess(registers, offsets, bytes, transposed);
    if (access) {
      matrices = std::move(*access);
      return;
    }
    llvm::consumeError(access.takeError());
  }
}

SmallVector<Value> SharedAccessPlan::emitAddresses(OpBuilder &builder,
                                                   Location loc,
                                                   const ThreadGroup &threads,
                                                   Value base) const {
  const layout::Layout &registers = getLayout(tile);
  int64_t bytes = shared.getElementBytes(), warps = threads.warps;
  if (matrices) {
    IndexFunctions numbers(warps, matrices->instructions);
    for (int64_t i = 0; i < matrices->instructions; ++i)
      for (int64_t warp = 0; warp < warps; ++warp) {
        ArrayRef<int64_t> rows = matrices->getRows(warp, i);
        // Lanes beyond the rows are not read, so they may have any address.
        for (int64_t lane = 0; lane < 32; ++lane)
          numbers.at(warp, lane, i) = rows[lane % rows.size()] * bytes;
      }
    return numbers.emit(builder, loc, threads, base);
  }
  int64_t accesses = getNumRegisters(tile) / width;
  IndexFunctions numbers(warps, accesses);
  layout::InverseMap places(shared.getLayout());
  for (int64_t i = 0; i < accesses; ++i)
    for (int64_t warp = 0; warp < warps; ++warp)
      for (int64_t lane = 0; lane < 32; ++lane) {
        layout::Point place = places.getPlace(registers.evaluate(
            {{kRegister, i * width}, {kLane, lane}, {kWarp, warp}}));
        // A tile of one element has no axis of offsets.
        numbers.at(warp, lane, i) = place.empty() ? 0 : place.front() * bytes;
      }
  return numbers.emit(builder, loc, threads, base);
}

static void emitMatrixStores(OpBuilder &builder, Location loc,
                             const SharedAccessPlan &plan,
                             ArrayRef<Value> addresses, ValueRange pairs) {
  MLIRContext *context = builder.getContext();
  int64_t matrices = plan.matrices->matrices;
  for (auto [i, address] : llvm::enumerate(addresses)) {
    SmallVector<Value> sources;
    for (int64_t m = 0; m < matrices; ++m)
      sources.push_back(LLVM::BitcastOp::create(
          builder, loc, builder.getI32Type(), pairs[i * matrices + m]));
    NVVM::StMatrixOp::create(
        builder, loc, emitSharedPointer(builder, loc, address), sources,
        NVVM::MMALayoutAttr::get(context, plan.getMatrixLayout()),
        NVVM::LdStMatrixShapeAttr::get(context, 8, 8),
        NVVM::LdStMatrixEltTypeAttr::get(context,
                                         NVVM::LdStMatrixEltType::B16));
  }
}

void SharedAccessPlan::emitStores(OpBuilder &builder, Location loc,
                                  ArrayRef<Value> addresses,
                                  ValueRange registers) const {
  if (matrices)
    return emitMatrixStores(builder, loc, *this, addresses, registers);
  SmallVector<Value> elements = unpackRegisters(builder, loc, tile, registers);
  for (auto [i, address] : llvm::enumerate(addresses))
    emitSharedStore(builder, loc, address,
                    ArrayRef(elements).slice(i * width, width));
}
