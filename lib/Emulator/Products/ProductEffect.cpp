//===- ProductEffect.cpp - Effect of a product ------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A product in flight takes effect: its operands are read from shared memory by
// descriptors or from registers, and its accumulators are read, updated and
// written. Operands are gathered to row-major matrices of bits in parts of 16
// bytes, which are contiguous in every layout.
//
//===----------------------------------------------------------------------===//

#include "ProductOps.h"

#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;
namespace emu = tessera::emu;

void emu::multiply(Product &product, Cta &cta) {
  const ProductOp &op = *product.form;
  const ProductForm &form = op.form;
  std::vector<uint32_t> a(ProductForm::kM * form.k), b(form.n * form.k),
      d(ProductForm::kM * form.n);
  auto load = [&](uint64_t bits, Type type, bool isKMajor, unsigned rows,
                  std::vector<uint32_t> &values) {
    MatrixDescriptor descriptor =
        llvm::cantFail(MatrixDescriptor::decode(bits));
    // Parts of 16 bytes are contiguous in every layout.
    unsigned bytes = getBytes(type), width = 16 / bytes;
    unsigned rowStep = isKMajor ? 1 : width, columnStep = isKMajor ? width : 1;
    unsigned stride = isKMajor ? 1 : form.k;
    for (unsigned row = 0; row < rows; row += rowStep)
      for (unsigned column = 0; column < form.k; column += columnStep) {
        const uint8_t *from =
            cta.getMemory()
                .read(getOperandByte(descriptor, type, isKMajor, row, column),
                      16)
                .data();
        uint32_t *to = &values[row * form.k + column];
        for (unsigned i = 0; i < width; ++i)
          std::memcpy(&to[i * stride], from + i * bytes, bytes);
      }
  };
  auto forEachThread = [&](auto visit) {
    for (Warp *warp : product.warps)
      for (unsigned lane = 0; lane < kLanes; ++lane)
        visit(*warp, lane, warp->getNumber() % kGroupWarps * kLanes + lane);
  };
  load(product.b, form.b, !op.immediates.transposesB, form.n, b);
  if (form.aInRegisters) {
    unsigned parts = form.countInARegister(), bits = 32 / parts;
    uint32_t mask = llvm::maskTrailingOnes<uint32_t>(bits);
    forEachThread([&](Warp &warp, unsigned lane, unsigned thread) {
      for (auto [reg, slot] : llvm::enumerate(op.aRegisters))
        for (unsigned part = 0; part < parts; ++part) {
          FragmentPlace place = getAPlace(form, thread, reg, part);
          a[place.row * form.k + place.column] =
              warp.at(slot)[lane] >> (part * bits) & mask;
        }
    });
  } else {
    load(product.a, form.a, !op.immediates.transposesA, ProductForm::kM, a);
  }
  unsigned halves = form.countInAccumulator(), bits = 32 / halves;
  uint32_t mask = llvm::maskTrailingOnes<uint32_t>(bits);
  // Offsets between the threads of a warp are the same for all registers.
  unsigned offsets[kLanes];
  auto getOffset = [&](unsigned thread, unsigned reg, unsigned half) {
    FragmentPlace place = getAccumulatorPlace(form, thread, reg, half);
    return place.row * form.n + place.column;
  };
  for (unsigned lane = 0; lane < kLanes; ++lane)
    offsets[lane] = getOffset(lane, 0, 0);
  auto forEachAccumulator = [&](auto visit) {
    for (Warp *warp : product.warps)
      for (auto [reg, slot] : llvm::enumerate(op.d))
        for (unsigned half = 0; half < halves; ++half) {
          uint64_t *words = warp->at(slot);
          uint32_t *elements = &d[getOffset(
              warp->getNumber() % kGroupWarps * kLanes, reg, half)];
          for (unsigned lane = 0; lane < kLanes; ++lane)
            visit(words[lane], elements[offsets[lane]], half * bits);
        }
  };
  if (product.keepsD)
    forEachAccumulator([&](uint64_t word, uint32_t &element, unsigned shift) {
      element = uint32_t(word) >> shift & mask;
    });
  multiply(form,
           {product.keepsD, op.immediates.negatesA, op.immediates.negatesB}, a,
           b, d);
  forEachAccumulator([&](uint64_t &word, uint32_t element, unsigned shift) {
    word = (word & ~(uint64_t(mask) << shift)) | uint64_t(element) << shift;
  });
  for (Warp *warp : product.warps)
    for (Slot slot : op.d)
      warp->markWritten(slot, kAllLanes);
}
