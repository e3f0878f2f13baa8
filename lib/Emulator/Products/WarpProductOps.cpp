//===- WarpProductOps.cpp - Products of one warp ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "mma": D = A B + C of 16 x 8 elements, all in registers. Fragments
// are those of a warp of wgmma; B is stored like A, with its columns as rows.
// The arithmetic is that of wgmma.
//
//===----------------------------------------------------------------------===//

#include "Machine/Decoder.h"
#include "Machine/Warp.h"

#include "tessera/Emulator/MatrixProduct.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

static constexpr unsigned kRows = 16, kColumns = 8;

namespace {
struct WarpProduct {
  ProductForm form;
  SmallVector<Slot, 4> d, a, b, c;
};
} // namespace

/// Checks whether sm_90 supports the shape for elements of this type.
static bool hasShape(Type type, unsigned k) {
  switch (type) {
  case Type::F16:
  case Type::BF16:
    return k == 8 || k == 16;
  case Type::TF32:
    return k == 4 || k == 8;
  case Type::S8:
  case Type::U8:
  case Type::E4M3:
  case Type::E5M2:
    return k == 16 || k == 32;
  default:
    return false;
  }
}

static bool isInteger(Type type) {
  return type == Type::S8 || type == Type::U8;
}
static bool isEightBitFloat(Type type) {
  return type == Type::E4M3 || type == Type::E5M2;
}

/// mma.sync.aligned.m16n8k16.row.col{.satfinite}.dtype.atype.btype.ctype
static Expected<ProductForm> getForm(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  auto refuse = [&] {
    return decoder.makeError("unknown instruction '" + instruction.name + "'");
  };
  ArrayRef<StringRef> parts = instruction.parts;
  bool isSaturating = instruction.has("satfinite");
  if (parts.size() != 10u + isSaturating || parts[1] != "sync" ||
      parts[2] != "aligned" || parts[4] != "row" || parts[5] != "col" ||
      (isSaturating && parts[6] != "satfinite"))
    return refuse();
  ProductForm form;
  form.n = kColumns;
  form.aInRegisters = true;
  form.isSaturating = isSaturating;
  StringRef shape = parts[3];
  if (!shape.consume_front("m16n8k") || shape.getAsInteger(10, form.k))
    return refuse();
  std::optional<Type> types[4];
  for (unsigned i = 0; i < 4; ++i)
    types[i] = parseType(parts[parts.size() - 4 + i]);
  if (!types[0] || !types[1] || !types[2] || types[0] != types[3])
    return refuse();
  form.d = *types[0];
  form.a = *types[1];
  form.b = *types[2];
  bool areAlike = form.a == form.b ||
                  (isInteger(form.a) && isInteger(form.b)) ||
                  (isEightBitFloat(form.a) && isEightBitFloat(form.b));
  bool hasResult =
      isInteger(form.a)
          ? form.d == Type::S32
          : !isSaturating &&
                (form.d == Type::F32 ||
                 (form.d == Type::F16 &&
                  (form.a == Type::F16 || isEightBitFloat(form.a))));
  if (!areAlike || !hasResult || !hasShape(form.a, form.k))
    return refuse();
  return form;
}

/// Calls `visit(lane, register, part, row, column)` for each element of a
/// matrix. A register holds `run` elements that are adjacent in a row. With
/// `isSixteen`, every second register holds the row 8 below.
template <typename Visit>
static void forEachElement(unsigned registers, unsigned run, bool isSixteen,
                           Visit visit) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned reg = 0; reg < registers; ++reg)
      for (unsigned part = 0; part < run; ++part) {
        unsigned block = isSixteen ? reg / 2 : reg;
        unsigned row = lane / 4 + (isSixteen ? reg % 2 * 8 : 0);
        visit(lane, reg, part, row, block * 4 * run + lane % 4 * run + part);
      }
}

/// Does the same for C and D: two adjacent elements of a row, in one register
/// for f16 and in two for other types.
template <typename Visit>
static void forEachResult(bool isHalf, Visit visit) {
  for (unsigned lane = 0; lane < kLanes; ++lane)
    for (unsigned i = 0; i < 4; ++i)
      visit(lane, isHalf ? i / 2 : i, isHalf ? i % 2 * 16 : 0,
            (lane / 4 + i / 2 * 8) * kColumns + lane % 4 * 2 + i % 2);
}

static void execute(Warp &warp, const WarpProduct &product) {
  const ProductForm &form = product.form;
  std::vector<uint32_t> a(kRows * form.k), b(kColumns * form.k),
      d(kRows * kColumns);
  auto load = [&](llvm::ArrayRef<Slot> slots, Type type, bool isSixteen,
                  std::vector<uint32_t> &elements) {
    unsigned bits = 8 * getBytes(type);
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
    forEachElement(slots.size(), 32 / bits, isSixteen,
                   [&](unsigned lane, unsigned reg, unsigned part, unsigned row,
                       unsigned column) {
                     elements[row * form.k + column] =
                         warp.at(slots[reg])[lane] >> (part * bits) & mask;
                   });
  };
  load(product.a, form.a, /*isSixteen=*/true, a);
  load(product.b, form.b, /*isSixteen=*/false, b);
  bool isHalf = form.d == Type::F16;
  uint32_t mask = isHalf ? 0xFFFF : ~0u;
  forEachResult(
      isHalf, [&](unsigned lane, unsigned reg, unsigned shift, unsigned place) {
        d[place] = warp.at(product.c[reg])[lane] >> shift & mask;
      });
  multiply(form, {}, a, b, d);
  forEachResult(
      isHalf, [&](unsigned lane, unsigned reg, unsigned shift, unsigned place) {
        uint64_t &word = warp.at(product.d[reg])[lane];
        word = (shift ? word : 0) | uint64_t(d[place]) << shift;
      });
}

static Error decodeWarpProduct(Decoder &decoder) {
  Expected<ProductForm> form = getForm(decoder);
  if (!form)
    return form.takeError();
  if (Error error = decoder.expectOperands(4, 4))
    return error;
  auto product = std::make_shared<WarpProduct>();
  product->form = *form;
  TESSERA_EMU_TRY(d, decoder.getTargets(decoder.getOperand(0)));
  TESSERA_EMU_TRY(a, decoder.getSources(decoder.getOperand(1), Type::B32));
  TESSERA_EMU_TRY(b, decoder.getSources(decoder.getOperand(2), Type::B32));
  TESSERA_EMU_TRY(c, decoder.getSources(decoder.getOperand(3), Type::B32));
  unsigned ofB = form->k * getBytes(form->b) / 16;
  unsigned ofD = form->d == Type::F16 ? 2 : 4;
  for (auto [slots, count] :
       {std::pair(&d, ofD), {&a, 2 * ofB}, {&b, ofB}, {&c, ofD}})
    if (slots->size() != count)
      return decoder.makeError("expected " + Twine(count) +
                               " registers of a matrix, got " +
                               Twine(slots->size()));
  product->d = d;
  product->a = a;
  product->b = b;
  product->c = c;
  decoder.getOp().isAligned = true;
  decoder.getOp().action = [product](Warp &warp, Lanes) {
    execute(warp, *product);
    return Outcome::Done;
  };
  return Error::success();
}

void emu::addWarpProductOps(DecodeTable &table) {
  table["mma"] = decodeWarpProduct;
}
