//===- KernelLaunch.cpp - Launches from a command line ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Binds sizes from the arguments of the command line, then creates the tensors
// of a launch of the interpreter. Invariant: the total size of tensors is
// checked before each allocation.
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/KernelLaunch.h"
#include "tessera/Dialect/Tile/IR/UnsignedParams.h"

using namespace tessera;
using namespace tessera::tools;
using namespace tessera::tile;
using array::makeError;
using array::NDArray;
using interp::GlobalTensor;
using interp::Launch;
using interp::SizeBinding;
using llvm::Twine;

/// Largest number of elements of all tensors together. With their shadows, they
/// take up to 32 bytes each in the interpreter.
static constexpr int64_t kMaxElements = int64_t(1) << 28;

Signature tools::getSignature(const interp::KernelView &kernel) {
  Signature signature;
  signature.kernel = kernel.getSymName().str();
  for (unsigned i = 0, e = kernel.getNumParams(); i < e; ++i) {
    Type type = kernel.getParams()[i].getType();
    Parameter parameter;
    parameter.name = kernel.getParamName(i).str();
    parameter.isIndex = type.isIndex();
    if (auto tensor = dyn_cast<GlobalType>(type)) {
      parameter.isTensor = true;
      parameter.rank = tensor.getRank();
      parameter.access = stringifyAccess(tensor.getAccess()).str();
      type = tensor.getDeclaredType();
    } else {
      type = tile::getDeclaredScalarType(kernel.getOperation(), i, type);
    }
    parameter.type = *interp::getElementType(type);
    parameter.typeName =
        parameter.isIndex ? "int" : array::getSourceName(parameter.type).str();
    signature.parameters.push_back(std::move(parameter));
  }
  return signature;
}

/// Creates the tensor of one argument with the shape `shape`.
static llvm::Expected<GlobalTensor> makeTensor(const HostArgument &argument,
                                               ArrayRef<int64_t> shape,
                                               uint64_t seed) {
  const Parameter &parameter = argument.getParameter();
  if (parameter.isOutput())
    return GlobalTensor::getPoisoned(parameter.name, parameter.type, shape);
  llvm::Expected<NDArray> contents = argument.materialize(seed);
  if (!contents)
    return contents.takeError();
  return GlobalTensor(parameter.name, std::move(*contents),
                      /*isWritable=*/parameter.access != "in");
}

llvm::Expected<SizeBinding> tools::bindSizes(const interp::KernelView &kernel,
                                             ArrayRef<HostArgument> arguments) {
  SmallVector<SizeBinding::Known> known;
  for (const HostArgument &argument : arguments)
    known.push_back({argument.getShape(), argument.getParameter().isIndex
                                              ? argument.getInteger()
                                              : std::nullopt});
  return SizeBinding::bind(kernel, known);
}

llvm::Error tools::addElements(StringRef name, ArrayRef<int64_t> shape,
                               int64_t &total, StringRef device) {
  llvm::Expected<int64_t> count = array::countElements(shape);
  if (!count)
    return makeError("'" + name + "': " + llvm::toString(count.takeError()));
  total += *count;
  if (total <= kMaxElements)
    return llvm::Error::success();
  return makeError("with '" + name + "' of shape " + array::formatShape(shape) +
                   ", the tensors have " + Twine(total) +
                   " elements; the device '" + device + "' takes at most " +
                   Twine(kMaxElements));
}

llvm::Expected<Launch> tools::makeLaunch(const interp::KernelView &kernel,
                                         ArrayRef<HostArgument> arguments,
                                         uint64_t seed, StringRef device) {
  llvm::Expected<SizeBinding> sizes = bindSizes(kernel, arguments);
  if (!sizes)
    return sizes.takeError();

  Launch launch(kernel, *sizes);
  int64_t total = 0;
  for (auto [i, argument] : llvm::enumerate(arguments)) {
    StringRef name = argument.getParameter().name;
    if (!argument.getParameter().isTensor) {
      llvm::Expected<NDArray> value = argument.materialize(seed);
      if (!value)
        return value.takeError();
      // Values of the interpreter have no sign.
      NDArray bits(*interp::getElementType(kernel.getParams()[i].getType()),
                   {});
      std::memcpy(bits.getBytes(), value->getBytes(),
                  array::getByteSize(value->getType()));
      launch.addScalar(interp::Tile::fromArray(bits));
      continue;
    }
    llvm::Expected<array::Shape> shape = sizes->getShape(kernel, i);
    if (!shape)
      return makeError(llvm::toString(shape.takeError()) +
                       "; give the shape with --arg " + name + "=(…)");
    if (llvm::Error error = addElements(name, *shape, total, device))
      return std::move(error);
    llvm::Expected<GlobalTensor> tensor = makeTensor(argument, *shape, seed);
    if (!tensor)
      return tensor.takeError();
    launch.addTensor(std::move(*tensor));
  }
  return launch;
}
