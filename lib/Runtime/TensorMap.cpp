//===- TensorMap.cpp - Arguments of tensor maps -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The rules of cuTensorMapEncodeTiled. They are checked here, because the
// driver reports all violations as the same CUDA_ERROR_INVALID_VALUE.
//
//===----------------------------------------------------------------------===//

#include "tessera/Runtime/LaunchPlan.h"
#include "tessera/Target/GpuTarget.h"

#include "llvm/ADT/Twine.h"
#include "llvm/Support/MathExtras.h"
#include <algorithm>

using namespace tessera;
using namespace tessera::rt;
using llvm::createStringError;
using llvm::Twine;
using tessera::array::ElementType;

/// Largest extents and strides of a tensor map.
static constexpr int64_t kMaxExtent = int64_t(1) << 32;
static constexpr int64_t kMaxStrideBytes = int64_t(1) << 40;

int64_t TensorMapRecipe::getSwizzleSpan(Swizzle swizzle) {
  switch (swizzle) {
  case Swizzle::None:
    return 0;
  case Swizzle::B32:
    return 32;
  case Swizzle::B64:
    return 64;
  case Swizzle::B128:
    return 128;
  }
  return 0;
}

/// Returns the CUtensorMapDataType of an element type.
static int getMapType(ElementType type) {
  switch (type) {
  case ElementType::F8E4M3FN:
  case ElementType::F8E5M2:
  case ElementType::I1:
  case ElementType::I8:
  case ElementType::U8:
    return 0; // UINT8
  case ElementType::I16:
    return 1; // UINT16
  case ElementType::U16:
    return 1;
  case ElementType::U32:
    return 2;
  case ElementType::I32:
    return 3;
  case ElementType::U64:
    return 4;
  case ElementType::I64:
    return 5;
  case ElementType::F16:
    return 6;
  case ElementType::F32:
    return 7;
  case ElementType::F64:
    return 8;
  case ElementType::BF16:
    return 9;
  }
  return 0;
}

/// Returns a tensor of one element at address 0.
static TensorArgument getSingleElement(const TensorArgument &like) {
  TensorArgument tensor;
  tensor.dtype = like.dtype;
  tensor.shape.assign(like.shape.size(), 1);
  tensor.strides.assign(like.shape.size(), 1);
  return tensor;
}

llvm::Expected<TensorMapArguments>
tessera::rt::planTensorMap(const TensorMapRecipe &recipe,
                           const ParameterInfo &parameter,
                           const TensorArgument &tensor) {
  if (llvm::is_contained(tensor.shape, 0)) {
    auto map = planTensorMap(recipe, parameter, getSingleElement(tensor));
    if (map)
      map->memory = parameter.access == ParameterInfo::Access::Read
                        ? TensorMapArguments::Memory::Zero
                        : TensorMapArguments::Memory::Sink;
    return map;
  }
  const GpuTarget &limits = getDefaultGpuTarget();
  auto fail = [&](const Twine &message) {
    return createStringError("'" + Twine(parameter.name) +
                             "' cannot be copied by tensor maps: " + message);
  };
  int64_t rank = recipe.order.size();
  int64_t elementBytes = array::getByteSize(parameter.dtype);
  if (rank < 1 || rank > limits.tmaMaxRank)
    return fail("its rank is " + Twine(rank) + ", expected 1 to " +
                Twine(limits.tmaMaxRank));
  if (tensor.address % limits.tmaGlobalAlignment != 0)
    return fail("its address is no multiple of " +
                Twine(limits.tmaGlobalAlignment) + " bytes");

  TensorMapArguments map;
  map.type = getMapType(parameter.dtype);
  map.address = tensor.address;
  map.swizzle = static_cast<int>(recipe.swizzle);
  for (int64_t i = 0; i < rank; ++i) {
    unsigned dim = recipe.order[i];
    int64_t extent = tensor.shape[dim];
    int64_t stride = tensor.strides[dim];
    int64_t box = recipe.box[i];
    int64_t step = recipe.elementStrides.empty() ? 1 : recipe.elementStrides[i];
    if (extent < 1 || extent > kMaxExtent)
      return fail("its extent " + Twine(extent) + " in dimension " +
                  Twine(dim) + " is not between 1 and 2^32");
    // The caller checked that strides times bytes do not overflow. The stride
    // of an extent of 1 is never used, but the driver checks it.
    int64_t bytes = stride * elementBytes;
    if (extent == 1) {
      stride = 1;
      bytes =
          llvm::alignTo(std::clamp(bytes, elementBytes, kMaxStrideBytes / 2),
                        limits.tmaGlobalAlignment);
    }
    if (i == 0 && stride != 1)
      return fail("its stride in dimension " + Twine(dim) + " is " +
                  Twine(stride) + ", expected 1");
    if (i > 0 && (bytes < 0 || bytes >= kMaxStrideBytes ||
                  bytes % limits.tmaGlobalAlignment != 0))
      return fail("its stride in dimension " + Twine(dim) + " is " +
                  Twine(bytes) + " bytes, expected a multiple of " +
                  Twine(limits.tmaGlobalAlignment) + " below 2^40");
    if (box < 1 || box > limits.tmaBoxExtent)
      return fail("its box has " + Twine(box) + " elements in dimension " +
                  Twine(dim) + ", expected 1 to " + Twine(limits.tmaBoxExtent));
    if (step < 1 || step > limits.tmaElementStride)
      return fail("its element stride is " + Twine(step) + ", expected 1 to " +
                  Twine(limits.tmaElementStride));
    map.dims.push_back(extent);
    if (i > 0)
      map.strides.push_back(bytes);
    map.box.push_back(box);
    map.elementStrides.push_back(step);
  }
  int64_t innerBytes = recipe.box[0] * elementBytes;
  int64_t span = TensorMapRecipe::getSwizzleSpan(recipe.swizzle);
  if (innerBytes % limits.tmaBoxAlignment != 0 || (span && innerBytes > span))
    return fail("the inner extent of its box is " + Twine(innerBytes) +
                " bytes, expected a multiple of " +
                Twine(limits.tmaBoxAlignment) +
                (span ? " up to the swizzle's " + std::to_string(span) : ""));
  return map;
}
