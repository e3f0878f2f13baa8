//===- PhasesTest.cpp - Which target phases compile for ---------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The table has one target, so a second one is made up here.
//
//===----------------------------------------------------------------------===//

#include "tessera/Pipelines/Phases.h"

#include "tessera/Dialect/SM/IR/Target.h"
#include "tessera/InitAll.h"
#include "tessera/Target/KernelAttributes.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera;

namespace {

constexpr llvm::StringLiteral kKernel = R"(
  tile.kernel @double(%x: !tile.global<[N] x f32>, %y: !tile.global<[N] x f32, out>)
      grid(%n in tiles(N, 64)) {
    %t = tile.load %x[%n] : !tile.global<[N] x f32>, !tile.range<64 of N> -> tensor<64xf32>
    tile.store %t to %y[%n] : tensor<64xf32>, !tile.global<[N] x f32, out>, !tile.range<64 of N>
  })";

class Phases : public testing::Test {
protected:
  Phases() {
    DialectRegistry registry;
    registerAllDialects(registry);
    registerLoweredDialects(registry);
    context.appendDialectRegistry(registry);
    module = parseSourceString<ModuleOp>(kKernel, &context);
  }

  LogicalResult run(StringRef last, const GpuTarget *target = nullptr) {
    PhaseOptions options;
    options.target = target;
    return runPhases(*module, *findPhase(last), options);
  }

  MLIRContext context;
  OwningOpRef<ModuleOp> module;
};

TEST_F(Phases, KernelsOfTilesAreForAllTargets) {
  ASSERT_TRUE(succeeded(run("narrow-positions", &getDefaultGpuTarget())));
  EXPECT_EQ(sm::findTarget(*module), nullptr);
}

TEST_F(Phases, NameTheTargetFromTheSmLevelOn) {
  ASSERT_TRUE(succeeded(run("sm")));
  EXPECT_EQ(sm::findTarget(*module), findGpuTarget("sm_90a"));
}

TEST_F(Phases, LeaveTheNameOfTheTargetWhenLowered) {
  ASSERT_TRUE(succeeded(run("nvvm")));
  EXPECT_EQ(sm::findTarget(*module), nullptr);
  auto name = (*module)->getAttrOfType<StringAttr>(kTargetNameAttrName);
  ASSERT_TRUE(name);
  EXPECT_EQ(name.getValue(), "sm_90a");
}

TEST_F(Phases, RefuseWhatIsCompiledForAnotherTarget) {
  ASSERT_TRUE(succeeded(run("sm")));
  GpuTarget other = getDefaultGpuTarget();
  other.name = "sm_other";
  std::string text;
  ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
    text = diagnostic.str();
    return success();
  });
  EXPECT_TRUE(failed(run("order", &other)));
  EXPECT_EQ(text, "the input is compiled for sm_90a; code for another target, "
                  "sm_other, is made from a phase of the tile level");
}

} // namespace
