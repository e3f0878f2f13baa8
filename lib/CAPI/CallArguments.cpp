//===- CallArguments.cpp - Arguments of callers in C ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "CallArguments.h"

using namespace tessera;
using namespace tessera::capi;
using namespace tessera::rt;
using llvm::Error;
using llvm::Expected;
using llvm::StringRef;
using llvm::Twine;
using tessera::array::ElementType;

/// More than the rank of any tensor; protects from a rank in uninitialised
/// memory.
static constexpr int32_t kMaxRank = 32;

static Expected<Argument> readArgument(const tessera_argument &from,
                                       size_t index) {
  auto fail = [&](const Twine &message) {
    return llvm::createStringError("argument " + Twine(index) + ": " + message);
  };
  switch (from.kind) {
  case TESSERA_INTEGER:
    return from.integer;
  case TESSERA_FLOAT:
    return from.number;
  case TESSERA_TENSOR:
    break;
  default:
    return fail("the kind " + Twine(from.kind) + " is unknown");
  }
  if (!from.dtype)
    return fail("'dtype' is NULL");
  std::optional<ElementType> dtype = array::parseElementType(from.dtype);
  if (!dtype)
    return fail("the element type '" + Twine(from.dtype) + "' is unknown");
  if (from.rank < 0 || from.rank > kMaxRank)
    return fail("the rank " + Twine(from.rank) + " is out of range");
  if (from.rank > 0 && !from.shape)
    return fail("'shape' is NULL");
  TensorArgument tensor;
  tensor.address = from.address;
  tensor.dtype = *dtype;
  tensor.shape.assign(from.shape, from.shape + from.rank);
  if (from.strides)
    tensor.strides.assign(from.strides, from.strides + from.rank);
  return tensor;
}

Error capi::checkLengths(const KernelMetadata &kernel, size_t numArguments,
                         size_t numSizes) {
  auto fail = [&](const Twine &what) {
    return llvm::createStringError("kernel '" + Twine(kernel.name) +
                                   "': expected " + what);
  };
  if (numArguments != kernel.parameters.size())
    return fail(Twine(kernel.parameters.size()) + " arguments, got " +
                Twine(numArguments));
  if (numSizes > kernel.sizes.size())
    return fail("at most " + Twine(kernel.sizes.size()) + " sizes, got " +
                Twine(numSizes));
  return Error::success();
}

Expected<CallArguments> capi::readArguments(const tessera_argument *arguments,
                                            size_t numArguments,
                                            const tessera_size *sizes,
                                            size_t numSizes) {
  if (numArguments > 0 && !arguments)
    return llvm::createStringError("'arguments' is NULL");
  if (numSizes > 0 && !sizes)
    return llvm::createStringError("'sizes' is NULL");
  CallArguments call;
  for (size_t i = 0; i < numArguments; ++i) {
    Expected<Argument> argument = readArgument(arguments[i], i);
    if (!argument)
      return argument.takeError();
    call.arguments.push_back(std::move(*argument));
  }
  for (size_t i = 0; i < numSizes; ++i) {
    if (!sizes[i].name)
      return llvm::createStringError("the name of size " + Twine(i) +
                                     " is NULL");
    if (!call.sizes.try_emplace(sizes[i].name, sizes[i].value).second)
      return llvm::createStringError("the size '" + Twine(sizes[i].name) +
                                     "' is given twice");
  }
  return std::move(call);
}
