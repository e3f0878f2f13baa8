//===- OpWork.cpp - Demands of operations on units ------------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Timing/OpWork.h"

#include "tessera/Dialect/SM/IR/Exchange.h"
#include "tessera/Dialect/SM/IR/GlobalVectors.h"
#include "tessera/Dialect/SM/IR/ProductShape.h"
#include "tessera/Dialect/Tile/IR/Asm.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"
#include "mlir/Dialect/Tensor/IR/Tensor.h"
#include "mlir/IR/Matchers.h"
#include "mlir/IR/TypeUtilities.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;
using namespace tessera::timing;

/// Returns the elements of `type` that a thread holds, copies included; 0 for
/// scalars.
static double countElements(Type type) {
  return isRegisterTile(type) ? getLayout(type).getSize(layout::kRegister) : 0;
}

/// Instructions of one element.
struct Instructions {
  double fma = 0, alu = 0, add = 0, special = 0, integerProduct = 0;
};

/// Adds up the instructions of a text, by the first and the last part of their
/// names.
static Instructions getInstructions(tile::AsmOp op) {
  Instructions sum;
  emu::TextError error;
  auto program = tile::parseElementProgram(op, error);
  if (!program)
    return sum;
  for (const std::unique_ptr<emu::Instruction> &each :
       program->getInstructions()) {
    StringRef root = each->getRoot(), type = each->parts.back();
    bool isInteger = type.starts_with("s") || type.starts_with("u");
    if (llvm::is_contained(
            {"ex2", "lg2", "rcp", "rsqrt", "sqrt", "sin", "cos", "tanh", "cvt"},
            root))
      ++sum.special;
    else if (root == "div" || root == "rem")
      sum.fma += 6, ++sum.alu, ++sum.special;
    else if (root == "mul" || root == "mad" || root == "fma")
      ++(isInteger ? sum.integerProduct : sum.fma);
    else if (root == "add" || root == "sub")
      ++(isInteger ? sum.add : sum.fma);
    else
      ++sum.alu;
  }
  return sum;
}

static Instructions getInstructions(Operation *op) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  bool isNarrow =
      isa<FloatType>(element) && element.getIntOrFloatBitWidth() < 32;
  return TypeSwitch<Operation *, Instructions>(op)
      .Case([](tile::AsmOp text) { return getInstructions(text); })
      .Case<arith::AddFOp, arith::SubFOp, arith::MulFOp, math::FmaOp>(
          [&](auto) {
            return Instructions{.fma = 1, .alu = isNarrow ? 1. : 0.};
          })
      .Case<math::Exp2Op, math::Log2Op, math::RsqrtOp, math::SqrtOp,
            math::TanhOp>([](auto) { return Instructions{.special = 1}; })
      .Case<math::ExpOp, math::LogOp>(
          [](auto) { return Instructions{.fma = 1, .special = 1}; })
      .Case([](arith::DivFOp) {
        return Instructions{.fma = 6, .alu = 1, .special = 1};
      })
      .Case<math::ErfOp>(
          [](auto) { return Instructions{.fma = 14, .alu = 4, .special = 1}; })
      // In f64, where an instruction takes as long as two in f32; a conversion
      // takes as long as a special function.
      .Case<math::SinOp, math::CosOp, math::ExpM1Op, math::SinhOp,
            math::CoshOp>(
          [](auto) { return Instructions{.fma = 40, .alu = 4, .special = 2}; })
      .Case<math::TanOp, math::AsinOp, math::AcosOp, math::AtanOp,
            math::Atan2Op, math::Log1pOp, arith::RemFOp>(
          [](auto) { return Instructions{.fma = 70, .alu = 8, .special = 3}; })
      .Case<math::PowFOp, math::CbrtOp>([](auto) {
        return Instructions{.fma = 110, .alu = 12, .special = 3};
      })
      // Two elements of 16 bits become one register.
      .Case([](arith::TruncFOp) { return Instructions{.alu = 0.5}; })
      .Case([](arith::ExtFOp) { return Instructions{.alu = 1}; })
      .Case<arith::SIToFPOp, arith::UIToFPOp, arith::FPToSIOp, arith::FPToUIOp>(
          [](auto) { return Instructions{.special = 1}; })
      .Case<arith::AddIOp, arith::SubIOp>(
          [](auto) { return Instructions{.add = 1}; })
      .Case([](arith::MulIOp) { return Instructions{.integerProduct = 1}; })
      .Case<arith::DivSIOp, arith::DivUIOp, arith::RemSIOp, arith::RemUIOp,
            arith::FloorDivSIOp>([](auto) {
        return Instructions{.alu = 8, .special = 1, .integerProduct = 4};
      })
      // Comparisons of positions and selections of constants.
      .Default([](Operation *) { return Instructions{.alu = 1}; });
}

/// Checks for a maximum with zero that is only rounded to 16 bits: ptxas makes
/// one instruction of both (F2FP.RELU in the machine code of
/// gpu/experiments/unseen_loops.tile).
static bool isRectifiedConversion(Operation *op) {
  return isa<arith::MaximumFOp, arith::MaxNumFOp>(op) &&
         matchPattern(op->getOperand(1), m_AnyZeroFloat()) &&
         llvm::all_of(op->getUsers(), [](Operation *user) {
           return isa<arith::TruncFOp>(user) &&
                  getElementTypeOrSelf(user->getResult(0).getType())
                          .getIntOrFloatBitWidth() == 16;
         });
}

/// Constants, repetitions and positions take no instructions of their own.
static bool isFree(Operation *op) {
  return isRectifiedConversion(op) ||
         isa<arith::ConstantOp, tensor::SplatOp, ExpandDimsOp, BroadcastOp,
             TransposeOp, IndicesOp>(op) ||
         op->getNumResults() == 0 ||
         !isRegisterTile(op->getResult(0).getType());
}

/// Returns the cycles in which `bytes` of all agents pass shared memory.
static Work getShared(int64_t bytes, int64_t agents,
                      const TimingConstants &constants) {
  Work work;
  work[Unit::Shared] = double(bytes) / agents / constants.sharedRate;
  work[Unit::Issue] = work[Unit::Shared];
  return work;
}

static int64_t getBytes(Type type) {
  auto tile = cast<ShapedType>(type);
  return tile.getNumElements() * getElementBytes(tile.getElementType());
}

static Work getReduce(ReduceOp op, int64_t agents,
                      const TimingConstants &constants) {
  Work work;
  double from = countElements(op.getSource().getType());
  double to = countElements(op.getType());
  bool isSum = op.getKind() == tile::ReduceKind::Sum;
  auto combine = [&](double count) {
    work[Unit::Issue] += count * constants.issue;
    work[isSum ? Unit::Fma : Unit::Alu] +=
        count * (isSum ? constants.fma : constants.alu);
  };
  combine(from);
  std::optional<ReducePlan> plan = ReducePlan::get(op);
  if (!plan) {
    work +=
        getShared(2 * getBytes(op.getSource().getType()), agents, constants);
    work.latency = 2 * constants.meeting + constants.sharedLatency;
    return work;
  }
  for (size_t i = 0; i < plan->laneBits.size(); ++i) {
    work[Unit::Issue] += to * constants.issue;
    work[Unit::Thread] += to * constants.shuffle;
    combine(to);
    work.latency += constants.shuffleLatency;
  }
  if (!plan->warpDigits.empty()) {
    Work shared =
        getShared(2 * plan->parts * getBytes(op.getType()), agents, constants);
    double latency = work.latency;
    work += shared;
    work.latency = latency + constants.meeting + constants.sharedLatency;
  }
  return work;
}

/// Counts a reduction or scan by a region: each element is combined once per
/// kind of digit of its position.
static Work getCombined(Operation *op, unsigned axis, Region &combiner,
                        int64_t agents, const TimingConstants &constants) {
  Work work;
  auto source = cast<RankedTensorType>(op->getOperand(0).getType());
  double elements = countElements(source);
  bool isScan = op->getResult(0).getType() == source;
  double instructions = combiner.front().getOperations().size() - 1;
  auto digits = getAxisDigits(getLayout(source), axis);
  for (const AxisDigit &digit : *digits) {
    double sources = op->getNumOperands();
    if (digit.kind == AxisDigit::Lane) {
      int64_t steps = llvm::Log2_64_Ceil(digit.count);
      work[Unit::Thread] += elements * sources * steps * constants.shuffle;
      work[Unit::Issue] +=
          elements * (instructions + sources) * steps * constants.issue;
      work.latency += steps * constants.shuffleLatency;
    } else if (digit.kind == AxisDigit::Warp) {
      double latency = work.latency;
      for (Value operand : op->getOperands())
        work += getShared(2 * digit.count * getBytes(operand.getType()) *
                              elements / countElements(source),
                          agents, constants);
      work[Unit::Issue] +=
          elements * instructions * digit.count * constants.issue;
      work.latency = latency + constants.meeting + constants.sharedLatency;
    } else {
      work[Unit::Issue] += elements * instructions * constants.issue;
      if (!isScan)
        elements /= digit.count;
    }
  }
  return work;
}

static Work getRearranged(RearrangeOp op, int64_t agents,
                          const TimingConstants &constants) {
  Work work;
  auto places = getRegisterSources(op);
  if (!places) {
    work = getShared(getBytes(op.getType()), agents, constants);
    for (Type source : op.getSources().getTypes())
      work += getShared(getBytes(source), agents, constants);
    work.latency = constants.meeting + constants.sharedLatency;
    return work;
  }
  double shuffles = llvm::count_if(
      *places, [](const auto &place) { return place.laneToggle != 0; });
  work[Unit::Thread] = shuffles * constants.shuffle;
  work[Unit::Issue] = shuffles * constants.issue;
  work.latency = shuffles ? constants.shuffleLatency : 0;
  return work;
}

Work timing::getWork(Operation *op, int64_t agents,
                     const TimingConstants &constants) {
  Work work;
  if (auto reduce = dyn_cast<ReduceOp>(op))
    return getReduce(reduce, agents, constants);
  if (auto reduce = dyn_cast<ReduceWithOp>(op))
    return getCombined(op, reduce.getAxis(), reduce.getCombiner(), agents,
                       constants);
  if (auto scan = dyn_cast<ScanWithOp>(op))
    return getCombined(op, scan.getAxis(), scan.getCombiner(), agents,
                       constants);
  if (auto load = dyn_cast<SmemLoadOp>(op))
    return getShared(getBytes(load.getType()) *
                         getLayout(load.getType()).getNumCopies(),
                     agents, constants);
  if (auto store = dyn_cast<SmemStoreOp>(op))
    return getShared(getBytes(store->getOperand(0).getType()), agents,
                     constants);
  if (auto atomic = dyn_cast<SmemAtomicOp>(op))
    return getShared(getBytes(atomic.getValue().getType()), agents, constants);
  if (auto store = dyn_cast<SlotStoreOp>(op))
    return getShared(getBytes(store.getValue().getType()), agents, constants);
  if (auto store = dyn_cast<TmaStoreOp>(op)) {
    work = getShared(getBytes(store.getValue().getType()), agents, constants);
    // Each agent waits whenever its buffers are full.
    int64_t fillings = llvm::divideCeil(getBytes(store.getValue().getType()),
                                        agents * store.getBuffers() *
                                            store.getBufferType().getBytes());
    work.latency = constants.ownMeeting + constants.fence +
                   (fillings - 1) * constants.storeLatency;
    return work;
  }
  if (auto convert = dyn_cast<ConvertOp>(op)) {
    if (convert.isScratch() && convert.getSharedBytes() > 0) {
      work = getShared(2 * getBytes(convert.getType()), agents, constants);
      work.latency = constants.meeting + constants.sharedLatency;
    }
    return work;
  }
  if (auto rearrange = dyn_cast<RearrangeOp>(op))
    return getRearranged(rearrange, agents, constants);
  if (auto any = dyn_cast<AnyOp>(op)) {
    work[Unit::Issue] = 2 * constants.issue;
    work[Unit::Alu] = constants.alu;
    work.latency = constants.latency;
    return work;
  }
  if (isa<LoadOp, StoreOp, AtomicOp>(op)) {
    Type type = isa<LoadOp>(op) ? op->getResult(0).getType()
                                : op->getOperand(0).getType();
    if (isRegisterTile(type)) {
      work[Unit::Thread] =
          double(getBytes(type)) / agents / constants.threadRate;
      double elements = countElements(type);
      work[Unit::Issue] = elements;
      // Single elements need no shifts.
      int64_t width = getGlobalVectorWidth(
          getLayout(type), getElementBytes(getElementTypeOrSelf(type)));
      if (!op->hasAttr(kAlignedAttrName) && width > 1) {
        Value global = op->getOperand(isa<LoadOp>(op) ? 0 : 1);
        if (cast<tile::GlobalType>(global.getType()).getShape().size() == 1)
          elements *= constants.unalignedLine;
        work[Unit::Issue] += elements * (constants.unalignedAccess - 1);
        work[Unit::Alu] = elements * constants.unalignedAlu * constants.alu;
        work.latency = elements * constants.unalignedStall;
      }
    }
    return work;
  }
  if (auto dot = dyn_cast<DotOp>(op)) {
    double count = countElements(dot.getType()) * ProductShape::get(dot).length;
    work[Unit::Fma] = count * constants.fma;
    work[Unit::Issue] = count * constants.issue;
    return work;
  }
  if (isFree(op) || op->getNumRegions() > 0)
    return work;
  double elements = countElements(op->getResult(0).getType());
  Instructions each = getInstructions(op);
  auto take = [&](Unit unit, double count, double cycles) {
    work[unit] += count * elements * cycles;
    work[Unit::Issue] += count * elements * constants.issue;
  };
  take(Unit::Fma, each.fma, constants.fma);
  take(Unit::Alu, each.alu, constants.alu);
  take(Unit::Fma, each.add, constants.add);
  take(Unit::Fma, each.integerProduct, constants.integerProduct);
  take(Unit::Special, each.special, constants.special);
  work.latency = constants.latency;
  return work;
}

const Work &WorkTable::get(Operation *op, int64_t agents) {
  auto [entry, isNew] = works.try_emplace({op, agents});
  if (isNew)
    entry->second = getWork(op, agents, constants);
  return entry->second;
}

template <typename OpTy>
static MmaWork getMmaWorkOf(OpTy op, int64_t warpgroups,
                            const TimingConstants &constants) {
  ProductShape shape = ProductShape::get(op);
  int64_t rows = shape.rows, columns = shape.columns;
  // The tile is split along its rows, or along its columns if there are not
  // enough rows (constraint C2 of the op).
  // Fewer than 64 rows take as long as 64.
  int64_t rowGroups = llvm::divideCeil(rows, 64);
  if (rowGroups < warpgroups)
    columns = columns * rowGroups / warpgroups;
  int64_t ownRows = std::max<int64_t>(1, rowGroups / warpgroups);
  int64_t step = 32 / getElementBytes(op.getB().getType().getElementType());
  int64_t parts = llvm::divideCeil(columns, 256);
  double width = double(columns) / parts;
  double cycles = width * 64 * 16 / constants.mmaRate;
  bool isShared = isa<SmemType>(op.getA().getType());
  cycles = std::max(cycles, isShared ? constants.mmaSharedBase +
                                           width * constants.mmaSharedPerColumn
                                     : constants.mmaRegisterBase);
  // An instruction reads 64 rows of A and all of B.
  constexpr int64_t kBytes = 32;
  return {double(ownRows * parts * llvm::divideCeil(shape.length, step)),
          cycles, (width + (isShared ? 64 : 0)) * kBytes};
}

MmaWork timing::getMmaWork(Operation *op, int64_t warpgroups,
                           const TimingConstants &constants) {
  if (auto mma = dyn_cast<MmaOp>(op))
    return getMmaWorkOf(mma, warpgroups, constants);
  return getMmaWorkOf(cast<MmaIssueOp>(op), warpgroups, constants);
}
