//===- test/unittests/Simulator/SimulatorTest.cpp - The simulator as a library
//*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Simulator/Simulator.h"

#include "tessera/Dialect/SM/IR/SM.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera;
using testing::ElementsAre;

namespace {

/// y = 2 in each dialect.
constexpr const char *kernels = R"(
  #line = #sm.layout<"32 = lane[32*(1)]">
  tile.kernel @tile(%y: !tile.global<[N] x f32, out>) grid(%n in tiles(N, 32)) {
    %t = arith.constant dense<2.0> : tensor<32xf32>
    tile.store %t to %y[%n] : tensor<32xf32>, !tile.global<[N] x f32, out>, !tile.range<32 of N>
  }
  sm.kernel @sm(%y: !tile.global<[N] x f32, out>) grid(n in tiles(N, 32)) warps(1) {
    %c32 = arith.constant 32 : index
    %p = sm.program_id
    %i = arith.muli %p, %c32 : index
    %N = tile.size N
    %t = arith.constant dense<2.0> : tensor<32xf32, #line>
    sm.store %t to %y[%i] dims [0] limits(%N) : tensor<32xf32, #line>, !tile.global<[N] x f32, out>, index
  })";

class SimulatorTest : public testing::Test {
protected:
  SimulatorTest() {
    context.loadDialect<tile::TileDialect, sm::SMDialect>();
    context.getDiagEngine().registerHandler([this](Diagnostic &diagnostic) {
      messages.push_back(diagnostic.str());
    });
    module = parseSourceString<ModuleOp>(kernels, &context);
  }

  template <typename KernelOp>
  interp::Launch makeLaunch() {
    KernelOp kernel = *module->getOps<KernelOp>().begin();
    interp::SizeBinding::Known known{array::Shape{40}, std::nullopt};
    interp::Launch launch(kernel, *interp::SizeBinding::bind(kernel, {known}));
    launch.addTensor(
        interp::GlobalTensor::getPoisoned("y", interp::ElementType::F32, {40}));
    return launch;
  }

  MLIRContext context;
  std::vector<std::string> messages;
  OwningOpRef<ModuleOp> module;
};

TEST_F(SimulatorTest, RunsALaunch) {
  interp::Launch launch = makeLaunch<sm::KernelOp>();
  sim::Statistics statistics;
  ASSERT_TRUE(succeeded(sim::simulate(launch, {}, &statistics)));
  EXPECT_EQ(statistics.ctas, 2u);
  array::NDArray y = launch.getTensor(0)->toArray();
  for (int64_t i = 0; i < 40; ++i)
    EXPECT_EQ(y.getFloat(i), 2.0);
  EXPECT_THAT(messages, ElementsAre());
}

TEST_F(SimulatorTest, EachRunsItsOwnDialect) {
  interp::Launch ofTile = makeLaunch<tile::KernelOp>();
  EXPECT_TRUE(failed(sim::simulate(ofTile)));
  interp::Launch ofSM = makeLaunch<sm::KernelOp>();
  EXPECT_TRUE(failed(interp::run(ofSM)));
  EXPECT_THAT(messages,
              ElementsAre("the simulator runs kernels of the sm dialect only",
                          "the interpreter runs kernels of the tile dialect "
                          "only"));
}

} // namespace
