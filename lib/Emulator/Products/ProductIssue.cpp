//===- ProductIssue.cpp - A warp issues its part of a product ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Issue of a product by one warp. The first warp creates the product; the
// others must issue the same instruction with equal descriptors and scales.
// Each warp records its reads of shared memory under the number of the product,
// by its own clocks, and marks its accumulators and operands in registers as in
// use.
//
// Invariant (PTX ISA, "wgmma.fence"): since the last fence, no instruction
// except products has accessed the accumulators, and none has written operands
// in registers.
//
//===----------------------------------------------------------------------===//

#include "ProductOps.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Twine;

/// Checks accesses to registers since the last wgmma.fence (PTX ISA,
/// "wgmma.fence"). Only products of the same form may have accessed
/// accumulators, and fragments of A must not have been written.
static Outcome checkFence(Warp &warp, const ProductOp &op) {
  const Kernel &kernel = *warp.getCluster().getRun().kernel.kernel;
  if (!warp.productFence)
    return warp.fail("expected a wgmma.fence before the first product");
  auto isDirty = [&](Slot slot) {
    return warp.writeTimes[slot] > warp.productFence;
  };
  for (Slot slot : op.d) {
    if (isDirty(slot) && !warp.productWrites[slot])
      return warp.fail("the accumulator '" +
                       Twine(kernel.registers[slot].name) +
                       "' was written after the last wgmma.fence");
    if (warp.readTimes[slot] > warp.productFence)
      return warp.fail("the accumulator '" +
                       Twine(kernel.registers[slot].name) +
                       "' was read after the last wgmma.fence; expected a "
                       "wgmma.fence between the read and the product");
  }
  // Products in flight that write them are checked for all operands.
  for (Slot slot : op.aRegisters)
    if (isDirty(slot))
      return warp.fail("the operand '" + Twine(kernel.registers[slot].name) +
                       "' was written after the last wgmma.fence");
  return Outcome::Done;
}

/// Collects the bytes of an operand in shared memory, in the rows [first, last)
/// along m or n.
static Outcome getPieces(Warp &warp, uint64_t bits, Type type, bool isKMajor,
                         unsigned first, unsigned last, unsigned k,
                         std::vector<Piece> &pieces) {
  llvm::Expected<MatrixDescriptor> descriptor = MatrixDescriptor::decode(bits);
  if (!descriptor)
    return warp.fail(llvm::toString(descriptor.takeError()));
  // Parts of 16 bytes are contiguous in every layout.
  unsigned width = 16 / getBytes(type);
  unsigned outerStep = isKMajor ? 1 : width, innerStep = isKMajor ? width : 1;
  for (unsigned outer = first; outer < last; outer += outerStep)
    for (unsigned inner = 0; inner < k; inner += innerStep)
      pieces.push_back(
          {getOperandByte(*descriptor, type, isKMajor, outer, inner), 16});
  return Outcome::Done;
}

Outcome emu::issue(Warp &warp, const ProductOp &op) {
  TensorCores &cores = getCores(warp);
  Cluster &cluster = warp.getCluster();
  if (Outcome outcome = checkFence(warp, op); outcome != Outcome::Done)
    return outcome;
  auto getUniform = [&](Slot slot) -> std::optional<uint64_t> {
    const uint64_t *values = warp.at(slot);
    for (unsigned lane = 1; lane < kLanes; ++lane)
      if (values[lane] != values[0])
        return std::nullopt;
    return values[0];
  };
  std::optional<uint64_t> a = op.form.aInRegisters ? 0 : getUniform(op.a);
  std::optional<uint64_t> b = getUniform(op.b), scale = getUniform(op.scaleD);
  if (!a || !b || !scale)
    return warp.fail("threads of the warp give other descriptors or scales");
  bool keepsD = bool(*scale) != op.negatesScaleD;
  const Kernel &kernel = *cluster.getRun().kernel.kernel;
  for (Slot slot : op.d)
    if (keepsD && !warp.productWrites[slot] && !warp.isWritten(slot))
      return warp.fail("adds to the accumulator '" +
                       Twine(kernel.registers[slot].name) +
                       "', which nobody has written");
  // The product would wait forever for missing warps.
  size_t warps = warp.getCta().getWarps().size();
  if (warp.getNumber() / kGroupWarps * kGroupWarps + kGroupWarps > warps)
    return warp.fail("a product takes the four warps of a warpgroup, and the "
                     "CTA has " +
                     Twine(warps) + " warps");

  uint64_t index = warp.issuedProducts;
  assert(index >= cores.first && "forgotten before all warps had seen it");
  if (index == cores.getEnd()) {
    Product &product = cores.products.emplace_back();
    product.number = cluster.startAsync();
    product.op = &warp.getOp();
    product.form = &op;
    product.a = *a;
    product.b = *b;
    product.keepsD = keepsD;
  }
  Product &product = cores.get(index);
  if (product.op != &warp.getOp() || product.a != *a || product.b != *b ||
      product.keepsD != keepsD)
    return warp.fail("another product than that of the other warps of the "
                     "warpgroup",
                     product.op, "this is theirs");
  // Each warp reads its sixteen rows of A, and all of B.
  unsigned own = warp.getNumber() % kGroupWarps;
  std::vector<Piece> pieces;
  if (!op.form.aInRegisters)
    if (Outcome outcome =
            getPieces(warp, *a, op.form.a, !op.immediates.transposesA, 16 * own,
                      16 * own + 16, op.form.k, pieces);
        outcome != Outcome::Done)
      return outcome;
  if (Outcome outcome =
          getPieces(warp, *b, op.form.b, !op.immediates.transposesB, 0,
                    op.form.n, op.form.k, pieces);
      outcome != Outcome::Done)
    return outcome;
  Cluster::Kind kind{sim::Moment::async(product.number), sim::Proxy::Async};
  if (Outcome outcome = cluster.recordShared(warp, warp.getCta(), kind, pieces);
      outcome != Outcome::Done)
    return outcome;
  ++warp.issuedProducts;
  product.warps[own] = &warp;
  ++product.arrived;
  for (Slot slot : op.d)
    ++warp.productWrites[slot];
  for (Slot slot : op.aRegisters)
    ++warp.productReads[slot];
  warp.productRegisters += op.d.size() + op.aRegisters.size();
  return Outcome::Done;
}
