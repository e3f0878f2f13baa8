//===- ProductOps.cpp - Products of a warpgroup -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". Four warps bring
// one product; the products of a warpgroup have their effects in order, at any
// moment from when all warps have come to a wait for their group.
//
//===----------------------------------------------------------------------===//

#include "ProductOps.h"

#include "AddressSpace.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
namespace sim = tessera::sim;
using llvm::Error;
using llvm::Twine;

static constexpr unsigned kWarps = 4;

static TensorCores &getCores(Warp &warp) {
  return warp.getCta().cores[warp.getNumber() / kWarps];
}

/// Accumulators and fragments of A must not be written between the last
/// wgmma.fence and the product, but by products of the same form.
static Outcome checkFence(Warp &warp, const ProductOp &op) {
  const Kernel &kernel = *warp.getCluster().getRun().kernel.kernel;
  if (!warp.productFence)
    return warp.fail("expected a wgmma.fence before the first product");
  auto isDirty = [&](Slot slot) {
    return warp.writeTimes[slot] > warp.productFence;
  };
  for (Slot slot : op.d)
    if (isDirty(slot) && !warp.productWrites[slot])
      return warp.fail("the accumulator '" +
                       Twine(kernel.registers[slot].name) +
                       "' was written after the last wgmma.fence");
  for (Slot slot : op.aRegisters) {
    if (isDirty(slot))
      return warp.fail("the operand '" + Twine(kernel.registers[slot].name) +
                       "' was written after the last wgmma.fence");
    if (warp.productWrites[slot])
      return warp.fail("the operand '" + Twine(kernel.registers[slot].name) +
                       "' is the accumulator of a product in flight");
  }
  return Outcome::Done;
}

/// Bytes of an operand in shared memory, in the rows [first, last) along m or
/// n.
static Outcome getPieces(Warp &warp, uint64_t bits, Type type, bool isKMajor,
                         unsigned first, unsigned last, unsigned k,
                         std::vector<Piece> &pieces) {
  llvm::Expected<MatrixDescriptor> descriptor = MatrixDescriptor::decode(bits);
  if (!descriptor)
    return warp.fail(llvm::toString(descriptor.takeError()));
  // Parts of 16 bytes lie side by side in every layout.
  unsigned width = 16 / getBytes(type);
  unsigned outerStep = isKMajor ? 1 : width, innerStep = isKMajor ? width : 1;
  for (unsigned outer = first; outer < last; outer += outerStep)
    for (unsigned inner = 0; inner < k; inner += innerStep)
      pieces.push_back(
          {getOperandByte(*descriptor, type, isKMajor, outer, inner), 16});
  return Outcome::Done;
}

static Outcome issue(Warp &warp, const ProductOp &op) {
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
  // Warps that are not there would be waited for.
  size_t warps = warp.getCta().getWarps().size();
  if (warp.getNumber() / kWarps * kWarps + kWarps > warps)
    return warp.fail("a product takes the four warps of a warpgroup, and the "
                     "CTA has " +
                     Twine(warps) + " warps");

  uint64_t index = warp.issuedProducts;
  if (index < cores.first)
    return warp.fail("the warps of the warpgroup have issued other numbers of "
                     "products");
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
  unsigned own = warp.getNumber() % kWarps;
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
        visit(*warp, lane, warp->getNumber() % kWarps * kLanes + lane);
  };
  load(product.b, form.b, !op.immediates.transposesB, form.n, b);
  if (form.aInRegisters) {
    unsigned parts = form.countInARegister(), bits = 32 / parts;
    uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
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
  uint32_t mask = bits == 32 ? ~0u : (1u << bits) - 1;
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

/// wgmma.wait_group: at most so many groups of the warp are in flight.
static Outcome wait(Warp &warp, uint64_t pending) {
  TensorCores &cores = getCores(warp);
  if (warp.productGroups.size() <= pending)
    return Outcome::Done;
  size_t waited = warp.productGroups.size() - pending;
  uint64_t end = warp.productGroups[waited - 1];
  if (end > cores.next)
    return warp.block("products of its warpgroup");
  for (; warp.seenProducts < end; ++warp.seenProducts) {
    Product &product = cores.get(warp.seenProducts);
    warp.see(product.number);
    for (Slot slot : product.form->d)
      --warp.productWrites[slot];
    for (Slot slot : product.form->aRegisters)
      --warp.productReads[slot];
    warp.productRegisters -=
        product.form->d.size() + product.form->aRegisters.size();
  }
  warp.productGroups.erase(warp.productGroups.begin(),
                           warp.productGroups.begin() + waited);
  // Products that all four warps have seen are forgotten.
  uint64_t least = warp.seenProducts;
  unsigned first = warp.getNumber() / kWarps * kWarps;
  for (const std::unique_ptr<Warp> &other :
       warp.getCta().getWarps().drop_front(first).take_front(kWarps))
    least = std::min(least, other->seenProducts);
  while (cores.first < least) {
    cores.products.pop_front();
    ++cores.first;
  }
  return Outcome::Done;
}

static Error decodeProduct(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  llvm::Expected<ProductForm> form = ProductForm::get(instruction);
  if (!form)
    return decoder.makeError(llvm::toString(form.takeError()));
  llvm::Expected<ProductImmediates> immediates =
      ProductImmediates::get(*form, instruction);
  if (!immediates)
    return decoder.makeError(llvm::toString(immediates.takeError()));
  auto product = std::make_shared<ProductOp>();
  product->form = *form;
  product->immediates = *immediates;
  Op &op = decoder.getOp();
  for (const Operand &element : decoder.getOperand(ProductForm::kD).elements) {
    TESSERA_EMU_TRY(slot, decoder.getTarget(element));
    product->d.push_back(slot);
    decoder.noteProductTarget(slot);
  }
  const Operand &a = decoder.getOperand(ProductForm::kA);
  if (form->aInRegisters) {
    TESSERA_EMU_TRY(slots, decoder.getSources(a, Type::B32));
    product->aRegisters = slots;
  } else {
    TESSERA_EMU_TRY(slot, decoder.getSource(a, Type::B64));
    product->a = slot;
  }
  TESSERA_EMU_TRY(
      b, decoder.getSource(decoder.getOperand(ProductForm::kB), Type::B64));
  product->b = b;
  const Operand &scale = decoder.getOperand(ProductForm::kScaleD);
  product->negatesScaleD = scale.kind == Operand::Negated;
  TESSERA_EMU_TRY(scaleD, decoder.getSource(scale.kind == Operand::Negated
                                                ? scale.elements[0]
                                                : scale,
                                            Type::Pred));
  product->scaleD = scaleD;
  // Registers of the product are checked by its own rules; those of A must
  // have been written.
  op.writes.clear();
  op.isVisible = op.isAligned = true;
  op.action = [product](Warp &warp, Lanes) { return issue(warp, *product); };
  return Error::success();
}

static Error decodeWgmma(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  if (instruction.has("mma_async"))
    return decodeProduct(decoder);
  Op &op = decoder.getOp();
  op.isVisible = op.isAligned = true;
  if (instruction.has("fence")) {
    op.action = [](Warp &warp, Lanes) {
      warp.productFence = warp.instructions;
      return Outcome::Done;
    };
    return Error::success();
  }
  if (instruction.has("commit_group")) {
    op.action = [](Warp &warp, Lanes) {
      warp.productGroups.push_back(warp.issuedProducts);
      return Outcome::Done;
    };
    return Error::success();
  }
  if (instruction.has("wait_group")) {
    if (Error error = decoder.expectOperands(1, 1))
      return error;
    if (decoder.getOperand(0).kind != Operand::Integer)
      return decoder.makeError("expected a number of groups");
    uint64_t pending = decoder.getOperand(0).bits;
    op.action = [=](Warp &warp, Lanes) { return wait(warp, pending); };
    return Error::success();
  }
  return decoder.makeError("unknown instruction '" + instruction.name + "'");
}

void emu::addProductOps(DecodeTable &table) { table["wgmma"] = decodeWgmma; }
