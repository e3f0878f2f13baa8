//===- KernelFixture.h - A kernel to launch in tests ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Metadata of a matrix product over tensor maps, and a device made of the fake
// driver.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_RUNTIME_KERNELFIXTURE_H
#define TESSERA_TEST_UNITTESTS_RUNTIME_KERNELFIXTURE_H

#include "FakeCuda/FakeCuda.h"
#include "tessera/Runtime/Launcher.h"
#include "gtest/gtest.h"
#include <stdexcept>

namespace tessera::rt {

/// The value, or a failure of the test.
template <typename T>
T unwrap(llvm::Expected<T> value) {
  if (!value) {
    ADD_FAILURE() << llvm::toString(value.takeError());
    throw std::runtime_error("the test cannot go on");
  }
  return std::move(*value);
}

/// The text of an error, or "" for success.
inline std::string textOf(llvm::Error error) {
  return llvm::toString(std::move(error));
}
template <typename T>
std::string textOf(llvm::Expected<T> value) {
  return value ? "" : llvm::toString(value.takeError());
}

inline SizeExpression size(llvm::StringRef text) {
  return unwrap(SizeExpression::parse(text));
}

/// c[M, N] = alpha * a[M, K] @ b[K, N], in blocks of 128 x 128.
inline KernelMetadata makeMatmul() {
  using array::ElementType;
  KernelMetadata kernel;
  kernel.name = "matmul";
  kernel.entry = "matmul_128x128";
  kernel.sizes = {"M", "K", "N"};
  auto tensor = [](const char *name, const char *rows, const char *columns) {
    ParameterInfo info;
    info.name = name;
    info.dtype = ElementType::BF16;
    info.dims = {size(rows), size(columns)};
    info.dense = false;
    return info;
  };
  kernel.parameters = {tensor("a", "M", "K"), tensor("b", "K", "N"),
                       tensor("c", "M", "N")};
  kernel.parameters[2].access = ParameterInfo::Access::Write;
  kernel.parameters[2].dense = true;
  ParameterInfo alpha;
  alpha.kind = ParameterInfo::Kind::Scalar;
  alpha.name = "alpha";
  kernel.parameters.push_back(alpha);
  for (unsigned i : {0u, 1u}) {
    TensorMapRecipe recipe;
    recipe.parameter = i;
    recipe.order = {1, 0};
    recipe.box = {64, 128};
    recipe.swizzle = TensorMapRecipe::Swizzle::B128;
    kernel.tensorMaps.push_back(recipe);
  }
  using Kind = ArgumentInfo::Kind;
  auto argument = [](Kind kind, unsigned index) {
    ArgumentInfo info;
    info.kind = kind;
    info.index = index;
    return info;
  };
  kernel.arguments = {
      argument(Kind::TensorMap, 0), argument(Kind::TensorMap, 1),
      argument(Kind::Address, 2),   argument(Kind::Scalar, 3),
      argument(Kind::Size, 0),      argument(Kind::Stride, 0)};
  kernel.arguments[4].size = size("K ceildiv 64");
  kernel.arguments[5].type = ElementType::I64;
  kernel.grid = {size("(M ceildiv 128) * (N ceildiv 128)"), size("1"),
                 size("1")};
  kernel.threads = 384;
  kernel.sharedMemory = 200000;
  kernel.registers = 168;
  return kernel;
}

inline KernelPackage makePackage() {
  KernelPackage package;
  package.target = "sm_90a";
  package.kernels = {makeMatmul()};
  package.ptxas = "13.5.37";
  package.cubins = {"\x7f"
                    "ELF machine code"};
  package.ptx = {".version 8.8"};
  return package;
}

/// The matrix product in two variants: one with tensor maps for rows of whole
/// 16 bytes, and one for all that has none.
inline KernelPackage makeVariants() {
  KernelPackage package = makePackage();
  KernelMetadata plain = package.kernels[0];
  package.kernels[0].conditions = {size("K mod 8"), size("N mod 8")};
  package.kernels[0].persistent = true;
  plain.entry = "matmul_plain";
  plain.tensorMaps.clear();
  plain.arguments.erase(plain.arguments.begin(), plain.arguments.begin() + 2);
  plain.sharedMemory = 1000;
  package.kernels.push_back(plain);
  return package;
}

inline TensorArgument makeTensor(uint64_t address, int64_t rows,
                                 int64_t columns) {
  return {address, array::ElementType::BF16, {rows, columns}, {}};
}

/// Arguments for M = 256, K = 192, N = 128.
inline std::vector<Argument> makeArguments() {
  return {makeTensor(0x10000, 256, 192), makeTensor(0x20000, 192, 128),
          makeTensor(0x30000, 256, 128), 0.5};
}

/// Opens the fake driver before, and forgets about it after each test.
class FakeDriverTest : public testing::Test {
protected:
  void SetUp() override { fakecuda::reset(); }
  void TearDown() override {
    EXPECT_EQ(fakecuda::countAlive(), 0) << "something was not given back";
    fakecuda::reset();
  }

  DeviceRef openDevice() {
    return unwrap(Device::open(unwrap(Driver::open(FAKE_CUDA))));
  }

  /// The log of the driver from the last call of `first` on.
  std::vector<std::string> logFrom(llvm::StringRef first) {
    std::vector<std::string> log = fakecuda::getLog();
    for (size_t i = log.size(); i-- > 0;)
      if (llvm::StringRef(log[i]).starts_with(first))
        return {log.begin() + i, log.end()};
    return {};
  }
};

} // namespace tessera::rt

#endif // TESSERA_TEST_UNITTESTS_RUNTIME_KERNELFIXTURE_H
