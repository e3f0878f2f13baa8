//===- InlinePTX.cpp - Inline assembly of the machine's engines -*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits instructions as inline assembly. Data dependences represent the order
// that the machine requires: accumulators are tied operands, and waits return
// the values that are complete after them. Invariant: all texts have side
// effects, so LLVM keeps their order.
//
//===----------------------------------------------------------------------===//

#include "InlinePTX.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "llvm/Support/FormatVariadic.h"

using namespace tessera;
using namespace tessera::sm;

/// Emits inline assembly that stays in order with other inline assembly.
/// Several `results` are a struct.
static SmallVector<Value> emitAsm(OpBuilder &builder, Location loc,
                                  StringRef text, StringRef constraints,
                                  ValueRange operands, TypeRange results) {
  Type type;
  if (results.size() == 1)
    type = results.front();
  else if (!results.empty())
    type = LLVM::LLVMStructType::getLiteral(builder.getContext(),
                                            llvm::to_vector(results));
  auto op = LLVM::InlineAsmOp::create(
      builder, loc, type ? TypeRange(type) : TypeRange(), operands, text,
      constraints, /*has_side_effects=*/true, /*is_align_stack=*/false,
      LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
  if (results.size() <= 1)
    return llvm::to_vector_of<Value>(op->getResults());
  SmallVector<Value> values;
  for (int64_t i = 0, e = results.size(); i < e; ++i)
    values.push_back(
        LLVM::ExtractValueOp::create(builder, loc, op->getResult(0), i));
  return values;
}

/// Returns "$first, $first+1, …", `count` of them.
static std::string listOperands(int64_t first, int64_t count) {
  std::string text;
  for (int64_t i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return text;
}

/// Returns "=f,…,0,1,…": each accumulator is written to the register from which
/// it is read.
static std::string getTiedConstraints(TypeRange accumulators) {
  std::string text;
  for (Type type : accumulators)
    text +=
        Twine(text.empty() ? "=" : ",=").str() + (type.isInteger() ? "r" : "f");
  for (size_t i = 0; i < accumulators.size(); ++i)
    text += "," + std::to_string(i);
  return text;
}

//===----------------------------------------------------------------------===//
// Products
//===----------------------------------------------------------------------===//

static StringRef getElementName(Type type) {
  if (isa<Float16Type>(type))
    return "f16";
  if (isa<BFloat16Type>(type))
    return "bf16";
  if (type.isF32())
    return "tf32";
  if (type.isInteger())
    return "s8";
  return isa<Float8E4M3FNType>(type) ? "e4m3" : "e5m2";
}

SmallVector<Value> sm::emitWgmma(OpBuilder &builder, Location loc,
                                 const WgmmaForm &form, ValueRange accumulators,
                                 ValueRange a, Value b) {
  int64_t count = accumulators.size();
  bool inRegisters = a.size() == 4;
  unsigned bits = form.a.getIntOrFloatBitWidth();
  bool isInteger = form.a.isInteger();
  int64_t next = 2 * count;
  std::string left = inRegisters ? "{" + listOperands(next, 4) + "}"
                                 : "$" + std::to_string(next);
  next += a.size();
  std::string majors;
  if (bits == 16 && !inRegisters)
    majors += form.transposesA ? ", 1" : ", 0";
  if (bits == 16)
    majors += form.transposesB ? ", 1" : ", 0";
  std::string text =
      llvm::formatv("{{\n.reg .pred p;\nsetp.ne.b32 p, {0}, 0;\n"
                    "wgmma.mma_async.sync.aligned.m64n{1}k{2}.{3}.{4}.{5} "
                    "{{{6}}, {7}, ${8}, p{9}{10};\n}",
                    form.accumulates ? 1 : 0, form.n, 256 / bits,
                    isInteger ? "s32" : "f32", getElementName(form.a),
                    getElementName(form.b), listOperands(0, count), left, next,
                    isInteger ? "" : ", 1, 1", majors)
          .str();
  std::string constraints = getTiedConstraints(accumulators.getTypes()) +
                            (inRegisters ? ",r,r,r,r,l" : ",l,l");
  SmallVector<Value> operands(accumulators);
  llvm::append_range(operands, a);
  operands.push_back(b);
  return emitAsm(builder, loc, text, constraints, operands,
                 accumulators.getTypes());
}

/// Emits `text`. `values` pass through, `read` is in registers, and the text is
/// ordered with accesses to memory.
static SmallVector<Value> emitPassing(OpBuilder &builder, Location loc,
                                      StringRef text, ValueRange values,
                                      ValueRange read) {
  std::string constraints = getTiedConstraints(values.getTypes());
  for (size_t i = 0; i < read.size(); ++i)
    constraints += constraints.empty() ? "r" : ",r";
  constraints += constraints.empty() ? "~{memory}" : ",~{memory}";
  SmallVector<Value> operands(values);
  llvm::append_range(operands, read);
  return emitAsm(builder, loc, text, constraints, operands, values.getTypes());
}

SmallVector<Value> sm::emitWgmmaFence(OpBuilder &builder, Location loc,
                                      ValueRange values, ValueRange read) {
  return emitPassing(builder, loc, "wgmma.fence.sync.aligned;", values, read);
}

SmallVector<Value> sm::emitWgmmaWait(OpBuilder &builder, Location loc,
                                     int64_t leave, ValueRange values,
                                     ValueRange read) {
  std::string text =
      llvm::formatv("wgmma.wait_group.sync.aligned {0};", leave).str();
  return emitPassing(builder, loc, text, values, read);
}

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

void sm::emitBarrierWait(OpBuilder &builder, Location loc, Value barrier,
                         Value parity) {
  // Labels inside braces are local to each copy of the text.
  emitAsm(builder, loc,
          "{\n.reg .pred p;\nTRY:\n"
          "mbarrier.try_wait.parity.shared::cta.b64 p, [$0], $1;\n"
          "@p bra DONE;\nbra TRY;\nDONE:\n}",
          "r,r,~{memory}", {barrier, parity}, {});
}

void sm::emitBarrierArrive(OpBuilder &builder, Location loc, Value barrier,
                           Value predicate) {
  if (!predicate) {
    emitAsm(builder, loc, "mbarrier.arrive.shared::cta.b64 _, [$0];",
            "r,~{memory}", barrier, {});
    return;
  }
  emitAsm(builder, loc,
          "{\n.reg .pred p;\nsetp.ne.b32 p, $1, 0;\n"
          "@p mbarrier.arrive.shared::cta.b64 _, [$0];\n}",
          "r,r,~{memory}", {barrier, predicate}, {});
}

void sm::emitGridMeeting(OpBuilder &builder, Location loc, Value arrivals,
                         Value share) {
  // An atomic operation of LLVM has no order in PTX.
  emitAsm(builder, loc,
          "{\n.reg .pred p;\n.reg .b32 before, now;\n"
          "atom.acq_rel.gpu.global.add.u32 before, [$0], $1;\n"
          "TRY:\nld.acquire.gpu.global.u32 now, [$0];\n"
          "xor.b32 now, now, before;\nsetp.ge.s32 p, now, 0;\n"
          "@p bra TRY;\n}",
          "l,r,~{memory}", {arrivals, share}, {});
}

void sm::emitClusterArrive(OpBuilder &builder, Location loc, Value barrier,
                           Value thread, int64_t size) {
  // A release at the scope of the cluster would be a membar of the GPU in the
  // main loop. The scope of the CTA suffices: tensor copies wrote the data that
  // was read, and threads wrote nothing.
  if (thread) {
    std::string text =
        llvm::formatv("{{\n.reg .pred p;\n.reg .b32 remote;\n"
                      "setp.lt.u32 p, $1, {0};\n"
                      "@p mapa.shared::cluster.u32 remote, $0, $1;\n"
                      "@p mbarrier.arrive.shared::cluster.b64 _, [remote];\n}",
                      size)
            .str();
    emitAsm(builder, loc, text, "r,r,~{memory}", {barrier, thread}, {});
    return;
  }
  for (int64_t rank = 0; rank < size; ++rank) {
    std::string text =
        llvm::formatv("{{\n.reg .b32 remote;\n"
                      "mapa.shared::cluster.u32 remote, $0, {0};\n"
                      "mbarrier.arrive.shared::cluster.b64 _, [remote];\n}",
                      rank)
            .str();
    emitAsm(builder, loc, text, "r,~{memory}", barrier, {});
  }
}

void sm::emitBarrierExpect(OpBuilder &builder, Location loc, Value barrier,
                           Value bytes) {
  emitAsm(builder, loc,
          "mbarrier.arrive.expect_tx.shared::cta.b64 _, [$0], $1;",
          "r,r,~{memory}", {barrier, bytes}, {});
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Emits a tensor load. `mask`, if there is one, is an i16 with a bit for each
/// CTA that gets a copy.
static void emitTensorLoad(OpBuilder &builder, Location loc, Value destination,
                           Value map, ValueRange coordinates, Value barrier,
                           Value mask) {
  int64_t rank = coordinates.size();
  std::string text =
      llvm::formatv("cp.async.bulk.tensor.{0}d.shared::cluster.global.mbarrier"
                    "::complete_tx::bytes{1} [$0], [$1, {{{2}}], [$2]",
                    rank, mask ? ".multicast::cluster" : "",
                    listOperands(3, rank))
          .str();
  std::string constraints = "r,l,r";
  for (int64_t i = 0; i < rank; ++i)
    constraints += ",r";
  SmallVector<Value> operands = {destination, map, barrier};
  llvm::append_range(operands, coordinates);
  if (mask) {
    text += ", $" + std::to_string(operands.size());
    constraints += ",h";
    operands.push_back(mask);
  }
  emitAsm(builder, loc, text + ";", constraints + ",~{memory}", operands, {});
}

void sm::emitTensorLoad(OpBuilder &builder, Location loc, Value destination,
                        Value map, ValueRange coordinates, Value barrier) {
  ::emitTensorLoad(builder, loc, destination, map, coordinates, barrier,
                   /*mask=*/Value());
}

void sm::emitTensorMulticast(OpBuilder &builder, Location loc,
                             Value destination, Value map,
                             ValueRange coordinates, Value barrier,
                             int64_t size) {
  Value mask = LLVM::ConstantOp::create(
      builder, loc, builder.getI16Type(),
      builder.getI16IntegerAttr(static_cast<int16_t>((1 << size) - 1)));
  ::emitTensorLoad(builder, loc, destination, map, coordinates, barrier, mask);
}

/// Emits a tensor store or addition. `operation` is "async" to store, or
/// "reduce.async" with ".add".
static void emitTensorWrite(OpBuilder &builder, Location loc,
                            StringRef operation, StringRef reduction, Value map,
                            Value source, ValueRange coordinates) {
  int64_t rank = coordinates.size();
  std::string text =
      llvm::formatv("cp.{0}.bulk.tensor.{1}d.global.shared::cta{2}."
                    "bulk_group [$0, {{{3}}], [$1];",
                    operation, rank, reduction, listOperands(2, rank))
          .str();
  std::string constraints = "l,r";
  for (int64_t i = 0; i < rank; ++i)
    constraints += ",r";
  SmallVector<Value> operands = {map, source};
  llvm::append_range(operands, coordinates);
  emitAsm(builder, loc, text, constraints + ",~{memory}", operands, {});
}

void sm::emitTensorStore(OpBuilder &builder, Location loc, Value map,
                         Value source, ValueRange coordinates) {
  emitTensorWrite(builder, loc, "async", "", map, source, coordinates);
}

void sm::emitTensorAdd(OpBuilder &builder, Location loc, Value map,
                       Value source, ValueRange coordinates) {
  emitTensorWrite(builder, loc, "reduce.async", ".add", map, source,
                  coordinates);
}

/// Returns the instruction up to its size. Pieces below 16 bytes must go
/// through the L1 cache.
static std::string getAsyncCopy(int64_t size) {
  return (Twine("cp.async.") + (size == 16 ? "cg" : "ca") +
          ".shared.global [$0], [$1], " + Twine(size))
      .str();
}

void sm::emitAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                       Value source, Value bytes, int64_t size) {
  emitAsm(builder, loc, getAsyncCopy(size) + ", $2;", "r,l,r,~{memory}",
          {destination, source, bytes}, {});
}

void sm::emitWholeAsyncCopy(OpBuilder &builder, Location loc, Value destination,
                            Value source, Value isValid, int64_t size) {
  if (!isValid) {
    emitAsm(builder, loc, getAsyncCopy(size) + ";", "r,l,~{memory}",
            {destination, source}, {});
    return;
  }
  Value isTrue =
      LLVM::ConstantOp::create(builder, loc, builder.getBoolAttr(true));
  Value isIgnored = LLVM::XOrOp::create(builder, loc, isValid, isTrue);
  emitAsm(builder, loc, getAsyncCopy(size) + ", $2;", "r,l,b,~{memory}",
          {destination, source, isIgnored}, {});
}

void sm::emitAsyncCopyWait(OpBuilder &builder, Location loc) {
  emitAsm(builder, loc, "cp.async.wait_all;", "~{memory}", {}, {});
}

void sm::emitAsyncCopyCommit(OpBuilder &builder, Location loc) {
  emitAsm(builder, loc, "cp.async.commit_group;", "~{memory}", {}, {});
}

void sm::emitAsyncCopyWait(OpBuilder &builder, Location loc, int64_t leave) {
  emitAsm(builder, loc, ("cp.async.wait_group " + Twine(leave) + ";").str(),
          "~{memory}", {}, {});
}

Value sm::emitOpaque(OpBuilder &builder, Location loc, Value value) {
  bool isWide = !value.getType().isInteger(32);
  return emitAsm(builder, loc, isWide ? "mov.b64 $0, $1;" : "mov.b32 $0, $1;",
                 isWide ? "=l,l" : "=r,r", value, value.getType())
      .front();
}

void sm::emitAsyncCopyArrive(OpBuilder &builder, Location loc, Value barrier) {
  emitAsm(builder, loc, "cp.async.mbarrier.arrive.noinc.shared::cta.b64 [$0];",
          "r,~{memory}", barrier, {});
}

//===----------------------------------------------------------------------===//
// Launches
//===----------------------------------------------------------------------===//

void sm::emitLaunchOfDependents(OpBuilder &builder, Location loc) {
  emitAsm(builder, loc, "griddepcontrol.launch_dependents;", "", {}, {});
}

void sm::emitDependencyWait(OpBuilder &builder, Location loc) {
  emitAsm(builder, loc, "griddepcontrol.wait;", "~{memory}", {}, {});
}
