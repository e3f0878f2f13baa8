//===- Decoder.cpp - Decodes instructions to actions ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Decodes a kernel once. Each instruction becomes an Op: an action (a closure
// over slot numbers), the slots that it reads and writes, and its control flow.
// Registers, constants, addresses and special registers are slots of 32 lanes,
// so an operand is always a slot. The decoder of an instruction is looked up by
// its first part; other instructions are scalar forms.
//
// Invariant: after decoding, execution does not look at names or operands, and
// every instruction is known.
//
//===----------------------------------------------------------------------===//

#include "Decoder.h"

#include "AddressSpace.h"
#include "Warp.h"

#include "tessera/Emulator/ControlFlow.h"
#include "tessera/Emulator/ScalarForms.h"

#include "llvm/ADT/StringSwitch.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera::emu;
namespace emu = tessera::emu;
using llvm::Error;
using llvm::Expected;
using llvm::Twine;

const DecodeTable &emu::getDecodeTable() {
  static const DecodeTable table = [] {
    DecodeTable table;
    addMoveOps(table);
    addMemoryOps(table);
    addMatrixMemoryOps(table);
    addWarpOps(table);
    addBarrierOps(table);
    addMbarrierOps(table);
    addCopyOps(table);
    addProductOps(table);
    addWarpProductOps(table);
    addComparisonOps(table);
    return table;
  }();
  return table;
}

Decoder::Decoder(const Module &module, const Kernel &kernel)
    : module(module), kernel(kernel) {}

Error Decoder::makeError(const Twine &message) const {
  const Location &where = getInstruction().where;
  return llvm::createStringError(Twine(where.line) + ":" + Twine(where.column) +
                                 ": " + message);
}

Error Decoder::expectOperands(size_t least, size_t most) const {
  size_t count = getInstruction().operands.size();
  if (count >= least && count <= most)
    return Error::success();
  std::string expected = std::to_string(least);
  if (most != least)
    expected += " to " + std::to_string(most);
  return makeError("expected " + expected + " operands of '" +
                   getInstruction().name + "', got " + Twine(count));
}

//===----------------------------------------------------------------------===//
// Variables
//===----------------------------------------------------------------------===//

void Decoder::placeVariables() {
  for (const Variable &parameter : kernel.parameters) {
    uint64_t offset = llvm::alignTo(result.parameterBytes,
                                    std::max<uint64_t>(1, parameter.alignment));
    symbols[parameter.name] = {&parameter, offset};
    result.parameterOffsets.push_back(offset);
    result.parameterBytes = offset + parameter.bytes;
  }
  for (const Variable &variable : kernel.variables)
    if (variable.space == Variable::Local ||
        variable.space == Variable::Param) {
      uint64_t offset = llvm::alignTo(
          result.localBytes, std::max<uint64_t>(1, variable.alignment));
      symbols[variable.name] = {&variable, offset};
      result.localBytes = offset + variable.bytes;
    }
  uint64_t shared = kFirstSharedByte;
  auto place = [&](const Variable &variable, bool isExtern) {
    if (variable.space == Variable::Shared && variable.isExtern == isExtern) {
      shared = llvm::alignTo(shared, std::max<uint64_t>(1, variable.alignment));
      symbols[variable.name] = {&variable, shared};
      // All extern arrays begin at the same address.
      if (!isExtern)
        shared += variable.bytes;
    } else if (variable.space == Variable::Global ||
               variable.space == Variable::Const) {
      symbols[variable.name] = {&variable, 0};
    }
  };
  for (bool isExtern : {false, true}) {
    for (const Variable &variable : module.variables)
      place(variable, isExtern);
    for (const Variable &variable : kernel.variables)
      place(variable, isExtern);
  }
  result.staticShared = shared - kFirstSharedByte;
}

//===----------------------------------------------------------------------===//
// Operands
//===----------------------------------------------------------------------===//

Slot Decoder::getConstant(uint64_t bits) {
  auto [it, isNew] = constants.try_emplace(bits, result.slots);
  if (isNew)
    result.constants.emplace_back(result.slots++, bits);
  return it->second;
}

Expected<Slot> Decoder::getSpecial(StringRef name) {
  static const llvm::StringMap<Special> names = {
      {"%tid.x", Special::TidX},
      {"%tid.y", Special::TidY},
      {"%tid.z", Special::TidZ},
      {"%ntid.x", Special::NtidX},
      {"%ntid.y", Special::NtidY},
      {"%ntid.z", Special::NtidZ},
      {"%ctaid.x", Special::CtaidX},
      {"%ctaid.y", Special::CtaidY},
      {"%ctaid.z", Special::CtaidZ},
      {"%nctaid.x", Special::NctaidX},
      {"%nctaid.y", Special::NctaidY},
      {"%nctaid.z", Special::NctaidZ},
      {"%clusterid.x", Special::ClusterIdX},
      {"%clusterid.y", Special::ClusterIdY},
      {"%clusterid.z", Special::ClusterIdZ},
      {"%nclusterid.x", Special::NclusterIdX},
      {"%nclusterid.y", Special::NclusterIdY},
      {"%nclusterid.z", Special::NclusterIdZ},
      {"%cluster_ctaid.x", Special::ClusterCtaidX},
      {"%cluster_ctaid.y", Special::ClusterCtaidY},
      {"%cluster_ctaid.z", Special::ClusterCtaidZ},
      {"%cluster_nctaid.x", Special::ClusterNctaidX},
      {"%cluster_nctaid.y", Special::ClusterNctaidY},
      {"%cluster_nctaid.z", Special::ClusterNctaidZ},
      {"%cluster_ctarank", Special::ClusterCtarank},
      {"%cluster_nctarank", Special::ClusterNctarank},
      {"%is_explicit_cluster", Special::IsExplicitCluster},
      {"%laneid", Special::LaneId},
      {"%warpid", Special::WarpId},
      {"%nwarpid", Special::NwarpId},
      {"%smid", Special::SmId},
      {"%nsmid", Special::NsmId},
      {"%gridid", Special::GridId},
      {"%lanemask_eq", Special::LanemaskEq},
      {"%lanemask_le", Special::LanemaskLe},
      {"%lanemask_lt", Special::LanemaskLt},
      {"%lanemask_ge", Special::LanemaskGe},
      {"%lanemask_gt", Special::LanemaskGt},
      {"%dynamic_smem_size", Special::DynamicSharedBytes},
      {"%total_smem_size", Special::TotalSharedBytes},
  };
  if (name == "WARP_SZ")
    return getConstant(kLanes);
  auto found = names.find(name);
  if (found == names.end())
    return makeError("unknown special register '" + name + "'");
  auto [it, isNew] = specials.try_emplace(found->second, result.slots);
  if (isNew)
    result.specials.emplace_back(result.slots++, found->second);
  return it->second;
}

Expected<Slot> Decoder::getSymbol(const Operand &operand) {
  auto it = symbols.find(operand.name);
  assert(it != symbols.end() && "the parser knows the name");
  auto [variable, address] = it->second;
  if (variable->space != Variable::Global && variable->space != Variable::Const)
    return getConstant(address + operand.offset);
  auto [global, isNew] =
      globals.try_emplace({variable, operand.offset}, result.slots);
  if (isNew) {
    if (operand.offset != 0)
      return makeError("an address inside a variable in global memory is not "
                       "known; add the offset to it in a register");
    result.globals.emplace_back(result.slots++, variable);
  }
  return global->second;
}

Expected<Slot> Decoder::getSource(const Operand &operand, Type type) {
  switch (operand.kind) {
  case Operand::Register:
    op->reads.push_back(operand.reg);
    return operand.reg;
  case Operand::Integer:
  case Operand::Float:
    return getConstant(getImmediate(operand, type));
  case Operand::Special:
    return getSpecial(operand.name);
  case Operand::Symbol:
    return getSymbol(operand);
  default:
    return makeError("an operand of '" + getInstruction().name +
                     "' is of another kind than expected");
  }
}

Expected<Slot> Decoder::getTarget(const Operand &operand) {
  if (operand.kind == Operand::Sink) {
    // Each sink has its own slot, which no instruction reads.
    return result.slots++;
  }
  if (operand.kind != Operand::Register)
    return makeError("expected a register for the result of '" +
                     getInstruction().name + "'");
  op->writes.push_back(operand.reg);
  return operand.reg;
}

Expected<SmallVector<Slot, 4>> Decoder::getSources(const Operand &operand,
                                                   Type type) {
  SmallVector<Slot, 4> slots;
  if (operand.kind != Operand::Vector) {
    TESSERA_EMU_TRY(slot, getSource(operand, type));
    slots.push_back(slot);
    return slots;
  }
  for (const Operand &element : operand.elements) {
    TESSERA_EMU_TRY(slot, getSource(element, type));
    slots.push_back(slot);
  }
  return slots;
}

Expected<SmallVector<Slot, 4>> Decoder::getTargets(const Operand &operand) {
  SmallVector<Slot, 4> slots;
  if (operand.kind != Operand::Vector) {
    TESSERA_EMU_TRY(slot, getTarget(operand));
    slots.push_back(slot);
    return slots;
  }
  for (const Operand &element : operand.elements) {
    TESSERA_EMU_TRY(slot, getTarget(element));
    slots.push_back(slot);
  }
  return slots;
}

Expected<Decoder::Place> Decoder::getPlace(const Operand &operand) {
  if (operand.kind == Operand::Address && !operand.elements.empty()) {
    TESSERA_EMU_TRY(base, getSource(operand.elements.front(), Type::B64));
    return Place{base, operand.offset};
  }
  return makeError("expected an address in brackets as an operand of '" +
                   getInstruction().name + "'");
}

bool Decoder::isLocal(const Operand &address) const {
  if (address.kind != Operand::Address || address.elements.empty() ||
      address.elements.front().kind != Operand::Symbol)
    return false;
  auto it = symbols.find(address.elements.front().name);
  return it != symbols.end() &&
         llvm::any_of(kernel.variables, [&](const Variable &variable) {
           return &variable == it->second.first &&
                  (variable.space == Variable::Local ||
                   variable.space == Variable::Param);
         });
}

//===----------------------------------------------------------------------===//
// Instructions
//===----------------------------------------------------------------------===//

Error Decoder::decodeFlow(unsigned index) {
  StringRef root = getInstruction().getRoot();
  if (root != "bra") {
    op->flow = Op::Flow::Exit;
    if (root == "trap") {
      op->isVisible = true;
      op->action = [](Warp &warp, Lanes) {
        return warp.fail("the kernel executes a trap");
      };
    }
    return Error::success();
  }
  assert(kernel.targets[index].size() == 1 && "the parser knows the label");
  op->flow = Op::Flow::Branch;
  op->target = kernel.targets[index].front();
  op->meet = meets[index];
  return Error::success();
}

static constexpr size_t kMaxOperands = 4;

/// Computes and stores the results of these threads.
static void compute(ScalarFunction function, const uint64_t *const *operands,
                    size_t count, Lanes lanes, uint64_t *results) {
  if (ScalarFunction::WarpFunction loop = function.getWarpFunction()) {
    if (lanes == kAllLanes)
      return loop(results, operands);
    // A loop over all threads is faster than calls for half of them.
    if (llvm::popcount(lanes) >= int(kLanes) / 2) {
      uint64_t computed[kLanes];
      loop(computed, operands);
      return forEachLane(
          lanes, [&](unsigned lane) { results[lane] = computed[lane]; });
    }
  }
  forEachLane(lanes, [&](unsigned lane) {
    uint64_t words[kMaxOperands];
    for (size_t i = 0; i < count; ++i)
      words[i] = operands[i][lane];
    results[lane] = function(words);
  });
}

Error Decoder::decodeScalar() {
  const Instruction &instruction = getInstruction();
  Expected<std::optional<ScalarForm>> form = findScalarForm(instruction);
  if (!form)
    return makeError(llvm::toString(form.takeError()));
  if (!*form)
    return makeError("unknown instruction '" + instruction.name + "'");
  size_t count = (*form)->operands.size();
  if (Error error = expectOperands(count + 1, count + 1))
    return error;
  SmallVector<Slot, 4> sources;
  for (auto [i, type] : llvm::enumerate((*form)->operands)) {
    const Operand &operand = getOperand(i + 1);
    TESSERA_EMU_TRY(source, getSource(operand, type));
    sources.push_back(source);
  }
  op->passing = op->reads.size();
  TESSERA_EMU_TRY(target, getTarget(getOperand(0)));
  ScalarFunction function = (*form)->function;
  Type type = (*form)->result;
  unsigned width = getOperand(0).kind == Operand::Register
                       ? getBits(kernel.registers[target].type)
                       : 64;
  if (isSigned(type) && getBits(type) < width) {
    op->action = [=](Warp &warp, Lanes lanes) {
      uint64_t *to = warp.at(target);
      forEachLane(lanes, [&](unsigned lane) {
        SmallVector<uint64_t, 4> operands;
        for (Slot source : sources)
          operands.push_back(warp.at(source)[lane]);
        to[lane] = extendResult(function(operands.data()), type, width);
      });
      return Outcome::Done;
    };
    return Error::success();
  }
  assert(count >= 1 && count <= kMaxOperands);
  std::array<Slot, kMaxOperands> slots{};
  llvm::copy(sources, slots.begin());
  op->action = [=](Warp &warp, Lanes lanes) {
    const uint64_t *operands[kMaxOperands];
    for (size_t i = 0; i < count; ++i)
      operands[i] = warp.at(slots[i]);
    compute(function, operands, count, lanes, warp.at(target));
    return Outcome::Done;
  };
  return Error::success();
}

Error Decoder::decode(unsigned index) {
  const Instruction &instruction = *kernel.body[index];
  op = &result.ops[index];
  op->source = &instruction;
  if (instruction.guard) {
    op->isGuarded = true;
    op->guardIsNegated = instruction.guard->isNegated;
    op->guard = instruction.guard->reg;
  }
  StringRef root = instruction.getRoot();
  if (root == "bra" || root == "ret" || root == "exit" || root == "trap")
    return decodeFlow(index);
  if (root == "brx")
    return decodeIndexedBranch(index);
  if (Decode decode = getDecodeTable().lookup(root))
    return decode(*this);
  return decodeScalar();
}

Expected<DecodedKernel> Decoder::run() {
  result.kernel = &kernel;
  result.slots = kernel.registers.size();
  placeVariables();
  meets = findReconvergence(kernel);
  result.ops.resize(kernel.body.size());
  for (unsigned i = 0, e = kernel.body.size(); i < e; ++i)
    if (Error error = decode(i))
      return std::move(error);
  result.hasProducts = !productTargets.empty();
  std::vector<bool> isWritten(result.slots, false);
  for (const Op &each : result.ops)
    for (Slot slot : each.writes)
      isWritten[slot] = true;
  for (Op &each : result.ops)
    if (each.source->getRoot() != "wgmma")
      llvm::copy_if(each.reads, std::back_inserter(each.accumulatorReads),
                    [&](Slot slot) { return productTargets.count(slot) != 0; });
  for (Slot slot = 0; slot < kernel.registers.size(); ++slot)
    if (!isWritten[slot] && !productTargets.count(slot))
      result.undefined.push_back(slot);
  return std::move(result);
}
