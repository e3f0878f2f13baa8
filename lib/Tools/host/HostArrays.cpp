//===- HostArrays.cpp - Tensors in memory of the caller ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "HostArrays.h"

#include "tessera/Tools/host/HostKernel.h"

#include <cstring>

using namespace tessera;
using namespace tessera::tools;
using array::NDArray;
using rt::ParameterInfo;
using rt::TensorArgument;

/// Calls `copy` with the address and the number of elements of each innermost
/// row, in row-major order. The elements of a row are `stride` apart.
template <typename Copy>
static void forEachRow(const TensorArgument &tensor, Copy copy) {
  llvm::ArrayRef<int64_t> shape = tensor.shape;
  if (llvm::is_contained(shape, 0))
    return;
  auto *memory = reinterpret_cast<uint8_t *>(tensor.address);
  int64_t bytes = array::getByteSize(tensor.dtype);
  auto visit = [&](auto &self, size_t dim, uint8_t *at) -> void {
    if (shape.empty())
      return copy(at, 1, bytes);
    if (dim + 1 == shape.size())
      return copy(at, shape[dim], tensor.strides[dim] * bytes);
    for (int64_t i = 0; i < shape[dim]; ++i)
      self(self, dim + 1, at + i * tensor.strides[dim] * bytes);
  };
  visit(visit, 0, memory);
}

NDArray tools::gather(const TensorArgument &tensor) {
  NDArray array(tensor.dtype, tensor.shape);
  int64_t bytes = array::getByteSize(tensor.dtype);
  uint8_t *next = array.getBytes();
  forEachRow(tensor, [&](const uint8_t *row, int64_t count, int64_t stride) {
    if (stride == bytes) {
      std::memcpy(next, row, count * bytes);
      next += count * bytes;
      return;
    }
    for (int64_t i = 0; i < count; ++i, next += bytes)
      std::memcpy(next, row + i * stride, bytes);
  });
  return array;
}

void tools::scatter(const NDArray &array, const TensorArgument &tensor) {
  int64_t bytes = array::getByteSize(tensor.dtype);
  const uint8_t *next = array.getBytes();
  forEachRow(tensor, [&](uint8_t *row, int64_t count, int64_t stride) {
    if (stride == bytes) {
      std::memcpy(row, next, count * bytes);
      next += count * bytes;
      return;
    }
    for (int64_t i = 0; i < count; ++i, next += bytes)
      std::memcpy(row + i * stride, next, bytes);
  });
}

NDArray tools::makeScalar(array::ElementType type, const rt::Argument &number) {
  NDArray array(type, {});
  if (const auto *integer = std::get_if<int64_t>(&number))
    array.setInteger(0, *integer);
  else
    array.setFloat(0, std::get<double>(number));
  return array;
}

llvm::Error tools::checkWritten(const rt::KernelMetadata &kernel,
                                llvm::ArrayRef<rt::Argument> arguments,
                                CountUnwritten countUnwritten) {
  for (auto [i, parameter] : llvm::enumerate(kernel.parameters)) {
    if (parameter.kind != ParameterInfo::Kind::Tensor ||
        parameter.access != ParameterInfo::Access::Write)
      continue;
    Unwritten unwritten = countUnwritten(i);
    if (unwritten.count == 0)
      continue;
    const auto &tensor = std::get<TensorArgument>(arguments[i]);
    return llvm::make_error<HostDefectError>(
        HostDefectError::Kind::Unwritten,
        "'" + parameter.name + "': no program wrote " +
            std::to_string(unwritten.count) + " of its " +
            std::to_string(*array::countElements(tensor.shape)) +
            " elements; the first is at " +
            array::formatPosition(tensor.shape, unwritten.first));
  }
  return llvm::Error::success();
}

void tools::writeResults(const rt::KernelMetadata &kernel,
                         llvm::ArrayRef<rt::Argument> arguments,
                         ReadTensor read) {
  for (auto [i, parameter] : llvm::enumerate(kernel.parameters))
    if (parameter.kind == ParameterInfo::Kind::Tensor &&
        parameter.access != ParameterInfo::Access::Read)
      scatter(read(i), std::get<TensorArgument>(arguments[i]));
}
