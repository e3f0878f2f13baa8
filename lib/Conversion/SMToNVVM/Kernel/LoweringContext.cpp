//===- LoweringContext.cpp - Context of lowering patterns -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Creates the values of a kernel at its entry: thread, lane and warp numbers of
// the kernel and of each role. An op finds its group of threads from the
// innermost enclosing region of a role.
//
//===----------------------------------------------------------------------===//

#include "LoweringContext.h"

#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/ProgramWalk.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

/// Alignment of the start of shared memory for swizzles and tensor copies.
static constexpr unsigned kSharedAlignment = 1024;

/// Emits the start of the dynamic shared memory. Declares it in the first
/// kernel.
static Value emitSharedBase(OpBuilder &builder, Location loc,
                            LLVM::LLVMFuncOp function) {
  MLIRContext *context = builder.getContext();
  auto module = function->getParentOfType<ModuleOp>();
  auto global = module.lookupSymbol<LLVM::GlobalOp>(kSharedMemorySymbol);
  if (!global) {
    OpBuilder::InsertionGuard guard(builder);
    builder.setInsertionPointToStart(module.getBody());
    global = LLVM::GlobalOp::create(
        builder, loc, LLVM::LLVMArrayType::get(builder.getI8Type(), 0),
        /*isConstant=*/false, LLVM::Linkage::External, kSharedMemorySymbol,
        /*value=*/Attribute(), kSharedAlignment, /*addrSpace=*/3);
  }
  Value pointer = LLVM::AddressOfOp::create(
      builder, loc, LLVM::LLVMPointerType::get(context, 3),
      kSharedMemorySymbol);
  return LLVM::PtrToIntOp::create(builder, loc, builder.getI32Type(), pointer);
}

LoweringContext::LoweringContext(KernelOp kernel, LLVM::LLVMFuncOp function,
                                 const KernelSignature &signature)
    : target(sm::getTarget(kernel)), signature(signature), function(function) {
  Location loc = kernel.getLoc();
  OpBuilder builder = OpBuilder::atBlockBegin(&function.getBody().front());
  Type i32 = builder.getI32Type();

  ThreadGroup all;
  all.target = &target;
  all.warps = kernel.getWarps();
  all.thread = NVVM::ThreadIdXOp::create(builder, loc, i32);
  all.lane =
      LLVM::AndOp::create(builder, loc, all.thread, emitI32(builder, loc, 31));
  // A shuffle of a value that is equal in a warp shows ptxas that it is
  // uniform. Values computed from it then use the uniform datapath.
  Value warp =
      LLVM::LShrOp::create(builder, loc, all.thread, emitI32(builder, loc, 5));
  all.warp =
      NVVM::ShflOp::create(builder, loc, i32, emitI32(builder, loc, -1), warp,
                           emitI32(builder, loc, 0), emitI32(builder, loc, 31),
                           NVVM::ShflKind::idx, UnitAttr());
  all.ownLane = all.lane;
  groups.push_back(all);

  SmallVector<RoleOp> inTurn = getRolesInTurn(kernel);
  SmallVector<unsigned> turns;
  kernel.walk([&](RoleOp role) {
    if (llvm::is_contained(inTurn, role))
      turns.push_back(groups.size());
    ThreadGroup group;
    group.target = &target;
    group.warps = role.getWarps();
    group.firstWarp = role.getFirstWarp();
    group.barrier = groups.size();
    group.elected = role.getElected();
    group.lane = group.ownLane = all.lane;
    auto minusFirst = [&](Value number, int64_t first) -> Value {
      if (first == 0)
        return number;
      return LLVM::SubOp::create(builder, loc, number,
                                 emitI32(builder, loc, first));
    };
    group.warp = minusFirst(all.warp, group.firstWarp);
    group.thread = minusFirst(all.thread, group.firstWarp * 32);
    // The elected thread counts as the first thread of its group.
    if (group.elected)
      group.lane = group.warp = group.thread = emitI32(builder, loc, 0);
    groups.push_back(group);
  });
  for (auto [index, turn] : llvm::enumerate(turns))
    groups[turn].next = turns[(index + 1) % turns.size()];
  sharedBase = emitSharedBase(builder, loc, function);
}

const ThreadGroup &LoweringContext::getThreads(Operation *op) const {
  for (Region *region = op->getParentRegion(); region;
       region = region->getParentRegion()) {
    auto found = groupOfRegion.find(region);
    if (found != groupOfRegion.end())
      return groups[found->second];
  }
  return groups.front();
}

void LoweringContext::setGroup(Region *region, unsigned group) {
  groupOfRegion[region] = group;
}

Value LoweringContext::getSharedAddress(OpBuilder &builder, Location loc,
                                        int64_t bytes) const {
  if (bytes == 0)
    return sharedBase;
  return LLVM::AddOp::create(builder, loc, sharedBase,
                             emitI32(builder, loc, bytes));
}

void LoweringContext::setParameter(Value global, unsigned index) {
  parameters[global] = index;
}

unsigned LoweringContext::getParameter(Value global) const {
  return parameters.lookup(global);
}

Value LoweringContext::getAddress(Value global) const {
  LLVM::LLVMFuncOp kernel = function;
  return kernel.getArgument(*signature.findAddress(getParameter(global)));
}

OpFoldResult LoweringContext::getStride(Value global, int64_t dim) const {
  auto type = cast<tile::GlobalType>(global.getType());
  if (auto constant = sm::getConstantStride(type, dim))
    return IntegerAttr::get(IntegerType::get(type.getContext(), 64), *constant);
  LLVM::LLVMFuncOp kernel = function;
  return kernel.getArgument(
      *signature.findStride(KernelSignature::getStrideExpression(type, dim)));
}

Value LoweringContext::getTensorMap(unsigned index) const {
  LLVM::LLVMFuncOp kernel = function;
  return kernel.getArgument(signature.getTensorMapArgument(index));
}

Value LoweringContext::getCounter() const {
  LLVM::LLVMFuncOp kernel = function;
  return kernel.getArgument(*signature.findCounter());
}

Value LoweringContext::getScalar(OpBuilder &builder, Location loc,
                                 unsigned index, Type type) const {
  LLVM::LLVMFuncOp kernel = function;
  Value argument = kernel.getArgument(*signature.findScalar(index));
  if (type.isIndex())
    return arith::IndexCastOp::create(builder, loc, type, argument);
  if (type.isInteger(1))
    return LLVM::TruncOp::create(builder, loc, type, argument);
  // A float of 8 bits is passed as a byte.
  if (argument.getType() != type)
    return UnrealizedConversionCastOp::create(builder, loc, type, argument)
        .getResult(0);
  return argument;
}

Value LoweringContext::getSize(tile::SizeAttr size) const {
  LLVM::LLVMFuncOp kernel = function;
  return kernel.getArgument(*signature.findSize(size.str()));
}

void sm::emitRoleBarrier(OpBuilder &builder, const LoweringContext &context,
                         Operation *op) {
  const ThreadGroup &threads = context.getThreads(op);
  Location loc = op->getLoc();
  if (threads.warps == 1) {
    NVVM::SyncWarpOp::create(builder, loc, emitI32(builder, loc, -1));
    return;
  }
  if (threads.barrier == 0) {
    NVVM::Barrier0Op::create(builder, loc);
    return;
  }
  NVVM::BarrierOp::create(builder, loc, TypeRange(),
                          emitI32(builder, loc, threads.barrier),
                          emitI32(builder, loc, threads.getThreads()),
                          NVVM::BarrierReductionAttr(), Value());
}

Value sm::emitIsElected(OpBuilder &builder, const LoweringContext &context,
                        Operation *op) {
  const ThreadGroup &threads = context.getThreads(op);
  Location loc = op->getLoc();
  if (threads.elected)
    return LLVM::ConstantOp::create(builder, loc, builder.getI1Type(),
                                    builder.getBoolAttr(true));
  return LLVM::ICmpOp::create(builder, loc, LLVM::ICmpPredicate::eq,
                              threads.thread, emitI32(builder, loc, 0));
}

Value sm::emitI32(OpBuilder &builder, Location loc, int64_t value) {
  return LLVM::ConstantOp::create(
      builder, loc, builder.getI32Type(),
      builder.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value sm::emitToI32(OpBuilder &builder, Location loc, Value index) {
  if (!index.getType().isIndex())
    return index;
  return arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index);
}

Value sm::emitAnd(OpBuilder &builder, Location loc, Value a, Value b) {
  if (!a || !b)
    return a ? a : b;
  return LLVM::AndOp::create(builder, loc, a, b);
}

Value sm::emitSharedPointer(OpBuilder &builder, Location loc, Value address) {
  return LLVM::IntToPtrOp::create(
      builder, loc, LLVM::LLVMPointerType::get(builder.getContext(), 3),
      address);
}
