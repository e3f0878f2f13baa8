//===- SizeBinding.cpp - Values of a kernel's named sizes -------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Two passes over all known dimensions. The first one binds each name at its
// first occurrence alone or with a constant added; `index` parameters are bound
// before. The second one evaluates every dimension, and reports a difference
// with the origin of the names in it.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/SizeBinding.h"
#include "tessera/Array/Limits.h"

#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::interp;
using namespace tessera::tile;
using array::makeError;
using llvm::Twine;

std::optional<int64_t> SizeBinding::lookup(StringRef name) const {
  auto it = sizes.find(name);
  if (it == sizes.end())
    return std::nullopt;
  return it->second.value;
}

std::optional<int64_t> SizeBinding::evaluate(SizeAttr size) const {
  return size.evaluate([&](StringRef name) { return lookup(name); });
}

llvm::Error SizeBinding::define(StringRef name, int64_t value,
                                std::string reason) {
  if (value < 0)
    return makeError("size " + name + " is negative (" + Twine(value) +
                     ", by " + reason + ")");
  if (value > array::kMaxSize)
    return makeError("size " + name + " is " + Twine(value) + " (by " + reason +
                     "), but sizes are at most " + array::kMaxSizeText);
  sizes.try_emplace(name, Bound{value, std::move(reason)});
  return llvm::Error::success();
}

/// Returns "K is 64 (bound by dimension 1 of 'a')" or "the kernel is compiled
/// for 64", and how to change that. The value of an expression comes before the
/// values of its names.
std::string SizeBinding::explain(SizeAttr size) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  if (std::optional<int64_t> value = size.getConstantValue())
    return ("the kernel is compiled for " + Twine(*value) +
            "; if a compile-time parameter gives it, set it by -D NAME=VALUE")
        .str();
  if (!size.getSingleSymbol()) {
    size.printExpression(os);
    if (std::optional<int64_t> value = evaluate(size))
      os << " is " << *value;
    else
      os << " has no value";
    os << ", where ";
  }
  llvm::interleaveComma(size.getSymbols(), os, [&](StringAttr symbol) {
    os << symbol.getValue();
    auto it = sizes.find(symbol.getValue());
    if (it == sizes.end())
      os << " is not bound";
    else
      os << " is " << it->second.value << " (bound by " << it->second.reason
         << ")";
  });
  return text;
}

static std::string describeDimension(const KernelView &kernel,
                                     unsigned parameter, unsigned dim) {
  return ("dimension " + Twine(dim) + " of '" + kernel.getParamName(parameter) +
          "'")
      .str();
}

llvm::Expected<SizeBinding>
SizeBinding::bind(const KernelView &kernel, ArrayRef<Known> parameters,
                  const llvm::StringMap<int64_t> &given) {
  SizeBinding binding;
  for (const auto &[name, value] : given)
    if (llvm::Error error = binding.define(name, value, "the caller"))
      return std::move(error);
  // An `index` parameter may be just an offset, so any value is accepted until
  // it is used as a size.
  for (auto [i, known] : llvm::enumerate(parameters)) {
    StringRef name = kernel.getParamName(i);
    if (known.index)
      binding.sizes.try_emplace(
          name, Bound{*known.index, ("parameter '" + name + "'").str()});
  }
  auto forEachDimension =
      [&](function_ref<llvm::Error(unsigned, unsigned, SizeAttr, int64_t)>
              visit) -> llvm::Error {
    for (auto [i, known] : llvm::enumerate(parameters)) {
      auto type = dyn_cast<GlobalType>(kernel.getParams()[i].getType());
      if (!type || !known.shape)
        continue;
      for (auto [dim, size] : llvm::enumerate(type.getShape()))
        if (llvm::Error error = visit(i, dim, size, (*known.shape)[dim]))
          return error;
    }
    return llvm::Error::success();
  };

  for (auto [i, known] : llvm::enumerate(parameters)) {
    auto type = dyn_cast<GlobalType>(kernel.getParams()[i].getType());
    if (type && known.shape &&
        known.shape->size() != static_cast<size_t>(type.getRank()))
      return makeError("'" + kernel.getParamName(i) + "' has rank " +
                       Twine(type.getRank()) + ", but got shape " +
                       array::formatShape(*known.shape));
  }
  llvm::Error error =
      forEachDimension([&](unsigned parameter, unsigned dim, SizeAttr size,
                           int64_t extent) -> llvm::Error {
        std::optional<int64_t> offset = size.getOffsetFromSymbol();
        if (!offset || binding.lookup(size.getSymbols().front().getValue()))
          return llvm::Error::success();
        return binding.define(size.getSymbols().front().getValue(),
                              extent - *offset,
                              describeDimension(kernel, parameter, dim));
      });
  if (error)
    return std::move(error);
  error = forEachDimension([&](unsigned parameter, unsigned dim, SizeAttr size,
                               int64_t extent) -> llvm::Error {
    if (extent > array::kMaxSize)
      return makeError(describeDimension(kernel, parameter, dim) + " is " +
                       Twine(extent) + ", but sizes are at most " +
                       array::kMaxSizeText);
    if (binding.evaluate(size) == extent)
      return llvm::Error::success();
    // A name without a value is bound by an output whose shape was not given.
    bool hasUnbound = llvm::any_of(size.getSymbols(), [&](StringAttr symbol) {
      return !binding.lookup(symbol.getValue());
    });
    StringRef wayOut =
        hasUnbound ? "; give the shape of an output that binds it" : "";
    return makeError(describeDimension(kernel, parameter, dim) + " is " +
                     Twine(extent) + ", but " + binding.explain(size) + wayOut);
  });
  if (error)
    return std::move(error);
  return binding;
}

llvm::Expected<array::Shape> SizeBinding::getShape(const KernelView &kernel,
                                                   unsigned index) const {
  array::Shape shape;
  auto type = cast<GlobalType>(kernel.getParams()[index].getType());
  for (auto [dim, size] : llvm::enumerate(type.getShape())) {
    std::optional<int64_t> extent = evaluate(size);
    if (!extent || *extent < 0)
      return makeError(describeDimension(kernel, index, dim) +
                       (extent ? " is negative: " : " is not known: ") +
                       explain(size));
    shape.push_back(*extent);
  }
  if (llvm::Expected<int64_t> count = array::countElements(shape); !count)
    return count.takeError();
  return shape;
}
