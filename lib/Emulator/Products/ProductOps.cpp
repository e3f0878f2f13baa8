//===- ProductOps.cpp - Products of a warpgroup -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "Asynchronous Warpgroup Level Matrix Instructions". Four warps issue
// one product. The products of a warpgroup take effect in order; the schedule
// selects the moment after all four warps have issued one. A wait removes the
// products of its groups from the registers in use, and adds them to the clocks
// of the warp.
//
//===----------------------------------------------------------------------===//

#include "ProductOps.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;

/// wgmma.wait_group: waits until at most `pending` groups of the warp are in
/// flight.
static Outcome wait(Warp &warp, uint64_t pending) {
  TensorCores &cores = getCores(warp);
  if (warp.productGroups.size() <= pending)
    return Outcome::Done;
  size_t waited = warp.productGroups.size() - pending;
  uint64_t end = warp.productGroups[waited - 1];
  if (end > cores.next)
    return warp.block("products that not all warps of the warpgroup have "
                      "issued");
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
  // Remove products that all four warps have seen.
  uint64_t least = warp.seenProducts;
  unsigned first = warp.getNumber() / kGroupWarps * kGroupWarps;
  for (const std::unique_ptr<Warp> &other :
       warp.getCta().getWarps().drop_front(first).take_front(kGroupWarps))
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
  // The product checks its registers by its own rules; registers of A must have
  // been written.
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
