//===- PrivatizeAtomics.cpp - Atomics in shared memory ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The pass sm-privatize-atomics gives each CTA its own copy of a small tensor
// that a kernel only changes atomically (privatization, as of histograms). The
// agent fills the copy with the identity of the operation when it begins,
// changes the copy in shared memory, and combines the copy with the tensor when
// it ends.
//
// Invariant: the operations on an element commute and are associative, and the
// kernel neither reads the tensor nor uses an element before an operation. So
// no order of the operations can be observed before the kernel ends.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/Layouts.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/SM/Transforms/SharedMemoryAllocation.h"
#include "tessera/Layout/RegisterTile.h"

#include "mlir/IR/Matchers.h"
#include "llvm/ADT/MapVector.h"

namespace tessera::sm {
#define GEN_PASS_DEF_PRIVATIZEATOMICSPASS
#include "tessera/Dialect/SM/Transforms/Passes.h.inc"
} // namespace tessera::sm

using namespace tessera;
using namespace tessera::sm;
using layout::Layout;

/// Most bytes of the copies of one CTA, so that several CTAs share a
/// multiprocessor.
static constexpr int64_t kMostBytes = 32 * 1024;
/// Assumed number of iterations of a loop that contains an operation.
static constexpr int64_t kIterations = 16;

/// Returns the value that `kind` combines with any element to that element, or
/// null for operations that depend on their order.
static IntegerAttr getIdentity(tile::AtomicKind kind, Type type) {
  if (!type.isInteger(32) && !type.isInteger(64))
    return {};
  unsigned width = type.getIntOrFloatBitWidth();
  switch (kind) {
  case tile::AtomicKind::Add:
  case tile::AtomicKind::UMax:
  case tile::AtomicKind::Or:
  case tile::AtomicKind::Xor:
    return IntegerAttr::get(type, APInt::getZero(width));
  case tile::AtomicKind::UMin:
  case tile::AtomicKind::And:
    return IntegerAttr::get(type, APInt::getAllOnes(width));
  case tile::AtomicKind::Max:
    return IntegerAttr::get(type, APInt::getSignedMinValue(width));
  case tile::AtomicKind::Min:
    return IntegerAttr::get(type, APInt::getSignedMaxValue(width));
  case tile::AtomicKind::Exchange:
  case tile::AtomicKind::Cas:
    return {};
  }
  llvm_unreachable("unknown atomic operation");
}

namespace {
/// The atomic operations on one tensor.
struct PrivateTensor {
  Value global;
  SmallVector<AtomicOp> ops;
  tile::AtomicKind kind = tile::AtomicKind::Add;
  SmallVector<int64_t> extents;
  /// The role that executes the operations, or the kernel.
  Operation *agent = nullptr;

  Type getElement() const {
    return cast<tile::GlobalType>(global.getType()).getElementType();
  }
  int64_t getNumElements() const {
    int64_t count = 1;
    for (int64_t extent : extents)
      count *= extent;
    return count;
  }
  /// Returns the extent of the copy, a power of two. Nothing reads the elements
  /// past those of the tensor.
  int64_t getExtent() const { return llvm::PowerOf2Ceil(getNumElements()); }
  int64_t getBytes() const {
    return getExtent() * getElement().getIntOrFloatBitWidth() / 8;
  }
  int64_t getWarps() const {
    auto role = dyn_cast<RoleOp>(agent);
    return role ? role.getWarps() : cast<KernelOp>(agent).getWarps();
  }
  Block &getBlock() const { return agent->getRegion(0).front(); }
};

struct PrivatizeAtomics : sm::impl::PrivatizeAtomicsPassBase<PrivatizeAtomics> {
  using PrivatizeAtomicsPassBase::PrivatizeAtomicsPassBase;

  void runOnOperation() override;

private:
  void reportKept(Operation *op, const Twine &why) {
    if (remarks)
      op->emitRemark() << "these atomic operations go to global memory: " << why
                       << " [atomic-in-global-memory]";
  }
  bool canPrivatize(PrivateTensor &tensor);
  bool fits(const PrivateTensor &tensor, int64_t taken, int64_t room);
  void privatize(const PrivateTensor &tensor);
};
} // namespace

//===----------------------------------------------------------------------===//
// Candidates
//===----------------------------------------------------------------------===//

/// Checks whether positions are scalars and gathers of all axes of the value.
static bool hasElementwisePositions(AtomicOp op) {
  auto type = dyn_cast<RankedTensorType>(op.getValue().getType());
  return type &&
         llvm::all_of(
             llvm::zip_equal(op.getDims(), op.getIndexAxes()), [&](auto pair) {
               auto [dim, axes] = pair;
               auto gather =
                   dyn_cast<RankedTensorType>(op.getIndices()[dim].getType());
               return gather && gather.getRank() == type.getRank();
             });
}

/// Returns an estimate of the elements that the operation changes in one CTA.
static int64_t estimateChanges(AtomicOp op, Operation *agent) {
  int64_t count =
      cast<RankedTensorType>(op.getValue().getType()).getNumElements();
  for (Operation *parent = op->getParentOp(); parent != agent;
       parent = parent->getParentOp())
    if (isa<LoopLikeOpInterface>(parent))
      count *= kIterations;
  return count;
}

bool PrivatizeAtomics::canPrivatize(PrivateTensor &tensor) {
  // Other tensors, and tiles at the positions of ranges, are not reported.
  if (!llvm::all_of(tensor.global.getUsers(), llvm::IsaPred<AtomicOp>) ||
      !llvm::all_of(tensor.ops, hasElementwisePositions))
    return false;
  AtomicOp first = tensor.ops.front();
  tensor.kind = first.getKind();
  KernelOp kernel = getOperation();
  auto role = first->getParentOfType<RoleOp>();
  tensor.agent = role ? role.getOperation() : kernel.getOperation();
  auto refuse = [&](AtomicOp op, const Twine &why) {
    reportKept(op, why);
    return false;
  };
  for (AtomicOp op : tensor.ops) {
    if (op.getOld())
      return refuse(op, "the kernel uses elements before an operation");
    if (op.getKind() != tensor.kind ||
        !getIdentity(op.getKind(), tensor.getElement()))
      return refuse(op, "their order matters");
    if (op.getOrder() != tile::AtomicOrder::Relaxed)
      return refuse(op, "they order other accesses");
    if (op->getParentOfType<RoleOp>() != role ||
        (!role && !kernel.getBody().getOps<RoleOp>().empty()))
      return refuse(op, "several roles execute them");
  }
  int64_t changes = 0;
  for (AtomicOp op : tensor.ops)
    changes += estimateChanges(op, tensor.agent);
  for (tile::SizeAttr size : first.getGlobalType().getShape()) {
    std::optional<int64_t> extent = size.getConstantValue();
    if (!extent)
      return refuse(first, "an extent of the tensor is not known at compile "
                           "time");
    if (*extent < 1 || *extent > kMostBytes)
      return refuse(first, "the tensor is too large for shared memory");
    tensor.extents.push_back(*extent);
    if (tensor.getNumElements() > kMostBytes)
      return refuse(first, "the tensor is too large for shared memory");
  }
  if (changes < tensor.getNumElements())
    return refuse(first, "a CTA changes fewer elements than the tensor has");
  return true;
}

bool PrivatizeAtomics::fits(const PrivateTensor &tensor, int64_t taken,
                            int64_t room) {
  if (taken + tensor.getBytes() <= std::min(kMostBytes, room))
    return true;
  reportKept(tensor.ops.front(), "shared memory has no room for another " +
                                     Twine(tensor.getBytes()) + " bytes");
  return false;
}

//===----------------------------------------------------------------------===//
// Copies
//===----------------------------------------------------------------------===//

/// Returns row-major positions of `op` in the tensor, or -1 where they are
/// outside.
static Value makePositions(OpBuilder &builder, AtomicOp op,
                           ArrayRef<int64_t> extents) {
  Location loc = op.getLoc();
  auto type = cast<RankedTensorType>(op.getValue().getType());
  RankedTensorType integers = type.clone(builder.getI32Type());
  auto splat = [&](int64_t value) -> Value {
    return arith::ConstantOp::create(
        builder, loc,
        DenseElementsAttr::get(integers, builder.getI32IntegerAttr(value)));
  };
  Value position, isInside;
  for (auto [dim, index] : llvm::enumerate(op.getIndices())) {
    Value number = index;
    if (index.getType().isIndex())
      number = tensor::SplatOp::create(
          builder, loc,
          arith::IndexCastOp::create(builder, loc, builder.getI32Type(), index),
          integers);
    const auto *walked = llvm::find(op.getDims(), static_cast<int64_t>(dim));
    if (walked != op.getDims().end()) {
      Value limit = op.getLimits()[walked - op.getDims().begin()];
      APInt known;
      // Positions past the end of the last copy are skipped anyway.
      bool isWhole = extents.size() == 1 &&
                     matchPattern(limit, m_ConstantInt(&known)) &&
                     known.getSExtValue() == extents[dim];
      if (!isWhole) {
        Value limits = tensor::SplatOp::create(
            builder, loc,
            arith::IndexCastOp::create(builder, loc, builder.getI32Type(),
                                       limit),
            integers);
        Value isBelow = arith::CmpIOp::create(
            builder, loc, arith::CmpIPredicate::ult, number, limits);
        isInside = isInside
                       ? arith::AndIOp::create(builder, loc, isInside, isBelow)
                       : isBelow;
      }
    }
    if (position)
      position =
          arith::MulIOp::create(builder, loc, position, splat(extents[dim]));
    position = position ? arith::AddIOp::create(builder, loc, position, number)
                        : number;
  }
  if (!isInside)
    return position;
  return arith::SelectOp::create(builder, loc, isInside, position, splat(-1));
}

/// Combines a copy with the tensor.
static void combineWithTensor(OpBuilder &builder, Location loc,
                              const PrivateTensor &tensor, Value value) {
  auto type = cast<RankedTensorType>(value.getType());
  Value zero = arith::ConstantIndexOp::create(builder, loc, 0);
  SmallVector<Value> indices, limits;
  SmallVector<int64_t> dims;
  DenseI64ArrayAttr axes;
  for (auto [dim, extent] : llvm::enumerate(tensor.extents)) {
    limits.push_back(arith::ConstantIndexOp::create(builder, loc, extent));
    dims.push_back(dim);
  }
  if (dims.size() == 1) {
    indices.push_back(zero);
  } else {
    RankedTensorType integers = type.clone(builder.getI32Type());
    auto splat = [&](int64_t number) -> Value {
      return arith::ConstantOp::create(
          builder, loc,
          DenseElementsAttr::get(integers, builder.getI32IntegerAttr(number)));
    };
    Value rest = IndicesOp::create(builder, loc, integers, zero);
    // The first position stays a quotient: it is past its limit for elements
    // past those of the tensor.
    for (int64_t extent :
         llvm::reverse(ArrayRef(tensor.extents).drop_front())) {
      indices.push_back(
          arith::RemUIOp::create(builder, loc, rest, splat(extent)));
      rest = arith::DivUIOp::create(builder, loc, rest, splat(extent));
    }
    indices.push_back(rest);
    std::reverse(indices.begin(), indices.end());
    axes = builder.getDenseI64ArrayAttr(SmallVector<int64_t>(dims.size(), 0));
  }
  AtomicOp::create(builder, loc, /*old=*/Type(), tensor.kind, value,
                   /*expected=*/Value(), tensor.global, indices, limits,
                   /*mask=*/Value(), builder.getDenseI64ArrayAttr(dims),
                   /*in_bounds=*/DenseBoolArrayAttr(), axes);
}

void PrivatizeAtomics::privatize(const PrivateTensor &tensor) {
  MLIRContext *context = &getContext();
  Location loc = AtomicOp(tensor.ops.front()).getLoc();
  int64_t extent = tensor.getExtent();
  Type element = tensor.getElement();
  // Neighbouring lanes have neighbouring elements, so that an instruction of a
  // warp combines them with few sectors of global memory.
  Layout layout = llvm::cantFail(
      layout::getBlocked({extent}, /*vector=*/1, tensor.getWarps()));
  auto type = RankedTensorType::get({extent}, element,
                                    LayoutAttr::get(context, layout));
  auto tile = SmemType::get(context, {extent}, element, layout::Swizzle::None);

  OpBuilder builder = OpBuilder::atBlockBegin(&tensor.getBlock());
  Value start = arith::ConstantOp::create(
      builder, loc,
      DenseElementsAttr::get(type,
                             Attribute(getIdentity(tensor.kind, element))));
  Value copy = SmemStoreOp::create(builder, loc, tile, start,
                                   /*address=*/IntegerAttr());
  BarrierOp::create(builder, loc);

  for (AtomicOp op : tensor.ops) {
    builder.setInsertionPoint(op);
    if (Value mask = op.getMask()) {
      auto branch = scf::IfOp::create(builder, op.getLoc(), mask);
      builder.setInsertionPoint(branch.thenBlock()->getTerminator());
    }
    Value positions = makePositions(builder, op, tensor.extents);
    SmemAtomicOp::create(builder, op.getLoc(), op.getKind(), op.getValue(),
                         copy, positions);
    op.erase();
  }

  Block &block = tensor.getBlock();
  if (block.mightHaveTerminator() && isa<ReturnOp>(block.back()))
    builder.setInsertionPoint(block.getTerminator());
  else
    builder.setInsertionPointToEnd(&block);
  BarrierOp::create(builder, loc);
  Value result = SmemLoadOp::create(builder, loc, type, copy);
  combineWithTensor(builder, loc, tensor, result);
  ++numCopies;
}

void PrivatizeAtomics::runOnOperation() {
  KernelOp kernel = getOperation();
  llvm::MapVector<Value, PrivateTensor> changed;
  kernel.walk([&](AtomicOp op) {
    PrivateTensor &entry = changed[op.getGlobal()];
    entry.global = op.getGlobal();
    entry.ops.push_back(op);
  });
  SmallVector<PrivateTensor> chosen;
  for (auto &[global, entry] : changed)
    if (canPrivatize(entry))
      chosen.push_back(std::move(entry));
  if (chosen.empty())
    return;
  int64_t room = getTarget(kernel).sharedMemoryPerBlock;
  if (auto planned = kernel->getAttrOfType<IntegerAttr>(kPlannedBytesAttrName))
    room = std::min(room, planned.getInt());
  std::optional<int64_t> bytes = findSharedMemoryBytes(kernel);
  int64_t taken = 0;
  for (const PrivateTensor &entry : chosen) {
    // Copies live as long as all other buffers.
    if (!bytes || !fits(entry, taken, room - *bytes))
      continue;
    taken += entry.getBytes();
    if (remarks)
      AtomicOp(entry.ops.front())->emitRemark()
          << "each CTA combines these atomic operations in shared memory"
          << " [atomic-in-shared-memory]";
    privatize(entry);
  }
}
