//===- SM.h - The sm dialect ------------------------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

//
// The one public header of the dialect; it alone includes the generated files.
// dialects/SM/README.md and the ODS files in its folder define the dialect.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECT_SM_IR_SM_H
#define TESSERA_DIALECT_SM_IR_SM_H

#include "tessera/Dialect/SM/IR/SharedMemory.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Layout/Layout.h"
#include "tessera/Layout/SharedTile.h"

#include "mlir/IR/TensorEncoding.h"

namespace tessera {
struct GpuTarget;
} // namespace tessera

namespace tessera::layout {
/// Layouts are uniqued as parameters of attributes.
llvm::hash_code hash_value(const Layout &layout);
} // namespace tessera::layout

namespace tessera::sm {
/// Checks whether `type` is a tile in registers: a tensor of static shape and
/// tile elements with an `#sm.layout`.
bool isRegisterTile(Type type);

/// Returns, for each of the dimensions `dims`, the axes of a tile along which
/// its index extends. `given` lists their first axes; without it, they follow
/// those of the indices before.
SmallVector<tile::IndexAxes>
getIndexAxes(ValueRange indices, ArrayRef<int64_t> dims,
             std::optional<ArrayRef<int64_t>> given);
} // namespace tessera::sm

#include "dialects/SM/IR/SMDialect.h.inc"
#include "dialects/SM/IR/SMEnums.h.inc"

#define GET_ATTRDEF_CLASSES
#include "dialects/SM/IR/SMAttrs.h.inc"

#define GET_TYPEDEF_CLASSES
#include "dialects/SM/IR/SMTypes.h.inc"

#include "dialects/SM/IR/SMInterfaces.h.inc"

#define GET_OP_CLASSES
#include "dialects/SM/IR/SMOps.h.inc"

namespace tessera::sm {

/// Returns the layout of a tile in registers.
const layout::Layout &getLayout(Type tile);

/// `type` with another layout.
RankedTensorType withLayout(RankedTensorType type,
                            const layout::Layout &layout);

/// Bytes of an element in memory.
int64_t getElementBytes(Type element);

/// Checks whether all bits of the number `fill` are zero, as shared memory is
/// filled where a box ends.
bool isPositiveZero(Attribute fill);

/// The attribute of an op in a planned loop: when it runs (OpScheduleAttr).
inline constexpr llvm::StringLiteral kOpScheduleAttrName = "sm.schedule";
/// The greatest slot of a node. An op of this slot runs one iteration late.
inline constexpr int64_t kLastStage = 1;
/// The attribute of an await in a planned loop, instead of a node. The await
/// runs once, after the loop, and the products of the next iteration add to the
/// pending tile.
inline constexpr llvm::StringLiteral kAfterLoopAttrName = "sm.after_loop";

/// The attribute of a fetch, a load, a store or an addition: the name of the
/// ring or store of the kernel's plan that it belongs to.
inline constexpr llvm::StringLiteral kPlanEntryAttrName = "sm.plan_entry";

/// The attribute of a tile.kernel whose products are planned: how many
/// warpgroups compute, an i64.
inline constexpr llvm::StringLiteral kWarpgroupsAttrName = "sm.warpgroups";
/// The attribute of a tile.kernel whose products are planned, all of them for
/// threads, instead of "sm.warpgroups": how many warps compute, an i64.
inline constexpr llvm::StringLiteral kWarpsAttrName = "sm.warps";
/// The attribute of each tile.gemm of such a kernel (PlannedProductAttr).
inline constexpr llvm::StringLiteral kProductAttrName = "sm.product";

/// On a fetch of threads: what is not valid becomes, if that is not zero.
inline constexpr llvm::StringLiteral kFillAttrName = "sm.fetch_fill";
/// The attribute of a kernel whose plan is carried out: the bytes of shared
/// memory that the plan has for it, an i64.
inline constexpr llvm::StringLiteral kPlannedBytesAttrName = "sm.planned_bytes";

/// An i64 on a kernel: registers above those that are certain to be free.
/// Before sm-schedule-loops, how many its plans may take; after the pass, how
/// many they take, if any.
inline constexpr llvm::StringLiteral kRegisterLeewayAttrName =
    "sm.register_leeway";

/// An i64 on a kernel without the hint `mma_order`: the order of MMAs. 0 is the
/// one that is predicted to be the fastest.
/// sm-schedule-loops removes the attribute if no loop has that order.
inline constexpr llvm::StringLiteral kOrderRankAttrName = "sm.order_rank";

/// The attribute of a load or a store of a kernel that is only launched at
/// aligned addresses. Its vectors are aligned, and valid as a whole or not at
/// all.
inline constexpr llvm::StringLiteral kAlignedAttrName = "sm.aligned";

/// The attribute of a kernel that is another variant of the kernel it names:
/// the same parameters and results, with other conditions.
inline constexpr llvm::StringLiteral kVariantOfAttrName = "sm.variant_of";

/// Returns the name of a kernel in the source, which all its variants share.
StringRef getSourceName(KernelOp kernel);

/// Checks whether `op` is a barrier of the grid, and whether `kernel` has one.
bool isGridBarrier(Operation *op);
bool hasGridBarrier(KernelOp kernel);

/// Returns the warps that execute `op` together: those of its role, or of the
/// kernel.
int64_t getWarps(Operation *op);

} // namespace tessera::sm

#endif // TESSERA_DIALECT_SM_IR_SM_H
