//===- KernelReport.cpp - Machine resources of a kernel ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads the facts about a kernel at each phase and keeps the last ones. The
// text and the JSON have the same sections.
//
//===----------------------------------------------------------------------===//

#include "KernelReport.h"
#include "tessera/Dialect/SM/IR/ProductShape.h"

#include "tessera/Dialect/SM/IR/BufferText.h"
#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/MatrixDescriptors.h"
#include "tessera/Dialect/SM/IR/Occupancy.h"
#include "tessera/Dialect/SM/IR/RegisterPressureText.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Dialect/Tile/IR/SourceType.h"
#include "tessera/Layout/RegisterTile.h"

#include "llvm/ADT/TypeSwitch.h"
#include "llvm/Support/FormatVariadic.h"
#include "llvm/Support/MathExtras.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Reading
//===----------------------------------------------------------------------===//

/// Returns "16384 bytes at 1024: 64x64 bf16, swizzle 128", or an empty text for
/// an op without a buffer.
static std::string describeMemory(Operation *op) {
  auto memory = dyn_cast<SharedMemoryOpInterface>(op);
  // Scratch memory is in use only while its op runs, except that of a store.
  if (!memory || (memory.isScratch() && !isa<TmaStoreOp>(op)))
    return "";
  std::string text = std::to_string(memory.getSharedBytes()) + " bytes";
  if (std::optional<int64_t> address = memory.getSharedAddress())
    text += " at " + std::to_string(*address);
  return text + ": " + describeBuffer(memory);
}

/// Returns the registers of a thread that hold the loop-carried tiles of
/// `role`, for the loop that carries most.
static int64_t getCarriedRegisters(RoleOp role) {
  int64_t most = 0;
  role->walk([&](LoopLikeOpInterface loop) {
    int64_t carried = 0;
    for (Value value : loop.getRegionIterArgs()) {
      Type type = value.getType();
      if (auto pending = dyn_cast<PendingType>(type))
        type = pending.getTensor();
      if (auto tile = dyn_cast<RankedTensorType>(type))
        carried += getTileRegisters(tile);
    }
    most = std::max(most, carried);
  });
  return most;
}

static std::string describeRole(RoleOp role) {
  std::string text =
      llvm::formatv("'{0}': {1} {2}", role.getName(), role.getWarps(),
                    role.getWarps() == 1 ? "warp" : "warps");
  if (std::optional<int64_t> registers = role.getRegisters())
    text += llvm::formatv(", {0} registers", *registers);
  if (int64_t carried = getCarriedRegisters(role))
    text += llvm::formatv(", of which loops carry {0}", carried);
  if (role.getElected())
    text += ", one thread";
  return text;
}

/// Describes the rows, columns and length of the sums of a product, for one
/// warpgroup.
template <typename OpTy>
static std::string describeProduct(OpTy op, bool onTensorCores) {
  ProductShape shape = ProductShape::get(op);
  auto element = op.getB().getType().getElementType();
  std::string text =
      llvm::formatv("{0}x{1}x{2} of {3}", shape.rows, shape.columns,
                    shape.length, tile::printType(element));
  if (!onTensorCores)
    return text + " by multiply-adds";
  const GpuTarget &target = getTarget(op);
  layout::ProductSplit split = layout::getProductSplit(
      shape.rows, getWarps(op) / target.warpsPerWarpgroup);
  int64_t n = getInstructionColumns(target, op.getB().getType(),
                                    op.getTransposeB(), split.columns);
  text += llvm::formatv(" by wgmma m{0}n{1}k{2}, a from {3}", target.wgmmaM, n,
                        32 / sm::getElementBytes(element),
                        isa<SmemType>(op.getA().getType()) ? "shared memory"
                                                           : "registers");
  if (split.columns > 1)
    text += llvm::formatv(", columns split in {0}", split.columns);
  return text;
}

static std::string describeCopy(Operation *op) {
  auto describe = [](StringRef what, tile::GlobalType global, Type tile) {
    auto shared = dyn_cast<SmemType>(tile);
    return (what + " " +
            (shared ? describeTile(shared) + ","
                    : describeShape(cast<RankedTensorType>(tile))) +
            " of " + describeTensor(global))
        .str();
  };
  return TypeSwitch<Operation *, std::string>(op)
      .Case<CopyStartOp, TmaLoadOp>([&](auto op) {
        return describe("load", op.getGlobalType(), op.getTile().getType());
      })
      .Case([&](CopyStoreOp op) {
        return describe(op.getAdd() ? "add" : "store", op.getGlobalType(),
                        op.getValue().getType());
      })
      .Case([&](TmaStoreOp op) {
        return describe(op.getAdd() ? "add" : "store", op.getGlobalType(),
                        op.getBufferType());
      })
      .Default([](Operation *) { return ""; });
}

void KernelReport::read(ModuleOp module) {
  auto found = module.getOps<KernelOp>();
  if (found.empty())
    return;
  kernels.clear();
  for (KernelOp op : found) {
    rooflines.try_emplace(getSourceName(op), op);
    if (RingReport::isOf(op))
      ringReports.insert_or_assign(op.getSymName(), RingReport(op));
    Kernel &kernel = kernels.emplace_back();
    kernel.name = op.getSymName().str();
    kernel.threads = op.getThreads();
    kernel.sharedMemory = op.getSharedMemory().value_or(0);
    kernel.progress = describeProgress(op);
    // In a kernel without roles, ptxas decides.
    bool hasRoles = !op.getBody().getOps<RoleOp>().empty();
    kernel.registersAtEntry = hasRoles ? getRegistersAtEntry(op) : 0;
    if (auto leeway = op->getAttrOfType<IntegerAttr>(kRegisterLeewayAttrName))
      kernel.registers.push_back(
          llvm::formatv("loops of products: {0} above those that are certain "
                        "to be free",
                        leeway.getInt()));
    for (Operation *scope : getRegisterScopes(op))
      if (std::string need = describeNeed(scope); !need.empty())
        kernel.registers.push_back(std::move(need));
    op.walk([&](Operation *nested) {
      auto add = [&](std::vector<std::string> &list, std::string text) {
        if (text.empty())
          return;
        if (std::string place = getPlace(nested); !place.empty())
          text += ", at " + place;
        list.push_back(std::move(text));
      };
      add(kernel.buffers, describeMemory(nested));
      add(kernel.copies, describeCopy(nested));
      if (auto role = dyn_cast<RoleOp>(nested))
        add(kernel.roles, describeRole(role));
      else if (auto dot = dyn_cast<DotOp>(nested))
        add(kernel.products, describeProduct(dot, /*onTensorCores=*/false));
      else if (auto mma = dyn_cast<MmaOp>(nested))
        add(kernel.products, describeProduct(mma, /*onTensorCores=*/true));
      else if (auto issue = dyn_cast<MmaIssueOp>(nested))
        add(kernel.products, describeProduct(issue, /*onTensorCores=*/true));
    });
  }
}

//===----------------------------------------------------------------------===//
// Printing
//===----------------------------------------------------------------------===//

Occupancy tools::getOccupancy(const GpuTarget &target, int64_t threads,
                              int64_t registers, int64_t sharedMemory) {
  Occupancy best = {target.blocksPerSM, "blocks"};
  auto limit = [&](int64_t ctas, StringRef by) {
    if (ctas < best.ctas)
      best = {ctas, by};
  };
  limit(target.threadsPerSM / threads, "threads");
  if (registers) {
    int64_t perThread = llvm::alignTo(registers, target.registerStep);
    int64_t warps = llvm::divideCeil(threads, target.warpSize);
    limit(target.registersPerSM / (perThread * target.warpSize * warps),
          "registers");
  }
  limit(target.sharedMemoryPerSM /
            (sharedMemory + target.reservedSharedMemoryPerBlock),
        "shared memory");
  return best;
}

std::vector<KernelReport::Section>
KernelReport::getSections(const Kernel &kernel, const GpuTarget &target) const {
  std::vector<Section> sections = {{"roles", kernel.roles}};
  if (auto found = ringReports.find(kernel.name); found != ringReports.end())
    sections.push_back({"rings", found->second.rings});
  sections.push_back({"progress", kernel.progress});
  sections.push_back({"registers", kernel.registers});
  sections.push_back({"shared memory", kernel.buffers});
  sections.push_back({"products", kernel.products});
  sections.push_back({"tensor copies", kernel.copies});
  if (auto found = rooflines.find(kernel.name); found != rooflines.end())
    sections.push_back({"roofline", found->second.describe(target)});
  llvm::erase_if(sections, [](auto &section) { return section.lines.empty(); });
  return sections;
}

/// Returns the resources of a kernel according to ptxas, or null.
static const ptx::KernelResources *findResources(const ptx::PtxasReport &ptxas,
                                                 StringRef name) {
  auto found = llvm::find_if(
      ptxas.kernels, [&](auto &resources) { return resources.name == name; });
  return found == ptxas.kernels.end() ? nullptr : &*found;
}

void KernelReport::print(const GpuTarget &target, const ptx::PtxasReport &ptxas,
                         raw_ostream &os) const {
  auto printResources = [&](const ptx::KernelResources &found) {
    os << llvm::formatv("  ptxas: {0} registers at entry, {1} + {2} bytes "
                        "spilled (stores + loads), {3} barriers\n",
                        found.registers, found.spillStoreBytes,
                        found.spillLoadBytes, found.barriers);
  };
  for (const Kernel &kernel : kernels) {
    const ptx::KernelResources *found = findResources(ptxas, kernel.name);
    Occupancy occupancy =
        getOccupancy(target, kernel.threads,
                     found ? found->registers : kernel.registersAtEntry,
                     kernel.sharedMemory);
    os << "kernel '" << kernel.name << "': " << kernel.threads << " threads, "
       << kernel.sharedMemory << " bytes of shared memory\n";
    os << "  at most " << occupancy.ctas << " per multiprocessor, by "
       << occupancy.limit << "\n";
    if (found)
      printResources(*found);
    for (const Section &section : getSections(kernel, target)) {
      os << "  " << section.title << ":\n";
      for (StringRef line : section.lines)
        os << "    " << line << "\n";
    }
  }
  // Kernels that were already lowered in the input.
  for (const ptx::KernelResources &resources : ptxas.kernels)
    if (llvm::none_of(kernels, [&](const Kernel &kernel) {
          return kernel.name == resources.name;
        })) {
      os << "kernel '" << resources.name << "'\n";
      printResources(resources);
    }
}

llvm::json::Value KernelReport::toJSON(const GpuTarget &target,
                                       const ptx::PtxasReport &ptxas) const {
  llvm::json::Array all;
  for (const Kernel &kernel : kernels) {
    const ptx::KernelResources *found = findResources(ptxas, kernel.name);
    Occupancy occupancy =
        getOccupancy(target, kernel.threads,
                     found ? found->registers : kernel.registersAtEntry,
                     kernel.sharedMemory);
    llvm::json::Object object{
        {"name", kernel.name},
        {"target", target.name},
        {"threads", kernel.threads},
        {"sharedMemory", kernel.sharedMemory},
        {"sharedMemoryPerBlock", target.sharedMemoryPerBlock},
        {"ctas", occupancy.ctas},
        {"limit", occupancy.limit}};
    if (found)
      object["ptxas"] =
          llvm::json::Object{{"registers", found->registers},
                             {"spillStores", found->spillStoreBytes},
                             {"spillLoads", found->spillLoadBytes},
                             {"barriers", found->barriers}};
    llvm::json::Array sections;
    for (const Section &section : getSections(kernel, target))
      sections.push_back(
          llvm::json::Object{{"title", section.title},
                             {"lines", llvm::json::Array(section.lines)}});
    object["sections"] = std::move(sections);
    all.push_back(std::move(object));
  }
  return all;
}
