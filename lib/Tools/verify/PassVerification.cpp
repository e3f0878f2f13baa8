//===- PassVerification.cpp - Verification of passes ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Translation validation by execution. A fingerprint of each kernel tells which
// kernels a pass changed. Their results on small arguments are compared with
// those before the first pass. The first difference is attributed to the pass.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/verify/PassVerification.h"

#include "LoweredKernels.h"
#include "ReferenceResults.h"

#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Simulator/Simulator.h"
#include "tessera/Target/PTX/EmitPTX.h"
#include "tessera/Tools/KernelLaunch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;

static constexpr sim::Order kOrders[] = {sim::Order::Program, sim::Order::Late,
                                         sim::Order::Random};

class PassVerification::Impl {
public:
  explicit Impl(const VerificationOptions &options) : options(options) {}

  /// Executes the kernels of `module` that changed since the last visit. `pass`
  /// is empty before the first pass.
  void visit(ModuleOp module, StringRef pass);

  bool hasFailed = false;
  uint64_t executions = 0;
  /// Whether a variant was executed at its last level, by its name, in the
  /// order of their first appearance.
  llvm::MapVector<StringAttr, bool> variants;
  /// The reference results by the names of kernels in the source.
  llvm::StringMap<std::unique_ptr<ReferenceResults>> references;

private:
  bool hasChanged(Operation *op, StringRef name);
  LogicalResult verify(tile::KernelOp kernel, StringRef pass);
  LogicalResult verify(sm::KernelOp kernel, StringRef pass);
  LogicalResult verify(const LoweredKernel &kernel, StringRef pass);
  LogicalResult verifyLowered(ModuleOp module, StringRef pass);
  FailureOr<ReferenceResults *> getReference(const interp::KernelView &kernel,
                                             StringRef source);
  /// Reports a defect of a kernel; `reference` may have generated the
  /// arguments.
  InFlightDiagnostic reportDefect(Operation *op,
                                  const ReferenceResults &reference,
                                  StringRef pass,
                                  std::optional<sim::Order> order);

  const VerificationOptions &options;
  llvm::StringMap<OperationFingerPrint> known;
};

void PassVerification::Impl::visit(ModuleOp module, StringRef pass) {
  if (hasFailed)
    return;
  if (isLowered(module)) {
    // Kernels refer to other parts of the module, such as constants.
    if (hasChanged(module, /*name=*/""))
      hasFailed = failed(verifyLowered(module, pass));
    return;
  }
  for (Operation &op : module.getOps()) {
    if (!isa<tile::KernelOp, sm::KernelOp>(op) ||
        !hasChanged(&op, SymbolTable::getSymbolName(&op)))
      continue;
    auto tileKernel = dyn_cast<tile::KernelOp>(op);
    hasFailed = failed(tileKernel ? verify(tileKernel, pass)
                                  : verify(cast<sm::KernelOp>(op), pass));
    if (hasFailed)
      return;
  }
}

bool PassVerification::Impl::hasChanged(Operation *op, StringRef name) {
  OperationFingerPrint print(op);
  auto [last, isNew] = known.try_emplace(name, print);
  if (!isNew && last->second == print)
    return false;
  last->second = print;
  return true;
}

FailureOr<ReferenceResults *>
PassVerification::Impl::getReference(const interp::KernelView &kernel,
                                     StringRef source) {
  std::unique_ptr<ReferenceResults> &reference = references[source];
  if (!reference) {
    FailureOr<std::unique_ptr<ReferenceResults>> made =
        ReferenceResults::create(kernel, options.arguments, options.seed);
    if (succeeded(made) && options.rms != 0)
      (*made)->compareByRms(options.rms);
    if (failed(made))
      return failure();
    reference = std::move(*made);
  }
  return reference.get();
}

InFlightDiagnostic PassVerification::Impl::reportDefect(
    Operation *op, const ReferenceResults &reference, StringRef pass,
    std::optional<sim::Order> order) {
  InFlightDiagnostic diagnostic = op->emitError();
  diagnostic << "kernel '" << SymbolTable::getSymbolName(op).getValue()
             << "' cannot be executed ";
  if (pass.empty())
    diagnostic << "as it is before any pass";
  else
    diagnostic << "after the pass '" << pass << "'";
  if (order)
    diagnostic << ", in the order '" << sim::getName(*order) << "'";
  // The kernel may not support generated sizes.
  if (pass.empty() && !reference.getMade().empty())
    diagnostic.attachNote() << "of its arguments these were made: "
                            << llvm::join(reference.getMade(), ", ")
                            << "; give others with --verify-arg NAME=SPEC";
  return diagnostic;
}

LogicalResult PassVerification::Impl::verify(tile::KernelOp kernel,
                                             StringRef pass) {
  FailureOr<ReferenceResults *> reference =
      getReference(kernel, kernel.getSymName());
  if (failed(reference))
    return failure();
  llvm::Expected<interp::Launch> launch =
      makeLaunch(kernel, (*reference)->getArguments(), options.seed);
  if (!launch)
    return kernel.emitError(llvm::toString(launch.takeError()));
  ++executions;
  if (failed(interp::run(*launch, interp::RunOptions())))
    return reportDefect(kernel, **reference, pass, /*order=*/std::nullopt);
  return (*reference)->check(kernel, pass, [&](unsigned index) {
    return launch->getTensor(index)->toArray();
  });
}

LogicalResult PassVerification::Impl::verify(sm::KernelOp kernel,
                                             StringRef pass) {
  FailureOr<ReferenceResults *> reference =
      getReference(kernel, sm::getSourceName(kernel));
  if (failed(reference))
    return failure();
  bool &isExecuted = variants[kernel.getSymNameAttr()];
  // A variant that does not support these sizes is not executed.
  llvm::Expected<interp::SizeBinding> sizes =
      bindSizes(kernel, (*reference)->getArguments());
  if (!sizes)
    return kernel.emitError(llvm::toString(sizes.takeError()));
  if (ArrayAttr conditions = kernel.getConditionsAttr())
    for (auto condition : conditions.getAsRange<tile::SizeAttr>())
      if (sizes->evaluate(condition) != 0)
        return success();
  isExecuted = true;
  for (sim::Order order : kOrders) {
    llvm::Expected<interp::Launch> launch =
        makeLaunch(kernel, (*reference)->getArguments(), options.seed);
    if (!launch)
      return kernel.emitError(llvm::toString(launch.takeError()));
    ++executions;
    sim::Options simOptions;
    simOptions.order = order;
    simOptions.seed = options.seed;
    if (failed(sim::simulate(*launch, simOptions)))
      return reportDefect(kernel, **reference, pass, order);
    auto getResult = [&](unsigned index) {
      return launch->getTensor(index)->toArray();
    };
    if (failed((*reference)->check(kernel, pass, getResult)))
      return failure();
  }
  return success();
}

LogicalResult PassVerification::Impl::verify(const LoweredKernel &kernel,
                                             StringRef pass) {
  // There are no reference results for kernels that were lowered in the input.
  auto found = references.find(kernel.getMetadata().name);
  if (found == references.end())
    return success();
  ReferenceResults &reference = *found->second;
  LLVM::LLVMFuncOp function = kernel.function;
  bool &isExecuted = variants[function.getSymNameAttr()] = false;
  llvm::Expected<LaunchRequest> request = LaunchRequest::read(
      kernel.package, /*kernel=*/"", reference.getValues(), options.seed);
  if (llvm::Error error = request.takeError()) {
    if (error.isA<rt::ConditionError>()) {
      llvm::consumeError(std::move(error));
      return success();
    }
    return function.emitError(llvm::toString(std::move(error)));
  }
  isExecuted = true;
  for (sim::Order order : kOrders) {
    ++executions;
    llvm::Expected<std::vector<NDArray>> results =
        runLowered(kernel, *request, order, options.seed);
    if (!results) {
      std::string text = llvm::toString(results.takeError());
      InFlightDiagnostic diagnostic =
          reportDefect(function, reference, pass, order);
      if (!text.empty())
        diagnostic << ": " << text;
      return diagnostic;
    }
    auto getResult = [&](unsigned index) { return (*results)[index]; };
    if (failed(reference.check(function, pass, getResult)))
      return failure();
  }
  return success();
}

LogicalResult PassVerification::Impl::verifyLowered(ModuleOp module,
                                                    StringRef pass) {
  FailureOr<std::vector<LoweredKernel>> kernels = compileToPTX(module);
  if (failed(kernels))
    return failure();
  for (const LoweredKernel &kernel : *kernels)
    if (failed(verify(kernel, pass)))
      return failure();
  return success();
}

namespace {
class Instrumentation : public PassInstrumentation {
public:
  explicit Instrumentation(std::shared_ptr<PassVerification::Impl> impl)
      : impl(std::move(impl)) {}

  void runBeforePass(Pass *pass, Operation *op) override {
    if (auto module = dyn_cast<ModuleOp>(op); module && !isStarted) {
      isStarted = true;
      impl->visit(module, {});
    }
  }
  void runAfterPass(Pass *pass, Operation *op) override {
    // A pass without a name only runs other passes.
    if (pass->getArgument().empty())
      return;
    auto module = dyn_cast<ModuleOp>(op);
    if (!module)
      module = op->getParentOfType<ModuleOp>();
    if (module)
      impl->visit(module, pass->getArgument());
  }

private:
  std::shared_ptr<PassVerification::Impl> impl;
  bool isStarted = false;
};
} // namespace

PassVerification::PassVerification(const VerificationOptions &options)
    : impl(std::make_shared<Impl>(options)) {}

PassVerification::~PassVerification() = default;

void PassVerification::watch(PassManager &manager) {
  // A pass on one kernel must not run while another kernel is executed.
  manager.getContext()->disableMultithreading();
  DialectRegistry registry;
  ptx::registerEmissionDialects(registry);
  manager.getContext()->appendDialectRegistry(registry);
  manager.addInstrumentation(std::make_unique<Instrumentation>(impl));
}

LogicalResult PassVerification::finish(raw_ostream &os) const {
  if (impl->hasFailed)
    return failure();
  os << "verify-passes: " << impl->executions
     << " executions gave the same results";
  bool isFirst = true;
  for (auto [name, isExecuted] : impl->variants) {
    if (isExecuted)
      continue;
    os << (isFirst ? "; these arguments do not meet the requirements of the "
                     "variant '"
                   : ", '")
       << name.getValue() << "'";
    isFirst = false;
  }
  if (!isFirst)
    os << ", which was not executed; --verify-arg NAME=SPEC gives others";
  std::vector<std::string> dependent;
  for (const auto &[kernel, reference] : impl->references)
    for (const std::string &name : reference->getOrderDependent())
      dependent.push_back("'" + name + "' of '" + kernel.str() + "'");
  llvm::sort(dependent);
  if (!dependent.empty())
    os << "; not compared: " << llvm::join(dependent, ", ")
       << ", computed from values that atomic operations return, which depend "
          "on the order of programs";
  os << '\n';
  return success();
}
