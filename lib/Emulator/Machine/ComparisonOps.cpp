//===- ComparisonOps.cpp - Comparisons with two results ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// PTX ISA, "setp": p = (a relation b) op c, and q = !(a relation b) op c, where
// c may be negated. The comparison itself is a scalar form, found by the name
// without `op`. Comparisons with one result are scalar forms as a whole.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"
#include "Warp.h"

#include "tessera/Emulator/ScalarForms.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;
using llvm::Expected;

namespace {
enum class Combiner : uint8_t { None, And, Or, Xor };
} // namespace

static bool join(Combiner join, bool a, bool c) {
  switch (join) {
  case Combiner::None:
    return a;
  case Combiner::And:
    return a && c;
  case Combiner::Or:
    return a || c;
  case Combiner::Xor:
    return a != c;
  }
  return a;
}

/// Finds the comparison without the operation that combines it with c.
static Expected<ScalarForm> findRelation(Decoder &decoder, Combiner &join) {
  Instruction plain;
  for (StringRef part : decoder.getInstruction().parts) {
    auto joins = {std::pair("and", Combiner::And),
                  {"or", Combiner::Or},
                  {"xor", Combiner::Xor}};
    const auto *found = llvm::find_if(
        joins, [&](const auto &each) { return part == each.first; });
    if (found != joins.end())
      join = found->second;
    else
      plain.name += (plain.name.empty() ? "" : ".") + part.str();
  }
  StringRef(plain.name).split(plain.parts, '.');
  plain.operands.resize(3);
  Expected<std::optional<ScalarForm>> form = findScalarForm(plain);
  if (!form)
    return decoder.makeError(llvm::toString(form.takeError()));
  return **form;
}

static Error decodeComparison(Decoder &decoder) {
  const Instruction &instruction = decoder.getInstruction();
  bool isPlain = llvm::none_of(instruction.operands, [](const Operand &each) {
    return each.kind == Operand::Pair || each.kind == Operand::Negated;
  });
  if (isPlain)
    return decoder.decodeScalar();
  Combiner how = Combiner::None;
  TESSERA_EMU_TRY(form, findRelation(decoder, how));
  unsigned count = 3 + (how != Combiner::None);
  if (Error error = decoder.expectOperands(count, count))
    return error;
  TESSERA_EMU_TRY(a,
                  decoder.getSource(decoder.getOperand(1), form.operands[0]));
  TESSERA_EMU_TRY(b,
                  decoder.getSource(decoder.getOperand(2), form.operands[1]));
  Slot c = a;
  bool isNegated = false;
  if (how != Combiner::None) {
    const Operand &operand = decoder.getOperand(3);
    isNegated = operand.kind == Operand::Negated;
    TESSERA_EMU_TRY(slot,
                    decoder.getSource(isNegated ? operand.elements[0] : operand,
                                      Type::Pred));
    c = slot;
  }
  decoder.getOp().passing = decoder.getOp().reads.size();
  const Operand &results = decoder.getOperand(0);
  bool isPair = results.kind == Operand::Pair;
  TESSERA_EMU_TRY(p, decoder.getTarget(isPair ? results.elements[0] : results));
  std::optional<Slot> q;
  if (isPair) {
    TESSERA_EMU_TRY(slot, decoder.getTarget(results.elements[1]));
    q = slot;
  }
  decoder.getOp().action = [=, relation = form.function](Warp &warp,
                                                         Lanes lanes) {
    forEachLane(lanes, [&](unsigned lane) {
      uint64_t operands[] = {warp.at(a)[lane], warp.at(b)[lane]};
      bool holds = relation(operands) & 1;
      bool given = bool(warp.at(c)[lane]) != isNegated;
      warp.at(p)[lane] = join(how, holds, given);
      if (q)
        warp.at(*q)[lane] = join(how, !holds, given);
    });
    return Outcome::Done;
  };
  return Error::success();
}

void emu::addComparisonOps(DecodeTable &table) {
  table["setp"] = decodeComparison;
}
