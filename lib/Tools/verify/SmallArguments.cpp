//===- SmallArguments.cpp - Arguments for quick runs ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Chooses a value for each size name, by its role in the grid and in tensors.
// Invariant: sizes that given arguments determine are used for all arguments.
//
//===----------------------------------------------------------------------===//

#include "SmallArguments.h"

#include "tessera/Interpreter/SizeBinding.h"
#include "tessera/Tools/launch/HostArguments.h"

#include "llvm/ADT/StringMap.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/ADT/TypeSwitch.h"

#include <numeric>

using namespace tessera;
using namespace tessera::tools;

/// Default of sizes that are not an axis of the grid, and of plain axes.
static constexpr int64_t kInnerSize = 72, kPlainSize = 2;

/// Binds the sizes that the arguments of the command line determine.
static llvm::Expected<interp::SizeBinding>
bindGiven(const interp::KernelView &kernel, const Signature &signature,
          const NamedTexts &given) {
  SmallVector<interp::SizeBinding::Known> known(signature.parameters.size());
  for (auto &[name, text] : given) {
    llvm::Expected<unsigned> index = signature.find("verify-arg", name);
    if (!index)
      return index.takeError();
    HostArgument argument(signature.parameters[*index]);
    if (llvm::Error error = argument.parse(text))
      return std::move(error);
    known[*index].shape = argument.getShape();
    if (signature.parameters[*index].isIndex)
      known[*index].index = argument.getInteger();
  }
  return interp::SizeBinding::bind(kernel, known);
}

/// Returns the sizes of dimensions that only integers index, for example heads.
static llvm::StringSet<> findPlainSizes(const interp::KernelView &kernel) {
  llvm::StringSet<> plain, walked;
  auto visit = [&](Value global, OperandRange indices) {
    auto type = cast<tile::GlobalType>(global.getType());
    for (auto [size, index] : llvm::zip_equal(type.getShape(), indices))
      for (StringAttr symbol : size.getSymbols())
        (index.getType().isIndex() ? plain : walked).insert(symbol);
  };
  kernel.getOperation()->walk([&](Operation *op) {
    llvm::TypeSwitch<Operation *>(op)
        .Case<tile::LoadOp, tile::StoreOp, tile::AtomicOp>([&](auto access) {
          visit(access.getGlobal(), access.getIndices());
        });
  });
  for (const auto &name : walked)
    plain.erase(name.getKey());
  return plain;
}

/// Returns the extents of the largest ranges that walk sizes.
static llvm::StringMap<int64_t>
findWalkedExtents(const interp::KernelView &kernel) {
  llvm::StringMap<int64_t> extents;
  auto visit = [&](Value global, OperandRange indices) {
    auto type = cast<tile::GlobalType>(global.getType());
    for (auto [size, index] : llvm::zip_equal(type.getShape(), indices))
      if (auto range = dyn_cast<tile::RangeType>(index.getType()))
        if (StringAttr symbol = size.getSingleSymbol()) {
          int64_t &extent = extents[symbol];
          extent = std::max<int64_t>(extent, range.getExtent());
        }
  };
  kernel.getOperation()->walk(
      [&](tile::LoadOp load) { visit(load.getGlobal(), load.getIndices()); });
  return extents;
}

/// Returns a value for each size name. Given arguments come first. The default
/// is two tiles along tiled axes, and two for plain sizes. A plain size that is
/// not an axis divides those that are axes, as heads of keys divide heads of
/// queries. With `iterations`, other sizes have that number of tiles, and plain
/// sizes are 1.
static llvm::StringMap<int64_t> chooseSizes(const interp::KernelView &kernel,
                                            const interp::SizeBinding &given,
                                            unsigned iterations) {
  llvm::StringMap<int64_t> sizes;
  llvm::StringSet<> plain = findPlainSizes(kernel);
  for (tile::AxisAttr axis : kernel.getAxes())
    for (StringAttr symbol : axis.getSize().getSymbols())
      plain.erase(symbol);
  int64_t multiple = 1, common = 0;
  for (const auto &name : plain)
    if (std::optional<int64_t> size = given.lookup(name.getKey());
        size && *size > 0 && *size < kInnerSize && multiple < kInnerSize)
      multiple = std::lcm(multiple, *size);
  const int64_t plainSize = iterations ? 1 : kPlainSize;
  if (multiple == 1)
    multiple = plainSize;
  for (tile::AxisAttr axis : kernel.getAxes())
    if (StringAttr symbol = axis.getSize().getSingleSymbol()) {
      int64_t size = given.lookup(symbol).value_or(
          axis.isTiled() ? axis.getTileExtent() + 8 : multiple);
      sizes[symbol] = size;
      if (!axis.isTiled())
        common = std::gcd(common, size);
    }
  for (const auto &name : plain)
    sizes.try_emplace(name.getKey(), common ? common : plainSize);
  if (iterations)
    for (const auto &walked : findWalkedExtents(kernel))
      sizes.try_emplace(walked.getKey(), iterations * walked.getValue());
  for (BlockArgument parameter : kernel.getParams())
    if (auto type = dyn_cast<tile::GlobalType>(parameter.getType()))
      for (tile::SizeAttr size : type.getShape())
        for (StringAttr symbol : size.getSymbols())
          sizes[symbol] = given.lookup(symbol).value_or(
              sizes.try_emplace(symbol, kInnerSize).first->second);
  return sizes;
}

/// Returns the text of a shape, "136,72".
static llvm::Expected<std::string>
formatShape(tile::GlobalType type, const llvm::StringMap<int64_t> &sizes) {
  std::string text;
  for (tile::SizeAttr size : type.getShape()) {
    std::optional<int64_t> extent =
        size.evaluate([&](StringRef name) -> std::optional<int64_t> {
          auto known = sizes.find(name);
          if (known == sizes.end())
            return std::nullopt;
          return known->second;
        });
    if (!extent || *extent < 0)
      return array::makeError("no small value is known for the size " +
                              size.str());
    text += (text.empty() ? "" : ",") + std::to_string(*extent);
  }
  return text;
}

llvm::Expected<std::vector<std::string>>
tools::makeSmallArguments(const interp::KernelView &kernel,
                          const Signature &signature,
                          ArrayRef<std::string> given, unsigned iterations) {
  llvm::Expected<NamedTexts> known = splitNames("verify-arg", given);
  if (!known)
    return known.takeError();
  std::vector<std::string> values(given.begin(), given.end());
  llvm::Expected<interp::SizeBinding> binding =
      bindGiven(kernel, signature, *known);
  if (!binding)
    return binding.takeError();
  llvm::StringMap<int64_t> sizes = chooseSizes(kernel, *binding, iterations);
  for (auto [index, parameter] : llvm::enumerate(signature.parameters)) {
    if (known->contains(parameter.name))
      continue;
    bool isFloat = array::isFloat(parameter.type);
    if (!parameter.isTensor) {
      auto size = sizes.find(parameter.name);
      int64_t number = size == sizes.end() ? kPlainSize : size->second;
      values.push_back(parameter.name + "=" +
                       (isFloat ? "0.5" : std::to_string(number)));
      continue;
    }
    llvm::Expected<std::string> shape = formatShape(
        cast<tile::GlobalType>(kernel.getParams()[index].getType()), sizes);
    if (!shape)
      return shape.takeError();
    if (parameter.isOutput())
      values.push_back(parameter.name + "=(" + *shape + ")");
    else
      values.push_back(parameter.name + "=" + (isFloat ? "randn(" : "zeros(") +
                       *shape + ")");
  }
  return values;
}
