//===- PassVerification.cpp - Passes keep results ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/verify/PassVerification.h"

#include "SmallArguments.h"

#include "tessera/Array/Comparison.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Simulator/Simulator.h"
#include "tessera/Tools/KernelLaunch.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/PassInstrumentation.h"
#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
namespace cl = llvm::cl;

VerificationOptions::VerificationOptions(cl::OptionCategory &category)
    : isOn("verify-passes",
           cl::desc("Execute each kernel around every pass, and name the first "
                    "pass that changes what it computes"),
           cl::cat(category)),
      arguments("verify-arg",
                cl::desc("With --verify-passes, an argument as --arg of "
                         "tile-run; small ones are made for the others"),
                cl::value_desc("NAME=SPEC"), cl::cat(category)),
      seed(
          "verify-seed",
          cl::desc("With --verify-passes, the seed of arguments and schedules"),
          cl::cat(category)) {}

namespace {
/// What is known of the kernels of one name in the source.
struct Reference {
  Signature signature;
  /// The arguments that were made, as the command line would give them.
  std::vector<std::string> made;
  std::vector<HostArgument> arguments;
  /// Of each parameter that is written, what the first execution gave.
  std::vector<std::optional<NDArray>> results;
};

struct Schedule {
  sim::Order order;
  StringRef name;
};
} // namespace

static constexpr Schedule kSchedules[] = {{sim::Order::Program, "program"},
                                          {sim::Order::Late, "late"},
                                          {sim::Order::Random, "random"}};

class PassVerification::Impl {
public:
  explicit Impl(const VerificationOptions &options) : options(options) {}

  /// Executes what has changed in `module` since the last visit. `pass` is
  /// empty in front of the first one.
  void visit(ModuleOp module, StringRef pass);

  bool hasFailed = false;
  uint64_t executions = 0;
  /// Whether a variant of the machine level was ever executed, by its name; in
  /// the order in which they came.
  llvm::MapVector<StringAttr, bool> variants;

private:
  LogicalResult verify(const interp::KernelView &kernel, StringRef source,
                       ArrayAttr conditions, StringRef pass);
  LogicalResult execute(const interp::KernelView &kernel, Reference &reference,
                        const Schedule *schedule, StringRef pass);
  LogicalResult compareResults(const interp::KernelView &kernel,
                               Reference &reference, interp::Launch &launch,
                               StringRef pass);
  FailureOr<Reference *> getReference(const interp::KernelView &kernel,
                                      StringRef source);

  const VerificationOptions &options;
  llvm::StringMap<std::unique_ptr<Reference>> references;
  llvm::StringMap<OperationFingerPrint> known;
};

void PassVerification::Impl::visit(ModuleOp module, StringRef pass) {
  for (Operation &op : module.getOps()) {
    auto tileKernel = dyn_cast<tile::KernelOp>(op);
    auto smKernel = dyn_cast<sm::KernelOp>(op);
    if (hasFailed || !(tileKernel || smKernel))
      continue;
    interp::KernelView kernel = tileKernel ? interp::KernelView(tileKernel)
                                           : interp::KernelView(smKernel);
    OperationFingerPrint print(&op);
    auto [last, isNew] = known.try_emplace(kernel.getSymName(), print);
    if (!isNew && last->second == print)
      continue;
    last->second = print;
    StringRef source =
        smKernel ? sm::getSourceName(smKernel) : kernel.getSymName();
    ArrayAttr conditions;
    if (smKernel)
      conditions = smKernel.getConditionsAttr();
    hasFailed = failed(verify(kernel, source, conditions, pass));
  }
}

FailureOr<Reference *>
PassVerification::Impl::getReference(const interp::KernelView &kernel,
                                     StringRef source) {
  std::unique_ptr<Reference> &reference = references[source];
  if (reference)
    return reference.get();
  reference = std::make_unique<Reference>();
  reference->signature = getSignature(kernel);
  auto refuse = [&](llvm::Error error) {
    return kernel.emitError("cannot be executed by --verify-passes: ")
           << llvm::toString(std::move(error))
           << "; give its arguments with --verify-arg NAME=SPEC";
  };
  llvm::Expected<std::vector<std::string>> values =
      makeSmallArguments(kernel, reference->signature, options.arguments);
  if (!values)
    return refuse(values.takeError());
  reference->made.assign(values->begin() + options.arguments.size(),
                         values->end());
  llvm::Expected<std::vector<HostArgument>> arguments =
      readArguments(reference->signature, *values);
  if (!arguments)
    return refuse(arguments.takeError());
  reference->arguments = std::move(*arguments);
  llvm::Expected<interp::Launch> launch =
      makeLaunch(kernel, reference->arguments, options.seed);
  if (!launch)
    return refuse(launch.takeError());
  return reference.get();
}

LogicalResult PassVerification::Impl::verify(const interp::KernelView &kernel,
                                             StringRef source,
                                             ArrayAttr conditions,
                                             StringRef pass) {
  FailureOr<Reference *> reference = getReference(kernel, source);
  if (failed(reference))
    return failure();
  if (isa<tile::KernelOp>(kernel.getOperation()))
    return execute(kernel, **reference, /*schedule=*/nullptr, pass);
  bool &isExecuted = variants[StringAttr::get(
      kernel.getOperation()->getContext(), kernel.getSymName())];
  // A variant that is not made for these sizes is not executed.
  llvm::Expected<interp::SizeBinding> sizes =
      bindSizes(kernel, (*reference)->arguments);
  if (!sizes)
    return kernel.emitError(llvm::toString(sizes.takeError()));
  if (conditions)
    for (auto condition : conditions.getAsRange<tile::SizeAttr>())
      if (sizes->evaluate(condition) != 0)
        return success();
  isExecuted = true;
  for (const Schedule &schedule : kSchedules)
    if (failed(execute(kernel, **reference, &schedule, pass)))
      return failure();
  return success();
}

LogicalResult PassVerification::Impl::execute(const interp::KernelView &kernel,
                                              Reference &reference,
                                              const Schedule *schedule,
                                              StringRef pass) {
  llvm::Expected<interp::Launch> launch =
      makeLaunch(kernel, reference.arguments, options.seed);
  if (!launch)
    return kernel.emitError(llvm::toString(launch.takeError()));
  ++executions;
  LogicalResult ran = success();
  if (schedule) {
    sim::Options simOptions;
    simOptions.order = schedule->order;
    simOptions.seed = options.seed;
    ran = sim::simulate(*launch, simOptions);
  } else {
    ran = interp::run(*launch, interp::RunOptions());
  }
  if (succeeded(ran))
    return compareResults(kernel, reference, *launch, pass);
  InFlightDiagnostic diagnostic = kernel.emitError();
  diagnostic << "kernel '" << kernel.getSymName() << "' cannot be executed ";
  if (pass.empty())
    diagnostic << "as it is before any pass";
  else
    diagnostic << "behind the pass '" << pass << "'";
  if (schedule)
    diagnostic << ", in the order '" << schedule->name << "'";
  // Sizes that were made up may be none that the kernel is for.
  if (pass.empty() && !reference.made.empty())
    diagnostic.attachNote() << "of its arguments these were made: "
                            << llvm::join(reference.made, ", ")
                            << "; give others with --verify-arg NAME=SPEC";
  return diagnostic;
}

LogicalResult
PassVerification::Impl::compareResults(const interp::KernelView &kernel,
                                       Reference &reference,
                                       interp::Launch &launch, StringRef pass) {
  bool isFirst = reference.results.empty();
  for (auto [index, parameter] :
       llvm::enumerate(reference.signature.parameters)) {
    if (isFirst)
      reference.results.emplace_back();
    if (!parameter.isTensor || parameter.access == "in")
      continue;
    NDArray actual = launch.getTensor(index)->toArray();
    std::optional<NDArray> &expected = reference.results[index];
    if (!expected) {
      expected = std::move(actual);
      continue;
    }
    array::Comparison comparison = array::compare(
        actual, *expected, array::Tolerance::getDefault(parameter.type));
    if (comparison.good)
      continue;
    return kernel.emitError("kernel '")
           << kernel.getSymName() << "' computes another '" << parameter.name
           << "' behind the pass '" << pass
           << "' than before: " << comparison.numBad << " of "
           << actual.getNumElements() << " elements differ, the first one at "
           << *comparison.firstBad << " in the order of rows";
  }
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
    // What is not a pass of its own only hands on to others.
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
  manager.addInstrumentation(std::make_unique<Instrumentation>(impl));
}

LogicalResult PassVerification::finish(raw_ostream &os) const {
  if (impl->hasFailed)
    return failure();
  os << "verify-passes: " << impl->executions
     << " executions gave the same results";
  for (auto [name, isExecuted] : impl->variants)
    if (!isExecuted)
      os << "; '" << name.getValue() << "' is not made for these arguments";
  os << '\n';
  return success();
}
