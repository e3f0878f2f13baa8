//===- TensorStores.cpp - Accumulators to global memory ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Lowers sm.tma.store, warpgroup by warpgroup, with a ring of buffers. A
// warpgroup writes the next buffer while the copies of one thread still read
// the previous ones. 16-bit elements are written by stmatrix without bank
// conflicts, other elements in pairs (ConflictFreeStores). Invariant: a
// warpgroup waits only for its own threads.
//
//===----------------------------------------------------------------------===//

#include "Kernel/InlinePTX.h"
#include "SharedMemory/ConflictFreeStores.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Layout/RegisterTile.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

using namespace tessera;
using namespace tessera::sm;

void sm::emitTmaStoreWait(OpBuilder &builder, Location loc,
                          const ThreadGroup &threads, int64_t leave) {
  auto branch = scf::IfOp::create(builder, loc,
                                  emitIsFirstOfWarpgroup(builder, loc, threads),
                                  /*withElseRegion=*/false);
  OpBuilder inner = branch.getThenBodyBuilder();
  NVVM::CpAsyncBulkWaitGroupOp::create(inner, loc, static_cast<uint32_t>(leave),
                                       inner.getUnitAttr());
}

namespace {
/// The warpgroup of this thread, as a group of its own.
struct Warpgroup {
  Warpgroup(OpBuilder &builder, Location loc, const GpuTarget &target,
            const ThreadGroup &threads);

  /// Waits for the 128 threads of the warpgroup.
  void emitBarrier(OpBuilder &builder, Location loc) const {
    NVVM::BarrierOp::create(builder, loc, TypeRange(), barrier,
                            emitI32(builder, loc, threads.getThreads()),
                            NVVM::BarrierReductionAttr(), Value());
  }

  ThreadGroup threads;
  /// The number of the warpgroup in the role and its hardware barrier, both
  /// i32.
  Value number, barrier;
};

struct TmaStoreLowering : KernelPattern<TmaStoreOp> {
  using KernelPattern::KernelPattern;

  LogicalResult
  matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override;
};
} // namespace

Warpgroup::Warpgroup(OpBuilder &builder, Location loc, const GpuTarget &target,
                     const ThreadGroup &role)
    : threads(role) {
  threads.warps = target.warpsPerWarpgroup;
  threads.warp = LLVM::AndOp::create(builder, loc, role.warp,
                                     emitI32(builder, loc, threads.warps - 1));
  threads.thread =
      LLVM::AndOp::create(builder, loc, role.thread,
                          emitI32(builder, loc, threads.getThreads() - 1));
  number =
      LLVM::LShrOp::create(builder, loc, role.warp, emitI32(builder, loc, 2));
  // From the last barrier down. Barriers of roles and of ping-pong are counted
  // up.
  int64_t last = target.namedBarriers - 1 - role.firstWarp / threads.warps;
  barrier =
      LLVM::SubOp::create(builder, loc, emitI32(builder, loc, last), number);
}

/// Returns a chunk of 64 rows, which is an accumulator of one warpgroup.
static RankedTensorType getChunk(TmaStoreOp op) {
  SmemType buffer = op.getBufferType();
  ArrayRef<int64_t> shape = buffer.getShape();
  return RankedTensorType::get(
      shape, buffer.getElementType(),
      LayoutAttr::get(op.getContext(), llvm::cantFail(layout::getAccumulator(
                                           shape[0], shape[1]))));
}

/// Checks that barriers of warpgroups do not coincide with those of roles and
/// of ping-pong. All roles count as if they had ping-pong.
static LogicalResult verifyBarriers(TmaStoreOp op,
                                    const LoweringContext &context) {
  const GpuTarget &target = context.getTarget();
  const ThreadGroup &role = context.getThreads(op);
  int64_t ends = 1, last = role.firstWarp + role.warps;
  for (const ThreadGroup &group : context.getGroups())
    if (group.barrier)
      ends += 1 + group.warps / target.warpsPerWarpgroup;
  int64_t needed = ends + last / target.warpsPerWarpgroup;
  if (needed <= target.namedBarriers)
    return success();
  return op.emitOpError() << "needs " << needed
                          << " named barriers, with those of "
                          << "roles and ping-pong; a block has "
                          << target.namedBarriers
                          << "; expected fewer roles or warpgroups";
}

LogicalResult
TmaStoreLowering::matchAndRewrite(TmaStoreOp op, OneToNOpAdaptor adaptor,
                                  ConversionPatternRewriter &rewriter) const {
  Location loc = op.getLoc();
  const GpuTarget &target = context.getTarget();
  const ThreadGroup &role = context.getThreads(op);
  RankedTensorType tile = op.getValue().getType();
  SmemType buffer = op.getBufferType();
  layout::ProductSplit split = layout::getProductSplit(
      tile.getDimSize(0), role.warps / target.warpsPerWarpgroup);
  int64_t columns = op.getColumns(), buffers = op.getBuffers();
  int64_t blocks = tile.getDimSize(0) / target.wgmmaM / split.rows;
  int64_t chunks = tile.getDimSize(1) / split.columns / columns;

  if (failed(verifyTensorCopy(op)) || failed(verifyBarriers(op, context)))
    return failure();
  Value base =
      emitAllocatedAddress(rewriter, context, op, op.getSharedAddress());
  if (!base)
    return failure();
  Warpgroup warpgroup(rewriter, loc, target, role);
  Value own =
      LLVM::MulOp::create(rewriter, loc, warpgroup.number,
                          emitI32(rewriter, loc, buffers * buffer.getBytes()));
  base = LLVM::AddOp::create(rewriter, loc, base, own);

  ConflictFreeStores access(rewriter, loc, warpgroup.threads, getChunk(op),
                            buffer);
  SmallVector<Value> addresses =
      access.emitAddresses(rewriter, loc, warpgroup.threads, base);
  ValueRange registers = adaptor.getValue();
  int64_t perChunk = registers.size() / (blocks * chunks);

  SmallVector<Value> starts;
  for (ValueRange index : adaptor.getIndices())
    starts.push_back(emitToI32(rewriter, loc, index.front()));
  int64_t rowDim = op.getDims()[0], columnDim = op.getDims()[1];
  ProductPart part = emitProductPart(rewriter, loc, warpgroup.number, split);
  auto advance = [&](int64_t dim, Value number, int64_t extent) {
    if (!number)
      return;
    Value distance = LLVM::MulOp::create(rewriter, loc, number,
                                         emitI32(rewriter, loc, extent));
    starts[dim] = LLVM::AddOp::create(rewriter, loc, starts[dim], distance);
  };
  advance(rowDim, part.rows, blocks * target.wgmmaM);
  advance(columnDim, part.columns, chunks * columns);
  rt::TensorMapRecipe recipe = *getTensorMapRecipe(op);
  recipe.parameter = context.getParameter(op.getGlobal());
  Value map =
      context.getTensorMap(*context.getSignature().findTensorMap(recipe));

  // Buffers rotate across executions of the op only if each execution uses all
  // of them equally often.
  bool goesRound = blocks * chunks % buffers == 0;
  for (int64_t i = 0; i < blocks * chunks; ++i) {
    int64_t offset = i % buffers * buffer.getBytes();
    emitTmaStoreWait(rewriter, loc, role,
                     goesRound || i >= buffers ? buffers - 1 : 0);
    warpgroup.emitBarrier(rewriter, loc);
    SmallVector<Value> places;
    for (Value place : addresses)
      places.push_back(offset
                           ? LLVM::AddOp::create(rewriter, loc, place,
                                                 emitI32(rewriter, loc, offset))
                                 .getResult()
                           : place);
    access.emitStores(rewriter, loc, places,
                      registers.slice(i * perChunk, perChunk));
    emitProxyFence(rewriter, loc);
    warpgroup.emitBarrier(rewriter, loc);
    auto branch = scf::IfOp::create(rewriter, loc,
                                    emitIsFirstOfWarpgroup(rewriter, loc, role),
                                    /*withElseRegion=*/false);
    OpBuilder inner = branch.getThenBodyBuilder();
    auto at = [&](Value start, int64_t distance) -> Value {
      return LLVM::AddOp::create(inner, loc, start,
                                 emitI32(inner, loc, distance));
    };
    SmallVector<Value> position(starts);
    position[rowDim] = at(position[rowDim], i / chunks * target.wgmmaM);
    position[columnDim] = at(position[columnDim], i % chunks * columns);
    auto emitCopy = op.getAdd() ? emitTensorAdd : emitTensorStore;
    emitCopy(inner, loc, map, at(base, offset),
             llvm::to_vector(llvm::reverse(position)));
    NVVM::CpAsyncBulkCommitGroupOp::create(inner, loc);
  }
  // A role waits at its end.
  if (!role.barrier)
    emitTmaStoreWait(rewriter, loc, role, 0);
  rewriter.eraseOp(op);
  return success();
}

void sm::populateTensorStorePatterns(const LoweringContext &context,
                                     const RegisterTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<TmaStoreLowering>(converter, context);
}
