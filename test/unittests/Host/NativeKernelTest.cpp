//===- NativeKernelTest.cpp - Kernels compiled for the processor *- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Launches on raw memory: types in memory, strides, marks of written elements,
// failed checks, several sizes and threads of one kernel.
//
//===----------------------------------------------------------------------===//

#include "tessera/Host/NativeKernel.h"
#include "tessera/InitAll.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"

#include <numeric>
#include <thread>

using namespace tessera;
using namespace tessera::host;
using interp::SizeBinding;
using testing::Each;
using testing::ElementsAre;

namespace {
class NativeKernelTest : public testing::Test {
protected:
  NativeKernelTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
  }

  std::unique_ptr<NativeKernel> compile(StringRef text) {
    module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return nullptr;
    kernel = *module->getOps<tile::KernelOp>().begin();
    FailureOr<std::unique_ptr<NativeKernel>> compiled =
        NativeKernel::compile(kernel);
    return succeeded(compiled) ? std::move(*compiled) : nullptr;
  }

  /// Binds the sizes of a launch by its tensors.
  SizeBinding bind(ArrayRef<HostArgument> arguments) {
    SmallVector<SizeBinding::Known> known;
    for (const HostArgument &argument : arguments) {
      known.emplace_back();
      if (argument.data || !argument.shape.empty())
        known.back().shape = argument.shape;
    }
    return cantFail(SizeBinding::bind(kernel, known));
  }

  HostOutcome run(const NativeKernel &compiled,
                  ArrayRef<HostArgument> arguments, unsigned threads = 2) {
    HostRunOptions options;
    options.threads = threads;
    return compiled.run(arguments, bind(arguments), options);
  }

  MLIRContext context{MLIRContext::Threading::DISABLED};
  OwningOpRef<ModuleOp> module;
  tile::KernelOp kernel;
};
} // namespace

static constexpr char kScale[] = R"(
  tile.kernel @scale(%x: !tile.global<[M, N] x bf16>, %by: f32, %y: !tile.global<[M, N] x f32, out>)
      grid(%m in tiles(M, 2), %n in tiles(N, 8)) {
    %t = tile.load %x[%m, %n] : !tile.global<[M, N] x bf16>, !tile.range<2 of M>, !tile.range<8 of N> -> tensor<2x8xbf16>
    %w = arith.extf %t : tensor<2x8xbf16> to tensor<2x8xf32>
    %b = tensor.splat %by : tensor<2x8xf32>
    %p = arith.mulf %w, %b : tensor<2x8xf32>
    tile.store %p to %y[%m, %n] : tensor<2x8xf32>, !tile.global<[M, N] x f32, out>, !tile.range<2 of M>, !tile.range<8 of N>
  })";

// bf16 1.0, 2.0, -0.5.
static constexpr uint16_t kOne = 0x3f80, kTwo = 0x4000, kMinusHalf = 0xbf00;

TEST_F(NativeKernelTest, RunsOnRawMemory) {
  std::unique_ptr<NativeKernel> scale = compile(kScale);
  ASSERT_TRUE(scale);
  std::vector<uint16_t> x = {kOne, kTwo, kMinusHalf};
  std::vector<float> y(3, -1);
  std::vector<uint8_t> written(3);
  HostOutcome outcome =
      run(*scale,
          {HostArgument::getTensor(x.data(), {1, 3}), HostArgument::getFloat(3),
           HostArgument::getTensor(y.data(), {1, 3}, written.data())});
  EXPECT_EQ(outcome.kind, HostOutcome::Done);
  EXPECT_EQ(outcome.programs, 1u);
  EXPECT_THAT(y, ElementsAre(3, 6, -1.5));
  EXPECT_THAT(written, Each(1));
}

TEST_F(NativeKernelTest, ServesSeveralSizesAndThreads) {
  std::unique_ptr<NativeKernel> scale = compile(kScale);
  ASSERT_TRUE(scale);
  auto check = [&](int64_t rows, int64_t columns) {
    std::vector<uint16_t> x(rows * columns, kTwo);
    std::vector<float> y(rows * columns, -1);
    HostOutcome outcome =
        run(*scale, {HostArgument::getTensor(x.data(), {rows, columns}),
                     HostArgument::getFloat(2),
                     HostArgument::getTensor(y.data(), {rows, columns})});
    EXPECT_EQ(outcome.kind, HostOutcome::Done);
    EXPECT_THAT(y, Each(4));
  };
  check(0, 5);
  check(1, 1);
  check(33, 129);
  // Launches of one kernel run at the same time.
  std::vector<std::thread> threads;
  for (int i = 0; i < 3; ++i)
    threads.emplace_back([&] { check(200, 300); });
  for (std::thread &thread : threads)
    thread.join();
}

TEST_F(NativeKernelTest, TakesStridesOfOuterDimensions) {
  std::unique_ptr<NativeKernel> scale = compile(kScale);
  ASSERT_TRUE(scale);
  std::vector<uint16_t> x = {kOne, kTwo, 0, kTwo, kOne, 0};
  std::vector<float> y(8, -1);
  HostArgument input = HostArgument::getTensor(x.data(), {2, 2});
  HostArgument output = HostArgument::getTensor(y.data(), {2, 2});
  input.strides = {3, 1};
  output.strides = {4, 1};
  EXPECT_TRUE(NativeKernel::acceptsStrides(input.shape, input.strides));
  EXPECT_FALSE(NativeKernel::acceptsStrides({2, 2}, {1, 2}));
  EXPECT_TRUE(NativeKernel::acceptsStrides({2, 1}, {1, 2}));
  run(*scale, {input, HostArgument::getFloat(1), output});
  EXPECT_THAT(y, ElementsAre(1, 2, -1, -1, 2, 1, -1, -1));
}

TEST_F(NativeKernelTest, NotesTheProgramOfAFailedCheck) {
  std::unique_ptr<NativeKernel> divide = compile(R"(
    tile.kernel @divide(%x: !tile.global<[N] x i32, inout>) grid(%i in N) {
      %c12 = arith.constant 12 : i32
      %d = tile.load %x[%i] : !tile.global<[N] x i32, inout>, index -> i32
      %q = arith.divsi %c12, %d : i32
      tile.store %q to %x[%i] : i32, !tile.global<[N] x i32, inout>, index
    })");
  ASSERT_TRUE(divide);
  std::vector<int32_t> x(20000, 4);
  HostArgument argument = HostArgument::getTensor(x.data(), {20000});
  EXPECT_EQ(run(*divide, argument).kind, HostOutcome::Done);
  EXPECT_THAT(x, Each(3));
  x[7] = 0;
  HostOutcome outcome = run(*divide, argument);
  EXPECT_EQ(outcome.kind, HostOutcome::Defect);
  EXPECT_EQ(outcome.program, 7u);
}

TEST_F(NativeKernelTest, AddsInOrder) {
  std::unique_ptr<NativeKernel> add = compile(R"(
    tile.kernel @add(%x: !tile.global<[N] x f32>, %y: !tile.global<[1] x f32, inout>) grid(%i in N) {
      %c0 = arith.constant 0 : index
      %t = tile.load %x[%i] : !tile.global<[N] x f32>, index -> f32
      tile.atomic add %t to %y[%c0] : f32, !tile.global<[1] x f32, inout>, index
    })");
  ASSERT_TRUE(add);
  std::vector<float> x(100000);
  for (size_t i = 0; i < x.size(); ++i)
    x[i] = 1.0f / (i + 1);
  float expected = std::accumulate(x.begin(), x.end(), 0.0f), y = 0;
  run(*add,
      {HostArgument::getTensor(x.data(), {100000}),
       HostArgument::getTensor(&y, {1})},
      /*threads=*/4);
  EXPECT_EQ(y, expected);
}

TEST_F(NativeKernelTest, RefusesSizesWithoutAValue) {
  std::unique_ptr<NativeKernel> kernel = compile(R"(
    tile.kernel @parts(%x: !tile.global<[N] x f32, inout>, %n: index) grid(%i in N floordiv n) {
      %c0 = arith.constant 0 : index
      %t = tile.load %x[%c0] : !tile.global<[N] x f32, inout>, index -> f32
    })");
  ASSERT_TRUE(kernel);
  float x = 0;
  HostArgument tensor = HostArgument::getTensor(&x, {1});
  SmallVector<SizeBinding::Known> known(2);
  known[0].shape = tensor.shape;
  known[1].index = 0;
  SizeBinding sizes = cantFail(SizeBinding::bind(this->kernel, known));
  EXPECT_EQ(kernel->run({tensor, HostArgument::getInteger(0)}, sizes).kind,
            HostOutcome::InvalidSizes);
}

TEST_F(NativeKernelTest, RefusesOperationsWithoutALowering) {
  std::string remark;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    remark = diagnostic.str();
    return success();
  });
  EXPECT_FALSE(compile(R"(
    tile.kernel @round(%x: f32) grid() {
      %y = math.round %x : f32
    })"));
  EXPECT_THAT(remark, testing::HasSubstr("'math.round' is not compiled"));
}
