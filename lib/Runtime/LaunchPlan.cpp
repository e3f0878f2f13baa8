//===- LaunchPlan.cpp - From arguments to a launch --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Plans a launch in this order: arguments are checked one by one, dimensions
// bind sizes or are checked against them, and equalities are checked. Grid,
// tensor maps and arguments are then computed. Invariant: all expressions are
// evaluated after all sizes are bound.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Array/Limits.h"
#include "tessera/Array/Rounding.h"

#include "tessera/Runtime/TensorMemory.h"
#include "llvm/ADT/Twine.h"
#include "llvm/Support/Endian.h"
#include "llvm/Support/MathExtras.h"
#include "llvm/Support/ScopedPrinter.h"
#include <cmath>

using namespace tessera;
using namespace tessera::rt;
using llvm::createStringError;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using tessera::array::ElementType;

/// The largest grid along x, and along y and z.
static constexpr int64_t kMaxGridX = (int64_t(1) << 31) - 1;
static constexpr int64_t kMaxGridYZ = 65535;

char ConditionError::ID;

namespace {
class Planner {
public:
  Planner(const KernelMetadata &kernel, llvm::ArrayRef<Argument> arguments)
      : kernel(kernel), arguments(arguments.begin(), arguments.end()) {}

  Expected<LaunchPlan> run(const llvm::StringMap<int64_t> &given) {
    if (Error error = checkArguments())
      return error;
    if (Error error = bindSizes(given))
      return error;
    if (Error error = checkSizes())
      return error;
    if (Error error = planGrid())
      return error;
    if (plan.isEmpty())
      return std::move(plan);
    if (Error error = checkConditions())
      return error;
    for (const TensorMapRecipe &recipe : kernel.tensorMaps) {
      auto map =
          planTensorMap(recipe, kernel.parameters[recipe.parameter],
                        std::get<TensorArgument>(arguments[recipe.parameter]));
      if (!map)
        return llvm::make_error<ConditionError>(
            llvm::toString(map.takeError()));
      plan.tensorMaps.push_back(std::move(*map));
    }
    for (const ArgumentInfo &info : kernel.arguments)
      if (Error error = planArgument(info))
        return error;
    return std::move(plan);
  }

private:
  struct Bound {
    int64_t value;
    std::string reason; // "dimension 1 of 'a'"
  };

  Error fail(const Twine &message) const {
    return createStringError("kernel '" + Twine(kernel.name) + "': " + message);
  }

  std::optional<int64_t> lookup(StringRef name) const {
    auto it = bound.find(name);
    if (it == bound.end())
      return std::nullopt;
    return it->second.value;
  }

  Expected<int64_t> evaluate(const SizeExpression &expression) const {
    return expression.evaluate([&](StringRef name) { return lookup(name); });
  }

  Error checkArguments();
  Error checkTensor(const ParameterInfo &parameter, TensorArgument &tensor);
  Error checkScalar(const ParameterInfo &parameter, const Argument &argument);
  Error bindSizes(const llvm::StringMap<int64_t> &given);
  Error checkSizes() const;
  Error checkConditions() const;
  std::string explain(const SizeExpression &expression) const;
  Error planGrid();
  Error planArgument(const ArgumentInfo &info);
  Error appendInteger(int64_t value, ElementType type, const Twine &what);
  void appendScalar(const ParameterInfo &parameter, const Argument &argument);

  const KernelMetadata &kernel;
  std::vector<Argument> arguments;
  llvm::StringMap<Bound> bound;
  LaunchPlan plan;
};
} // namespace

//===----------------------------------------------------------------------===//
// Checking
//===----------------------------------------------------------------------===//

Error Planner::checkArguments() {
  if (arguments.size() != kernel.parameters.size())
    return fail("expected " + Twine(kernel.parameters.size()) +
                " arguments, got " + Twine(arguments.size()));
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &parameter = kernel.parameters[i];
    auto *tensor = std::get_if<TensorArgument>(&arguments[i]);
    bool wantsTensor = parameter.kind == ParameterInfo::Kind::Tensor;
    if (wantsTensor != bool(tensor))
      return fail(
          "expected '" + parameter.name + "' to be a " +
          (wantsTensor ? "tensor, got a scalar" : "scalar, got a tensor"));
    if (Error error = tensor ? checkTensor(parameter, *tensor)
                             : checkScalar(parameter, arguments[i]))
      return error;
  }
  if (Error error = checkTensorMemory(kernel, arguments))
    return fail(llvm::toString(std::move(error)));
  return Error::success();
}

Error Planner::checkTensor(const ParameterInfo &parameter,
                           TensorArgument &tensor) {
  if (tensor.dtype != parameter.dtype)
    return fail("expected '" + parameter.name + "' to have elements of " +
                parameter.getTypeName() + ", got " +
                array::getSourceName(tensor.dtype));
  size_t rank = parameter.dims.size();
  if (tensor.shape.size() != rank)
    return fail("expected '" + parameter.name + "' to have rank " +
                Twine(rank) + ", got " + Twine(tensor.shape.size()));
  if (!tensor.strides.empty() && tensor.strides.size() != rank)
    return fail("expected " + Twine(rank) + " strides for '" + parameter.name +
                "', got " + Twine(tensor.strides.size()));
  int64_t bytes = array::getByteSize(parameter.dtype);
  int64_t total = bytes;
  for (int64_t extent : tensor.shape)
    if (extent < 0 ||
        llvm::MulOverflow(total, std::max<int64_t>(extent, 1), total))
      return fail("the shape of '" + parameter.name +
                  "' has a negative extent or is too large");
  completeStrides(tensor);
  for (int64_t stride : tensor.strides)
    if (int64_t ignored; llvm::MulOverflow(stride, bytes, ignored))
      return fail("a stride of '" + parameter.name + "' is too large");
  if (parameter.dense && !isDense(tensor))
    return fail("expected '" + parameter.name +
                "' to be dense and row-major; copy it first");
  int64_t alignment = parameter.alignment ? parameter.alignment : bytes;
  if (tensor.address % alignment != 0)
    return fail("expected the address of '" + parameter.name +
                "' to be a multiple of " + Twine(alignment) +
                " bytes; copy it first");
  return Error::success();
}

Error Planner::checkScalar(const ParameterInfo &parameter,
                           const Argument &argument) {
  bool isInteger = std::holds_alternative<int64_t>(argument);
  if (isInteger == array::isFloat(parameter.dtype))
    return fail("expected '" + parameter.name + "' to be " +
                parameter.getTypeName() + ", got " +
                (isInteger ? "an integer" : "a float"));
  if (!isInteger) {
    double value = std::get<double>(argument);
    if (std::isfinite(value) && parameter.dtype != ElementType::F64 &&
        !std::isfinite(array::roundTo(parameter.dtype, value)))
      return fail("the value " + llvm::to_string(value) + " of '" +
                  parameter.name + "' does not fit in " +
                  parameter.getTypeName());
    return Error::success();
  }
  int64_t value = std::get<int64_t>(argument);
  if (value < array::getMinInteger(parameter.dtype) ||
      value > array::getMaxInteger(parameter.dtype))
    return fail("the value " + Twine(value) + " of '" + parameter.name +
                "' does not fit in " + parameter.getTypeName() +
                (parameter.isIndex ? ", which a launch gives in 32 bits; take "
                                     "an i64 for larger numbers"
                                   : ""));
  return Error::success();
}

//===----------------------------------------------------------------------===//
// Sizes
//===----------------------------------------------------------------------===//

Error Planner::bindSizes(const llvm::StringMap<int64_t> &given) {
  for (const auto &entry : given) {
    if (!llvm::is_contained(kernel.sizes, entry.first()))
      return fail("there is no size '" + entry.first() + "'");
    bound[entry.first()] = {entry.second, "the caller"};
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    const ParameterInfo &parameter = kernel.parameters[i];
    auto *tensor = std::get_if<TensorArgument>(&arguments[i]);
    if (!tensor) {
      if (auto *value = std::get_if<int64_t>(&arguments[i]);
          value && llvm::is_contained(kernel.sizes, parameter.name)) {
        auto [it, isNew] = bound.try_emplace(
            parameter.name, Bound{*value, "'" + parameter.name + "'"});
        if (!isNew && it->second.value != *value)
          return fail("expected '" + parameter.name + "' to be " +
                      Twine(it->second.value) + ", as " + it->second.reason +
                      " says, got " + Twine(*value));
      }
      continue;
    }
    for (size_t d = 0; d < tensor->shape.size(); ++d)
      if (auto binding = parameter.dims[d].getBinding())
        if (int64_t value;
            !llvm::SubOverflow(tensor->shape[d], binding->second, value))
          bound.try_emplace(binding->first,
                            Bound{value, "dimension " + std::to_string(d) +
                                             " of '" + parameter.name + "'"});
  }
  for (const std::string &name : kernel.sizes) {
    std::optional<int64_t> value = lookup(name);
    if (!value)
      return fail("no argument gives size '" + name +
                  "' its value; pass it with the launch");
    if (*value < 0)
      return fail("size '" + name + "' is " + Twine(*value) + ", by " +
                  bound[name].reason);
    if (*value > array::kMaxSize)
      return fail("size '" + name + "' is " + Twine(*value) + ", by " +
                  bound[name].reason + ", but sizes are at most " +
                  array::kMaxSizeText);
    plan.sizes.push_back(*value);
  }
  return Error::success();
}

/// Returns " (K = 64 by dimension 1 of 'a')" for the names of an expression.
std::string Planner::explain(const SizeExpression &expression) const {
  std::string text;
  for (const std::string &name : expression.getNames()) {
    const Bound &value = bound.find(name)->second;
    text += (text.empty() ? " (" : ", ") + name + " = " +
            std::to_string(value.value) + " by " + value.reason;
  }
  return text.empty() ? text : text + ")";
}

Error Planner::checkConditions() const {
  for (const SizeExpression &condition : kernel.conditions) {
    Expected<int64_t> value = evaluate(condition);
    if (!value)
      return value.takeError();
    if (*value != 0)
      return llvm::make_error<ConditionError>(
          "'" + Twine(kernel.entry) + "' needs " + condition.getText() +
          " == 0, got " + Twine(*value) + explain(condition));
  }
  for (const Alignment &alignment : kernel.alignments) {
    unsigned index = alignment.parameter;
    if (std::get<TensorArgument>(arguments[index]).address % alignment.bytes)
      return llvm::make_error<ConditionError>(
          "'" + Twine(kernel.entry) + "' needs the address of '" +
          kernel.parameters[index].name + "' to be a multiple of " +
          Twine(alignment.bytes) + " bytes");
  }
  return Error::success();
}

Error Planner::checkSizes() const {
  for (size_t i = 0; i < arguments.size(); ++i) {
    auto *tensor = std::get_if<TensorArgument>(&arguments[i]);
    if (!tensor)
      continue;
    const ParameterInfo &parameter = kernel.parameters[i];
    for (size_t d = 0; d < tensor->shape.size(); ++d) {
      if (tensor->shape[d] > array::kMaxSize)
        return fail("dimension " + Twine(d) + " of '" + parameter.name +
                    "' is " + Twine(tensor->shape[d]) +
                    ", but sizes are at most " + array::kMaxSizeText);
      Expected<int64_t> expected = evaluate(parameter.dims[d]);
      if (!expected)
        return expected.takeError();
      if (*expected == tensor->shape[d])
        continue;
      std::string value = std::to_string(*expected),
                  text = parameter.dims[d].getText().str();
      return fail("expected dimension " + Twine(d) + " of '" + parameter.name +
                  "' to be " + (text == value ? "" : text + " = ") + value +
                  explain(parameter.dims[d]) + ", got " +
                  Twine(tensor->shape[d]));
    }
  }
  for (const Equality &equality : kernel.equalities) {
    Expected<int64_t> left = evaluate(equality.left);
    if (!left)
      return left.takeError();
    Expected<int64_t> right = evaluate(equality.right);
    if (!right)
      return right.takeError();
    if (*left != *right)
      return fail("expected " + Twine(equality.left.getText()) +
                  " == " + equality.right.getText() + ", got " + Twine(*left) +
                  explain(equality.left) + " and " + Twine(*right) +
                  explain(equality.right));
  }
  return Error::success();
}

//===----------------------------------------------------------------------===//
// The launch
//===----------------------------------------------------------------------===//

Error Planner::planGrid() {
  plan.overlapsPrevious = kernel.overlapsPrevious;
  int64_t extents[3];
  for (int i = 0; i < 3; ++i) {
    Expected<int64_t> extent = evaluate(kernel.grid[i]);
    if (!extent)
      return extent.takeError();
    int64_t limit = i == 0 ? kMaxGridX : kMaxGridYZ;
    if (*extent < 0 || *extent > limit)
      return fail("the grid has " + Twine(*extent) + " blocks along " +
                  Twine("xyz"[i]) + ", expected 0 to " + Twine(limit));
    extents[i] = *extent;
  }
  for (int i = 0; i < 3; ++i) {
    if (extents[i] % kernel.cluster[i] != 0)
      return fail("the grid has " + Twine(extents[i]) + " blocks along " +
                  Twine("xyz"[i]) + ", expected a multiple of the cluster's " +
                  Twine(kernel.cluster[i]));
    plan.grid[i] = extents[i];
  }
  return Error::success();
}

/// Returns the low `size` bytes of `value`, in the byte order of the device.
static llvm::SmallVector<uint8_t, 8> getBytes(uint64_t value, unsigned size) {
  uint8_t bytes[8];
  llvm::support::endian::write64le(bytes, value);
  return llvm::SmallVector<uint8_t, 8>(bytes, bytes + size);
}

Error Planner::appendInteger(int64_t value, ElementType type,
                             const Twine &what) {
  if (type == ElementType::I32 && !llvm::isInt<32>(value))
    return fail(what + " is " + Twine(value) +
                ", but the kernel takes it in 32 bits");
  plan.arguments.push_back(getBytes(value, array::getByteSize(type)));
  return Error::success();
}

void Planner::appendScalar(const ParameterInfo &parameter,
                           const Argument &argument) {
  uint64_t bits = 0;
  ElementType type = parameter.dtype;
  if (auto *integer = std::get_if<int64_t>(&argument))
    bits = *integer;
  else if (double value = std::get<double>(argument); type == ElementType::F64)
    bits = llvm::bit_cast<uint64_t>(value);
  else if (float rounded = array::roundTo(type, value);
           type == ElementType::F32)
    bits = llvm::bit_cast<uint32_t>(rounded);
  else
    bits = array::encode(type, rounded);
  plan.arguments.push_back(getBytes(bits, array::getByteSize(parameter.dtype)));
}

Error Planner::planArgument(const ArgumentInfo &info) {
  using Kind = ArgumentInfo::Kind;
  switch (info.kind) {
  case Kind::TensorMap:
  case Kind::Counter:
  case Kind::Reports:
    plan.arguments.emplace_back();
    return Error::success();
  case Kind::Address:
    plan.arguments.push_back(
        getBytes(std::get<TensorArgument>(arguments[info.index]).address, 8));
    return Error::success();
  case Kind::Scalar:
    appendScalar(kernel.parameters[info.index], arguments[info.index]);
    return Error::success();
  case Kind::Size: {
    Expected<int64_t> value = evaluate(*info.size);
    if (!value)
      return value.takeError();
    if (info.type == ElementType::I32 && llvm::isInt<32>(*value) &&
        *value > array::kMaxSize)
      return fail("size " + info.size->getText() + " is " + Twine(*value) +
                  explain(*info.size) + ", but sizes are at most " +
                  array::kMaxSizeText);
    return appendInteger(*value, info.type, info.size->getText());
  }
  case Kind::Stride:
    return appendInteger(
        std::get<TensorArgument>(arguments[info.index]).strides[info.dim],
        info.type,
        "stride " + Twine(info.dim) + " of '" +
            kernel.parameters[info.index].name + "'");
  }
  return Error::success();
}

Expected<LaunchPlan>
tessera::rt::planLaunch(const KernelMetadata &kernel,
                        llvm::ArrayRef<Argument> arguments,
                        const llvm::StringMap<int64_t> &sizes) {
  return Planner(kernel, arguments).run(sizes);
}
