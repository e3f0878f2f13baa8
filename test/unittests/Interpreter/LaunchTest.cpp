//===- LaunchTest.cpp - The interpreter as a library ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A launch as C++ code makes it: strided arguments, and arguments that do not
// fit the kernel.
//
//===----------------------------------------------------------------------===//

#include "tessera/Interpreter/Interpreter.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::interp;
using testing::ElementsAre;

namespace {

/// y = x, rows by rows.
constexpr const char *copyKernel = R"(
  tile.kernel @copy(%x: !tile.global<[M, N] x f32>,
                    %y: !tile.global<[M, N] x f32, out>, %n: index)
      grid(%m in M) {
    %c0 = arith.constant 0 : index
    %N = tile.size N
    %r = tile.range %c0 to %N : !tile.range<4 of N>
    %t = tile.load %x[%m, %r] : !tile.global<[M, N] x f32>, index, !tile.range<4 of N> -> tensor<4xf32>
    tile.store %t to %y[%m, %r] : tensor<4xf32>, !tile.global<[M, N] x f32, out>, index, !tile.range<4 of N>
  })";

class LaunchTest : public testing::Test {
protected:
  LaunchTest() {
    context.loadDialect<tile::TileDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages.push_back(diagnostic.str());
    });
    module = parseSourceString<ModuleOp>(copyKernel, &context);
    kernel = *module->getOps<tile::KernelOp>().begin();
  }

  Launch makeLaunch() {
    SmallVector<SizeBinding::Known> known(3);
    known[0].shape = array::Shape{2, 3};
    known[2].index = 0;
    llvm::Expected<SizeBinding> sizes = SizeBinding::bind(kernel, known);
    EXPECT_TRUE(static_cast<bool>(sizes));
    return Launch(kernel, *sizes);
  }

  GlobalTensor makeInput() {
    Tile memory(ElementType::F32, {6});
    for (auto [i, element] : llvm::enumerate(memory.getMutable<float>()))
      element = i;
    // Column-major: element (i, j) lies at i + 2 j.
    return GlobalTensor("x", memory, {2, 3}, {1, 2}, /*isWritable=*/false);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
  tile::KernelOp kernel;
  std::vector<std::string> messages;
};

TEST_F(LaunchTest, RunsOnStridedMemory) {
  Launch launch = makeLaunch();
  launch.addTensor(makeInput());
  launch.addTensor(GlobalTensor::getPoisoned("y", ElementType::F32, {2, 3}));
  launch.addScalar(Tile::getInteger(ElementType::I64, 0));
  RunStatistics statistics;
  ASSERT_TRUE(succeeded(run(launch, {}, &statistics)));
  EXPECT_EQ(statistics.programs, 2u);
  array::NDArray y = launch.getTensor(1)->toArray();
  std::vector<double> values;
  for (int64_t i = 0; i < 6; ++i)
    values.push_back(y.getFloat(i));
  EXPECT_THAT(values, ElementsAre(0, 2, 4, 1, 3, 5));
  EXPECT_EQ(launch.getTensor(1)->countUnwritten(), 0);
}

TEST_F(LaunchTest, RefusesTooFewArguments) {
  Launch launch = makeLaunch();
  launch.addTensor(makeInput());
  EXPECT_TRUE(failed(run(launch)));
  EXPECT_THAT(messages,
              ElementsAre("expected 3 arguments for this launch, got 1"));
}

TEST_F(LaunchTest, RefusesArgumentsThatDoNotFit) {
  Tile index = Tile::getInteger(ElementType::I64, 0);
  GlobalTensor output =
      GlobalTensor::getPoisoned("y", ElementType::F32, {2, 3});
  auto tryRun = [&](GlobalTensor x, GlobalTensor y, Tile n) {
    messages.clear();
    Launch launch = makeLaunch();
    launch.addTensor(std::move(x));
    launch.addTensor(std::move(y));
    launch.addScalar(n);
    EXPECT_TRUE(failed(run(launch)));
    return messages.empty() ? std::string() : messages.front();
  };
  EXPECT_EQ(tryRun(GlobalTensor("x", array::NDArray(ElementType::F16, {2, 3}),
                                /*isWritable=*/false),
                   output, index),
            "the argument for parameter 'x' has another type, rank or access");
  EXPECT_EQ(tryRun(GlobalTensor("x", array::NDArray(ElementType::F32, {6}),
                                /*isWritable=*/false),
                   output, index),
            "the argument for parameter 'x' has another type, rank or access");
  // An output needs a shadow.
  EXPECT_EQ(tryRun(makeInput(), makeInput(), index),
            "the argument for parameter 'y' has another type, rank or access");
  EXPECT_EQ(tryRun(makeInput(), output, Tile::getFloat(ElementType::F32, 0)),
            "the argument for parameter 'n' has another type, rank or access");
}

} // namespace
