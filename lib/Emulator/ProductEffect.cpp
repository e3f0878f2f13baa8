//===- ProductEffect.cpp - A product has its effect -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
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
    for (unsigned row = 0; row < rows; ++row)
      for (unsigned column = 0; column < form.k; ++column) {
        llvm::ArrayRef<uint8_t> bytes = cta.getMemory().read(
            getOperandByte(descriptor, type, isKMajor, row, column),
            getBytes(type));
        std::memcpy(&values[row * form.k + column], bytes.data(), bytes.size());
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
  auto forEachAccumulator = [&](auto visit) {
    forEachThread([&](Warp &warp, unsigned lane, unsigned thread) {
      for (auto [reg, slot] : llvm::enumerate(op.d))
        for (unsigned half = 0; half < halves; ++half) {
          FragmentPlace place = getAccumulatorPlace(form, thread, reg, half);
          visit(warp.at(slot)[lane], d[place.row * form.n + place.column],
                half * bits);
        }
    });
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
