//===- SMDialect.cpp - The sm dialect ---------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/BufferNumber.h"
#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/ProgressAttr.h"
#include "tessera/Dialect/SM/IR/Target.h"

#include "mlir/IR/DialectImplementation.h"
#include "mlir/Interfaces/FoldInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace tessera;
using namespace tessera::sm;

/// Of scratch memory, in bytes: what the widest access wants.
static constexpr int64_t kScratchAlignment = 16;

/// Most computing warpgroups, next to one that loads, that a schedule may ask
/// for.
static constexpr int64_t kMostWarpgroups = 3;

#include "dialects/SM/IR/SMDialect.cpp.inc"
#include "dialects/SM/IR/SMEnums.cpp.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/SM/IR/SMAttrs.cpp.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/SM/IR/SMTypes.cpp.inc"

namespace {
/// Layouts are long and repeat: a printed module names each of them once.
class LayoutAliases : public OpAsmDialectInterface {
public:
  using OpAsmDialectInterface::OpAsmDialectInterface;

  AliasResult getAlias(Attribute attribute, raw_ostream &os) const override {
    if (!isa<LayoutAttr>(attribute))
      return AliasResult::NoAlias;
    os << "layout";
    return AliasResult::OverridableAlias;
  }
};

/// Constants stay in their role: a tile has the warps of the role that holds
/// it, and other roles have no registers to spare for it.
class RoleConstants : public DialectFoldInterface {
public:
  using DialectFoldInterface::DialectFoldInterface;

  bool shouldMaterializeInto(Region *region) const override {
    return isa<RoleOp>(region->getParentOp());
  }
};
} // namespace

void SMDialect::initialize() {
  addAttributes<
#define GET_ATTRDEF_LIST
#include "dialects/SM/IR/SMAttrs.cpp.inc"
      >();
  addTypes<
#define GET_TYPEDEF_LIST
#include "dialects/SM/IR/SMTypes.cpp.inc"
      >();
  addOperations<
#define GET_OP_LIST
#include "dialects/SM/IR/SMOps.cpp.inc"
      >();
  addInterfaces<LayoutAliases, MatrixDescriptors, RoleConstants>();
}

static LogicalResult verifyVariantOf(Operation *op, Attribute value) {
  if (!isa<KernelOp>(op))
    return op->emitOpError()
           << "cannot have '" << kVariantOfAttrName << "'; kernels have it";
  auto name = dyn_cast<StringAttr>(value);
  if (name && !name.getValue().empty())
    return success();
  return op->emitOpError() << "expected '" << kVariantOfAttrName
                           << "' to be the name of a kernel, got " << value;
}

static LogicalResult verifyAligned(Operation *op, Attribute value) {
  if (!isa<LoadOp, StoreOp>(op))
    return op->emitOpError() << "cannot have '" << kAlignedAttrName
                             << "'; loads and stores have it";
  if (isa<UnitAttr>(value))
    return success();
  return op->emitOpError() << "expected '" << kAlignedAttrName
                           << "' to be a unit attribute, got " << value;
}

static LogicalResult verifyTarget(Operation *op, Attribute value) {
  if (!isa<ModuleOp>(op))
    return op->emitOpError() << "cannot have '" << kTargetAttrName
                             << "'; the module around the kernels has it";
  if (isa<TargetAttr>(value))
    return success();
  return op->emitOpError() << "expected '" << kTargetAttrName
                           << "' to be an '#sm.target', got " << value;
}

static LogicalResult verifyScratchAddress(Operation *op, StringRef name,
                                          Attribute value) {
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  if (!memory || !memory.isScratch())
    return op->emitOpError() << "cannot have '" << name
                             << "'; conversions, reductions, scans and tensor "
                                "stores have it";
  auto address = dyn_cast<IntegerAttr>(value);
  if (!address || !address.getType().isSignlessInteger(64) ||
      address.getInt() < 0 || address.getInt() % kScratchAlignment != 0)
    return op->emitOpError()
           << "expected '" << name << "' to be an i64 in multiples of "
           << kScratchAlignment << " bytes, got " << value;
  auto kernel = op->getParentOfType<KernelOp>();
  std::optional<int64_t> bytes = kernel ? kernel.getSharedMemory() : 0;
  if (bytes && address.getInt() >= *bytes)
    return op->emitOpError()
           << "has its scratch memory at address " << address.getInt()
           << ", but the kernel has " << *bytes << " bytes of shared memory";
  return success();
}

static LogicalResult verifySchedule(Operation *op, Attribute value) {
  if (!isa<OpScheduleAttr>(value))
    return op->emitOpError() << "expected '" << kOpScheduleAttrName
                             << "' to be a schedule, got " << value;
  if (isa_and_present<scf::ForOp>(op->getParentOp()))
    return success();
  return op->emitOpError() << "cannot have '" << kOpScheduleAttrName
                           << "'; ops in the body of an scf.for have it";
}

static LogicalResult verifyAfterLoop(Operation *op) {
  if (isa<MmaAwaitOp>(op) && isa<scf::ForOp>(op->getParentOp()))
    return success();
  return op->emitOpError()
         << "cannot have '" << kAfterLoopAttrName
         << "'; an sm.mma.await in the body of an scf.for has it";
}

/// Checks whether `op` computes a row from others, element by element.
static bool computesRow(Operation *op) {
  if (!OpTrait::hasElementwiseMappableTraits(op) || op->getNumResults() != 1)
    return false;
  auto row = dyn_cast<RankedTensorType>(op->getResult(0).getType());
  return row && row.getRank() == 1;
}

static LogicalResult verifyPlanEntryName(Operation *op, Attribute value) {
  bool isScalar =
      isa<LoadOp>(op) && !isa<RankedTensorType>(op->getResult(0).getType());
  if ((!isa<FetchOp, LoadOp, SmemStoreOp, StoreOp, AtomicOp, TmaStoreOp>(op) &&
       !computesRow(op)) ||
      isScalar)
    return op->emitOpError()
           << "cannot have '" << kPlanEntryAttrName
           << "'; fetches, loads, stores and "
              "additions of tiles, and rows computed from loads have it";
  auto name = dyn_cast<StringAttr>(value);
  if (name && !name.getValue().empty())
    return success();
  return op->emitOpError() << "expected '" << kPlanEntryAttrName
                           << "' to be a name, got " << value;
}

/// Verifies that the plan of `kernel` has an entry for each product.
static LogicalResult verifyProductsPlanned(Operation *kernel) {
  tile::GemmOp unplanned;
  kernel->walk([&](tile::GemmOp gemm) {
    if (!unplanned && !gemm->hasAttr(kProductAttrName))
      unplanned = gemm;
  });
  if (!unplanned)
    return success();
  return unplanned.emitOpError()
         << "has no '" << kProductAttrName << "', but its kernel has a plan";
}

static LogicalResult verifyWarpgroups(Operation *op, Attribute value) {
  if (!isa<tile::KernelOp>(op))
    return op->emitOpError() << "cannot have '" << kWarpgroupsAttrName
                             << "'; kernels of tiles have it";
  auto count = dyn_cast<IntegerAttr>(value);
  if (!count || !count.getType().isSignlessInteger(64) || count.getInt() < 1 ||
      count.getInt() > kMostWarpgroups)
    return op->emitOpError()
           << "expected '" << kWarpgroupsAttrName << "' to be an i64 from 1 to "
           << kMostWarpgroups << ", got " << value;
  return verifyProductsPlanned(op);
}

static LogicalResult verifyWarps(Operation *op, Attribute value) {
  if (!isa<tile::KernelOp>(op))
    return op->emitOpError() << "cannot have '" << kWarpsAttrName
                             << "'; kernels of tiles have it";
  if (op->hasAttr(kWarpgroupsAttrName))
    return op->emitOpError() << "expected '" << kWarpsAttrName << "' or '"
                             << kWarpgroupsAttrName << "', got both";
  auto count = dyn_cast<IntegerAttr>(value);
  if (!count || !count.getType().isSignlessInteger(64) ||
      !llvm::is_contained({1, 2, 16}, count.getInt()))
    return op->emitOpError() << "expected '" << kWarpsAttrName
                             << "' to be an i64 of 1, 2 or 16, got " << value;
  return verifyProductsPlanned(op);
}

static LogicalResult verifyProduct(Operation *op, Attribute value) {
  if (!isa<tile::GemmOp>(op))
    return op->emitOpError() << "cannot have '" << kProductAttrName
                             << "'; products of tiles have it";
  if (!isa<PlannedProductAttr>(value))
    return op->emitOpError() << "expected '" << kProductAttrName
                             << "' to be an '#sm.product', got " << value;
  auto kernel = op->getParentOfType<tile::KernelOp>();
  if (kernel &&
      (kernel->hasAttr(kWarpgroupsAttrName) || kernel->hasAttr(kWarpsAttrName)))
    return success();
  return op->emitOpError() << "cannot have '" << kProductAttrName
                           << "': its kernel has no '" << kWarpgroupsAttrName
                           << "' or '" << kWarpsAttrName << "'";
}

/// Verifies a count that kernels have.
static LogicalResult verifyCount(Operation *op, StringRef name,
                                 Attribute value) {
  if (!isa<KernelOp>(op))
    return op->emitOpError() << "cannot have '" << name << "'; kernels have it";
  auto count = dyn_cast<IntegerAttr>(value);
  if (count && count.getType().isSignlessInteger(64) && count.getInt() >= 0)
    return success();
  return op->emitOpError() << "expected '" << name
                           << "' to be an i64 that is not negative, got "
                           << value;
}

static LogicalResult verifyBufferNumber(Operation *op, Attribute value) {
  if (!isa<SmemStoreOp>(op))
    return op->emitOpError() << "cannot have '" << kBufferNumberAttrName
                             << "'; an sm.smem.store has it";
  auto number = dyn_cast<IntegerAttr>(value);
  if (number && number.getType().isSignlessInteger(64) && number.getInt() >= 0)
    return success();
  return op->emitOpError() << "expected '" << kBufferNumberAttrName
                           << "' to be an i64 that is not negative, got "
                           << value;
}

static LogicalResult verifyProgressText(Operation *op, Attribute value) {
  if (!isa<KernelOp>(op))
    return op->emitOpError()
           << "cannot have '" << kProgressAttrName << "'; kernels have it";
  auto text = dyn_cast<StringAttr>(value);
  if (text && !text.getValue().empty())
    return success();
  return op->emitOpError() << "expected '" << kProgressAttrName << "' to be \""
                           << kProvenProgress
                           << "\" or a reason against a proof, got " << value;
}

LogicalResult SMDialect::verifyOperationAttribute(Operation *op,
                                                  NamedAttribute attribute) {
  StringRef name = attribute.getName();
  if (name == kTargetAttrName)
    return verifyTarget(op, attribute.getValue());
  if (name == kVariantOfAttrName)
    return verifyVariantOf(op, attribute.getValue());
  if (name == kAlignedAttrName)
    return verifyAligned(op, attribute.getValue());
  if (name == kScratchAddressAttrName)
    return verifyScratchAddress(op, name, attribute.getValue());
  if (name == kOpScheduleAttrName)
    return verifySchedule(op, attribute.getValue());
  if (name == kAfterLoopAttrName)
    return verifyAfterLoop(op);
  if (name == kPlanEntryAttrName)
    return verifyPlanEntryName(op, attribute.getValue());
  if (name == kWarpgroupsAttrName)
    return verifyWarpgroups(op, attribute.getValue());
  if (name == kWarpsAttrName)
    return verifyWarps(op, attribute.getValue());
  if (name == kProductAttrName)
    return verifyProduct(op, attribute.getValue());
  if (name == kPlannedBytesAttrName || name == kRegisterLeewayAttrName ||
      name == kOrderRankAttrName)
    return verifyCount(op, name, attribute.getValue());
  if (name == kBufferNumberAttrName)
    return verifyBufferNumber(op, attribute.getValue());
  if (name == kProgressAttrName)
    return verifyProgressText(op, attribute.getValue());
  return success();
}

Operation *SMDialect::materializeConstant(OpBuilder &builder, Attribute value,
                                          Type type, Location loc) {
  return arith::ConstantOp::materialize(builder, value, type, loc);
}

bool sm::isRegisterTile(Type type) {
  auto tensor = dyn_cast<RankedTensorType>(type);
  return tensor && tensor.hasStaticShape() &&
         isa_and_present<LayoutAttr>(tensor.getEncoding()) &&
         tile::isElementType(tensor.getElementType());
}

const layout::Layout &sm::getLayout(Type tile) {
  return cast<LayoutAttr>(cast<RankedTensorType>(tile).getEncoding())
      .getLayout();
}

RankedTensorType sm::withLayout(RankedTensorType type,
                                const layout::Layout &layout) {
  return RankedTensorType::get(type.getShape(), type.getElementType(),
                               LayoutAttr::get(type.getContext(), layout));
}

int64_t sm::getElementBytes(Type element) {
  return llvm::divideCeil(element.getIntOrFloatBitWidth(), 8);
}

bool sm::isPositiveZero(Attribute fill) {
  if (auto value = dyn_cast<FloatAttr>(fill))
    return value.getValue().isPosZero();
  auto value = dyn_cast<IntegerAttr>(fill);
  return value && value.getValue().isZero();
}

StringRef sm::getSourceName(KernelOp kernel) {
  auto name = kernel->getAttrOfType<StringAttr>(kVariantOfAttrName);
  return name ? name.getValue() : kernel.getSymName();
}

int64_t sm::getWarps(Operation *op) {
  for (Operation *parent = op; parent; parent = parent->getParentOp()) {
    if (auto role = dyn_cast<RoleOp>(parent))
      return role.getWarps();
    if (auto kernel = dyn_cast<KernelOp>(parent))
      return kernel.getWarps();
  }
  return 0;
}
