//===- RegisterTrial.cpp - Plans that ptxas confirms ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A kernel with a loop of many products first tries the order of them that is
// predicted to be the fastest. It is kept if ptxas serialises nothing and no
// loop loads or stores spilled registers. Else the kernel has an order of the
// rules.
//
// Live tiles only approximate the registers of an order. If the source gives
// the order, it may need more registers than are certain to be free. A trial
// then schedules a copy of the kernel with leeway. The next trial has too
// little leeway for a plan that was refused. After two refusals, the kernel
// gets an order without leeway. The rules get no leeway, since packed gradients
// of attention with heads of 64 are slower with it.
//
// ptxas therefore compiles a kernel at most three times, and once if no order
// is tried.
//
//===----------------------------------------------------------------------===//

#include "tessera/Dialect/SM/IR/CostModel.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/Pipelines/CompilePackage.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"

using namespace tessera;

/// Largest number of trials of a kernel; the plan without leeway needs none.
static constexpr unsigned kMostTrials = 2;

/// Returns a module of `kernel` and of everything that is not a kernel.
static OwningOpRef<ModuleOp> extract(ModuleOp module, sm::KernelOp kernel) {
  OwningOpRef<ModuleOp> part = ModuleOp::create(module.getLoc());
  (*part)->setAttrs(module->getAttrDictionary());
  for (Operation &op : *module.getBody())
    if (&op == kernel || !isa<sm::KernelOp>(op))
      part->push_back(op.clone());
  return part;
}

/// Checks whether a loop of `kernel` has products on tensor cores.
static bool hasProducts(sm::KernelOp kernel) {
  return kernel
      .walk([](sm::MmaOp product) {
        return product->getParentOfType<LoopLikeOpInterface>()
                   ? WalkResult::interrupt()
                   : WalkResult::advance();
      })
      .wasInterrupted();
}

/// Checks whether the source of `kernel` gives the order of products.
static bool hasGivenOrder(sm::KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  return schedule && schedule.getMmaOrder() > 0;
}

/// Checks whether orders of the products of a loop of `kernel` are tried.
static bool hasManyProducts(sm::KernelOp kernel) {
  tile::ScheduleAttr schedule = kernel.getScheduleAttr();
  if (hasGivenOrder(kernel) ||
      (schedule && (schedule.getPingpong() || schedule.getLateStores())))
    return false;
  return kernel
      .walk([](scf::ForOp loop) {
        auto products = loop.getBody()->getOps<sm::MmaOp>();
        size_t count = std::distance(products.begin(), products.end());
        return count >= sm::cost::kFewestTriedProducts ? WalkResult::interrupt()
                                                       : WalkResult::advance();
      })
      .wasInterrupted();
}

static sm::KernelOp getKernel(ModuleOp part) {
  return *part.getOps<sm::KernelOp>().begin();
}

static int64_t getLeeway(sm::KernelOp kernel) {
  auto leeway = kernel->getAttrOfType<IntegerAttr>(sm::kRegisterLeewayAttrName);
  return leeway ? leeway.getInt() : 0;
}

static void setCount(sm::KernelOp kernel, StringRef name, int64_t count) {
  kernel->setAttr(name, Builder(kernel).getI64IntegerAttr(count));
}

/// Returns why a schedule with `report` is refused; empty if it is not.
static StringRef describeLoss(const ptx::PtxasReport &report) {
  for (const ptx::PtxasMessage &message : report.messages)
    if (message.effect != ptx::HazardEffect::None)
      return "ptxas makes its products wait";
  for (const ptx::KernelResources &kernel : report.kernels)
    if (kernel.spillsInLoops > 0)
      return "ptxas spills registers in a loop";
  return "";
}

/// Compiles `part`, which is scheduled, and keeps good code in `package`.
/// Returns the defect of other code.
static StringRef assembleTrial(ModuleOp part, const PhaseOptions &options,
                               PackageOptions &package) {
  StringRef failed = "it cannot be compiled";
  TimingScope timing;
  if (mlir::failed(runPhases(part, getPhases().back(), options)))
    return failed;
  FailureOr<std::string> text = emitPTX(part, package, timing);
  if (mlir::failed(text))
    return failed;
  ptx::PtxasOptions ptxasOptions;
  ptxasOptions.program = package.foundPtxas->path;
  ptxasOptions.target = package.target;
  ptxasOptions.lineTables = package.lineTables;
  ptxasOptions.hazards = ptx::HazardPolicy::AllowAll;
  ptxasOptions.optimization = package.optimization;
  llvm::Expected<ptx::Cubin> cubin = ptx::assemble(*text, ptxasOptions);
  if (!cubin) {
    llvm::consumeError(cubin.takeError());
    return failed;
  }
  StringRef loss = describeLoss(cubin->report);
  if (loss.empty())
    package.assembled.try_emplace(*text, std::move(*cubin));
  return loss;
}

/// Returns the leeway of `kernel`, and in `refused` the reason why it is not
/// larger.
static int64_t findLeeway(ModuleOp module, sm::KernelOp kernel,
                          const PhaseOptions &options, PackageOptions &package,
                          std::string &refused) {
  int64_t leeway = sm::cost::kTrialLeeway;
  for (unsigned trial = 0; trial < kMostTrials && leeway > 0; ++trial) {
    OwningOpRef<ModuleOp> part = extract(module, kernel);
    setCount(getKernel(*part), sm::kRegisterLeewayAttrName, leeway);
    if (failed(runPhases(*part, getSchedulePhase(), options)))
      return 0;
    int64_t taken = getLeeway(getKernel(*part));
    if (taken == 0)
      return 0;
    StringRef loss = assembleTrial(*part, options, package);
    if (loss.empty())
      return taken;
    if (!refused.empty())
      refused += ", ";
    refused += ("with " + Twine(taken) + " more " + loss).str();
    leeway = taken - 1;
  }
  return 0;
}

/// Checks whether ptxas makes good code of the order of products that is
/// predicted to be the fastest, and adds to `refused` why it does not.
static bool hasGoodOrder(ModuleOp module, sm::KernelOp kernel,
                         const PhaseOptions &options, PackageOptions &package,
                         std::string &refused) {
  OwningOpRef<ModuleOp> part = extract(module, kernel);
  setCount(getKernel(*part), sm::kOrderRankAttrName, 0);
  if (failed(runPhases(*part, getSchedulePhase(), options)) ||
      !getKernel(*part)->hasAttr(sm::kOrderRankAttrName))
    return false;
  StringRef loss = assembleTrial(*part, options, package);
  if (!loss.empty())
    refused =
        ("in the order that is predicted to be the fastest " + loss).str();
  return loss.empty();
}

void tessera::chooseSchedules(ModuleOp module, const PhaseOptions &options,
                              PackageOptions &package) {
  package.target = sm::findTarget(module);
  PhaseOptions quiet = options;
  quiet.remarks = false;
  for (sm::KernelOp kernel : module.getOps<sm::KernelOp>()) {
    if (kernel.getForm() != sm::Form::Scheduled || !hasProducts(kernel) ||
        kernel->hasAttr(sm::kRegisterLeewayAttrName))
      continue;
    std::string refused;
    bool isOrdered;
    int64_t leeway = 0;
    {
      // The compilation that follows reports the remaining messages.
      ScopedDiagnosticHandler handler(module.getContext(),
                                      [](Diagnostic &) { return success(); });
      isOrdered = hasManyProducts(kernel) &&
                  hasGoodOrder(module, kernel, quiet, package, refused);
      if (hasGivenOrder(kernel))
        leeway = findLeeway(module, kernel, quiet, package, refused);
    }
    if (isOrdered)
      setCount(kernel, sm::kOrderRankAttrName, 0);
    if (leeway > 0)
      setCount(kernel, sm::kRegisterLeewayAttrName, leeway);
    if (!options.remarks || (!isOrdered && leeway == 0 && refused.empty()))
      continue;
    InFlightDiagnostic remark = emitRemark(kernel.getLoc());
    remark << "loops of kernel '" << kernel.getSymName() << "' take " << leeway
           << " registers above those that are certain to be free";
    if (isOrdered)
      remark << ", in the order that is predicted to be the fastest";
    remark << (refused.empty() ? "" : ": ") << refused << " [register-leeway]";
  }
}
