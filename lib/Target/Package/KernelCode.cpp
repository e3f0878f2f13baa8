//===- KernelCode.cpp - The code of each kernel -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Compiles each kernel in a module of its own, on a thread of its own. The
// thread runs ptxas at one or several optimisation levels, and again with fewer
// blocks per multiprocessor if loops spill. Invariant: results and messages are
// in the order of the kernels, whatever the order of the threads.
//
//===----------------------------------------------------------------------===//

#include "KernelCode.h"

#include "tessera/Target/KernelAttributes.h"
#include "tessera/Target/PTX/PtxasDiagnostics.h"

#include "mlir/Dialect/DLTI/DLTI.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Support/Timing.h"
#include "llvm/ADT/ScopeExit.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/ThreadPool.h"

using namespace tessera;
using rt::KernelMetadata;

/// Lines of PTX from which ptxas compiles a plain variant at a lower
/// optimisation level. Plain variants are for sizes that tensor copies cannot
/// serve: threads fetch, and the wait for memory dominates. Such code is a few
/// per cent slower, and ptxas takes half of its time.
static constexpr int64_t kLongText = 6000;

/// Checks whether kernel number `index` is a variant for arguments that earlier
/// variants do not support.
static bool isPlain(ArrayRef<KernelMetadata> kernels, size_t index) {
  return llvm::any_of(kernels.take_front(index), [&](auto &other) {
    return other.name == kernels[index].name;
  });
}

/// Checks whether one tile takes more registers than a thread has. ptxas spills
/// it in any case; at -O1 it is faster and spills less.
static bool isOverfull(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  return function && function->hasAttr(kOverfullAttrName);
}

/// Checks whether registers are too few: ptxas spills some, and at -O1 more.
static bool isTight(ModuleOp module, StringRef entry) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  return function && function->hasAttr(kTightAttrName);
}

/// Returns the optimisation levels of ptxas for the kernel `entry`. The first
/// level without spills is used, or else the last one.
static SmallVector<unsigned> getLevels(ModuleOp module, StringRef entry,
                                       bool isLong,
                                       const PackageOptions &options) {
  if (isOverfull(module, entry))
    return {1};
  if (isLong && !isTight(module, entry))
    return {1, options.optimization};
  return {options.optimization};
}

/// Lowers the number of blocks that share a multiprocessor until a thread gets
/// more registers. Returns whether it did. A kernel with roles keeps its
/// number, since its roles divide the registers of the launch.
static bool relaxBound(ModuleOp module, StringRef entry,
                       const GpuTarget &target) {
  auto function = module.lookupSymbol<LLVM::LLVMFuncOp>(entry);
  StringRef boundName = NVVM::NVVMDialect::getMinctasmAttrName();
  StringRef threadsName = NVVM::NVVMDialect::getMaxntidAttrName();
  if (!function)
    return false;
  auto bound = function->getAttrOfType<IntegerAttr>(boundName);
  auto threads = function->getAttrOfType<DenseI32ArrayAttr>(threadsName);
  bool hasRoles =
      function
          .walk([](NVVM::SetMaxRegisterOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (!bound || !threads || hasRoles)
    return false;
  auto getLimit = [&](int64_t blocks) {
    return std::min(target.registersPerThread,
                    target.getRegistersAtEntry(threads[0] * blocks));
  };
  int64_t blocks = bound.getInt();
  if (blocks < 2 || getLimit(blocks) == target.registersPerThread)
    return false;
  int64_t fewer = blocks - 1;
  while (fewer > 1 && getLimit(fewer) == getLimit(blocks))
    --fewer;
  auto describe = [&](int64_t blocks) {
    return ("of the " + Twine(getLimit(blocks)) + " registers").str();
  };
  if (auto advice =
          function->getAttrOfType<StringAttr>(kRegisterAdviceAttrName)) {
    auto [before, after] = advice.getValue().split(describe(blocks));
    if (!after.empty())
      function->setAttr(kRegisterAdviceAttrName,
                        StringAttr::get(module.getContext(),
                                        before + describe(fewer) + after));
  }
  function->setAttr(boundName, IntegerAttr::get(bound.getType(), fewer));
  return true;
}

/// Returns a module of the kernel `entry` and everything that is not a kernel.
static OwningOpRef<ModuleOp> extract(ModuleOp module, StringRef entry) {
  OwningOpRef<ModuleOp> part = ModuleOp::create(module.getLoc());
  (*part)->setAttrs(module->getAttrDictionary());
  for (Operation &op : *module.getBody()) {
    auto function = dyn_cast<LLVM::LLVMFuncOp>(op);
    if (!function || function.getSymName() == entry ||
        !function->hasAttr(NVVM::NVVMDialect::getKernelFuncAttrName()))
      part->push_back(op.clone());
  }
  return part;
}

/// Runs functions on threads of their own, not on those of the context. A
/// thread of the context that waits for passes of its kernel would begin the
/// next kernel meanwhile, and continue its own kernel after that.
static void runSideBySide(MLIRContext *context, size_t count,
                          function_ref<void(size_t)> run) {
  ParallelDiagnosticHandler inOrder(context);
  llvm::DefaultThreadPool pool(llvm::hardware_concurrency());
  for (size_t index = 0; index < count; ++index)
    pool.async([&, index] {
      inOrder.setOrderIDForThread(index);
      run(index);
      inOrder.eraseOrderIDForThread();
    });
  pool.wait();
}

FailureOr<std::vector<KernelCode>>
tessera::compileKernels(ModuleOp module, ArrayRef<KernelMetadata> kernels,
                        StringRef ptxas, const PackageOptions &options,
                        TimingScope &timing) {
  MLIRContext *context = module.getContext();
  // Threads must not load dialects concurrently.
  context->loadDialect<DLTIDialect, LLVM::LLVMDialect, NVVM::NVVMDialect>();
  bool wasThreaded = context->isMultithreadingEnabled();
  context->enableMultithreading();
  llvm::scope_exit restore([&] { context->enableMultithreading(wasThreaded); });

  // One warning for all variants of a kernel.
  llvm::StringSet<> warned;
  for (const KernelMetadata &kernel : kernels)
    if (!options.ptxOnly && !warned.contains(kernel.name) &&
        ptx::warnOfLongCode(module, kernel.entry))
      warned.insert(kernel.name);
  std::vector<FailureOr<KernelCode>> found(kernels.size(), failure());
  runSideBySide(context, kernels.size(), [&](size_t index) {
    StringRef entry = kernels[index].entry;
    TimingScope scope = timing.nest(("'" + entry + "'").str());
    OwningOpRef<ModuleOp> part = extract(module, entry);
    while (true) {
      FailureOr<std::string> text = emitPTX(*part, options, scope);
      if (failed(text))
        return;
      if (options.ptxOnly) {
        found[index] = KernelCode{std::move(*text), {}};
        return;
      }
      bool isLong =
          isPlain(kernels, index) && StringRef(*text).count('\n') > kLongText;
      TimingScope assembling = scope.nest("ptxas");
      FailureOr<ptx::Cubin> cubin =
          assemble(*part, *text, ptxas, options,
                   getLevels(*part, entry, isLong, options), /*isQuiet=*/true);
      if (failed(cubin))
        return;
      // More blocks hide the latency of memory, but not of spills.
      if (llvm::any_of(cubin->report.kernels, ptx::spillsInLoop) &&
          relaxBound(*part, entry, *options.target))
        continue;
      ptx::warnOfPtxas(*part, cubin->report);
      found[index] = KernelCode{std::move(*text), std::move(*cubin)};
      return;
    }
  });

  std::vector<KernelCode> code;
  for (FailureOr<KernelCode> &kernel : found) {
    if (failed(kernel))
      return failure();
    code.push_back(std::move(*kernel));
  }
  return code;
}
