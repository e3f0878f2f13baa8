//===- LaunchRequest.cpp - A launch, before there is a device ---*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The shapes of outputs follow from those of inputs. Names are therefore bound
// here before there is a plan. The plan then binds them again, and checks every
// dimension.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/launch/LaunchRequest.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/MathExtras.h"
#include <unistd.h>

using namespace tessera;
using namespace tessera::tools;
using array::makeError;
using array::NDArray;
using array::Shape;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using rt::KernelMetadata;
using rt::ParameterInfo;
using rt::SizeExpression;

/// Address of the first tensor in the trial plan.
static constexpr uint64_t kTrialAddress = uint64_t(1) << 40;
/// Alignment of the tensors in the trial plan, at least that of any kernel.
static constexpr uint64_t kTrialAlignment = 4096;

Signature tools::getSignature(const KernelMetadata &kernel) {
  Signature signature;
  signature.kernel = kernel.name;
  for (const ParameterInfo &info : kernel.parameters) {
    Parameter parameter;
    parameter.name = info.name;
    parameter.type = info.dtype;
    parameter.typeName = info.getTypeName().str();
    parameter.isIndex = info.isIndex;
    if (info.kind == ParameterInfo::Kind::Tensor) {
      parameter.isTensor = true;
      parameter.rank = info.dims.size();
      parameter.access = info.access == ParameterInfo::Access::Read ? "in"
                         : info.access == ParameterInfo::Access::Write
                             ? "out"
                             : "inout";
    }
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

namespace {
/// Infers the shapes that the command line omits.
class ShapeInference {
public:
  ShapeInference(const KernelMetadata &kernel,
                 llvm::ArrayRef<HostArgument> arguments)
      : kernel(kernel), arguments(arguments) {}

  Expected<std::vector<Shape>> run() {
    for (size_t i = 0; i < arguments.size(); ++i)
      if (Error error = bind(kernel.parameters[i], arguments[i]))
        return std::move(error);
    std::vector<Shape> shapes;
    for (size_t i = 0; i < arguments.size(); ++i) {
      shapes.emplace_back();
      if (std::optional<Shape> shape = arguments[i].getShape())
        shapes.back() = *shape;
      else if (Error error = infer(kernel.parameters[i], shapes.back()))
        return std::move(error);
    }
    return shapes;
  }

private:
  /// Binds the names to which `argument` gives a value.
  Error bind(const ParameterInfo &parameter, const HostArgument &argument) {
    if (parameter.kind == ParameterInfo::Kind::Scalar) {
      if (std::optional<int64_t> value = argument.getInteger())
        values.try_emplace(parameter.name, *value);
      return Error::success();
    }
    std::optional<Shape> shape = argument.getShape();
    if (!shape)
      return Error::success();
    if (shape->size() != parameter.dims.size())
      return makeError("'" + parameter.name + "' has rank " +
                       Twine(parameter.dims.size()) + ", but got shape " +
                       array::formatShape(*shape));
    for (auto [dim, extent] : llvm::zip(parameter.dims, *shape))
      if (auto binding = dim.getBinding())
        if (int64_t value; !llvm::SubOverflow(extent, binding->second, value))
          values.try_emplace(binding->first, value);
    return Error::success();
  }

  Error infer(const ParameterInfo &parameter, Shape &shape) const {
    for (const SizeExpression &dim : parameter.dims) {
      auto fail = [&](const Twine &message) {
        return makeError("dimension " + Twine(shape.size()) + " of '" +
                         parameter.name + "' " + message);
      };
      for (const std::string &name : dim.getNames())
        if (!values.contains(name))
          return fail("is not known: " + name +
                      " is not bound; give the shape with --arg " +
                      parameter.name + "=(…)");
      Expected<int64_t> extent = dim.evaluate(
          [&](StringRef name) { return std::optional(values.lookup(name)); });
      if (!extent)
        return extent.takeError();
      if (*extent < 0)
        return fail("is " + dim.getText() + " = " + Twine(*extent) +
                    ", which is negative");
      shape.push_back(*extent);
    }
    return Error::success();
  }

  const KernelMetadata &kernel;
  llvm::ArrayRef<HostArgument> arguments;
  llvm::StringMap<int64_t> values;
};
} // namespace

Error LaunchRequest::checkMemory(std::optional<int64_t> maxBytes) const {
  int64_t available =
      int64_t(sysconf(_SC_PHYS_PAGES)) * int64_t(sysconf(_SC_PAGESIZE));
  int64_t total = 0;
  for (auto [i, parameter] : llvm::enumerate(signature.parameters)) {
    if (!parameter.isTensor)
      continue;
    auto fail = [&, &shape = shapes[i],
                 &name = parameter.name](const Twine &what) {
      return makeError("with '" + name + "' of shape " +
                       array::formatShape(shape) + ", the tensors have " +
                       Twine(total) + " bytes; " + what);
    };
    Expected<int64_t> count = array::countElements(shapes[i]);
    if (!count)
      return makeError("'" + parameter.name +
                       "': " + llvm::toString(count.takeError()));
    total += getNumBytes(i);
    if (maxBytes && total > *maxBytes)
      return fail("the emulator takes at most " + Twine(*maxBytes));
    if (total > available)
      return fail("the memory of this machine has " + Twine(available));
  }
  return Error::success();
}

/// Returns the plan of the first variant that supports the arguments, as
/// rt::Launcher chooses it.
static Expected<rt::LaunchPlan>
planVariant(llvm::ArrayRef<const KernelMetadata *> variants,
            llvm::ArrayRef<rt::Argument> arguments) {
  std::string reasons;
  for (const KernelMetadata *variant : variants) {
    Expected<rt::LaunchPlan> plan = rt::planLaunch(*variant, arguments);
    if (plan)
      return plan;
    // Wrong arguments are wrong for all variants.
    if (Error error = llvm::handleErrors(
            plan.takeError(), [&](const rt::ConditionError &condition) {
              reasons += (reasons.empty() ? "" : "; ") + condition.message();
            }))
      return std::move(error);
  }
  return llvm::make_error<rt::ConditionError>(reasons);
}

Expected<LaunchRequest> LaunchRequest::read(const rt::KernelPackage &package,
                                            const ArgumentOptions &options,
                                            std::optional<int64_t> maxBytes) {
  if (options.gpu < 0)
    return makeError("--gpu: expected the number of a device, from 0 on, got " +
                     Twine(options.gpu));
  return read(package, options.kernel, options.args, options.seed, maxBytes);
}

Expected<LaunchRequest> LaunchRequest::read(const rt::KernelPackage &package,
                                            StringRef kernelName,
                                            llvm::ArrayRef<std::string> args,
                                            uint64_t seed,
                                            std::optional<int64_t> maxBytes) {
  std::vector<const KernelMetadata *> kernels = package.getFirstVariants();
  if (kernelName.empty() && kernels.size() > 1) {
    auto names =
        llvm::map_range(kernels, [](const KernelMetadata *kernel) -> StringRef {
          return kernel->name;
        });
    return makeError("the package has several kernels; choose one with "
                     "--kernel: " +
                     llvm::join(names, ", "));
  }
  auto variants = package.findVariants(kernelName);
  if (!variants)
    return variants.takeError();
  const KernelMetadata &kernel = *variants->front();
  LaunchRequest request;
  request.metadata = &kernel;
  request.signature = getSignature(kernel);
  Expected<std::vector<HostArgument>> arguments =
      readArguments(request.signature, args);
  if (!arguments)
    return arguments.takeError();
  Expected<std::vector<Shape>> shapes =
      ShapeInference(kernel, *arguments).run();
  if (!shapes)
    return shapes.takeError();
  request.shapes = std::move(*shapes);

  // First the scalars, which the plan needs; then the plan, which is fast; then
  // the tensors.
  request.contents.resize(arguments->size());
  auto materialize = [&](bool tensors) -> Error {
    for (auto [i, argument] : llvm::enumerate(*arguments)) {
      const Parameter &parameter = argument.getParameter();
      if (parameter.isTensor != tensors || parameter.isOutput())
        continue;
      Expected<NDArray> contents = argument.materialize(seed);
      if (!contents)
        return contents.takeError();
      request.contents[i] = std::move(*contents);
    }
    return Error::success();
  };
  if (Error error = materialize(/*tensors=*/false))
    return std::move(error);
  if (Error error = request.checkMemory(maxBytes))
    return std::move(error);
  std::vector<uint64_t> addresses;
  uint64_t address = kTrialAddress;
  for (unsigned i = 0; i < arguments->size(); ++i) {
    addresses.push_back(address);
    if (request.signature.parameters[i].isTensor)
      address =
          llvm::alignTo(address + request.getNumBytes(i), kTrialAlignment);
  }
  Expected<rt::LaunchPlan> plan =
      planVariant(*variants, request.getArguments(addresses));
  if (!plan)
    return plan.takeError();
  request.sizes = plan->sizes;
  if (Error error = materialize(/*tensors=*/true))
    return std::move(error);
  return std::move(request);
}

std::vector<rt::Argument>
LaunchRequest::getArguments(llvm::ArrayRef<uint64_t> addresses) const {
  std::vector<rt::Argument> arguments;
  for (auto [i, parameter] : llvm::enumerate(signature.parameters)) {
    if (parameter.isTensor) {
      rt::TensorArgument tensor;
      tensor.address = addresses[i];
      tensor.dtype = parameter.type;
      tensor.shape.assign(shapes[i].begin(), shapes[i].end());
      arguments.emplace_back(std::move(tensor));
    } else if (array::isFloat(parameter.type)) {
      arguments.emplace_back(contents[i].getFloat(0));
    } else {
      arguments.emplace_back(contents[i].getInteger(0));
    }
  }
  return arguments;
}

int64_t LaunchRequest::getNumBytes(unsigned index) const {
  int64_t bytes = array::getByteSize(signature.parameters[index].type);
  for (int64_t extent : shapes[index])
    bytes *= extent;
  return bytes;
}
