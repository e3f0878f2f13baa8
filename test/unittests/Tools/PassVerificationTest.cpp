//===- PassVerificationTest.cpp - Passes that change results ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/verify/PassVerification.h"

#include "tessera/Conversion/SMToNVVM/Passes.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/InitAll.h"

#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/Parser/Parser.h"
#include "mlir/Pass/Pass.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::tools;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {
/// Doubles what the kernel adds.
struct Break : PassWrapper<Break, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Break)
  StringRef getArgument() const override { return "break"; }
  void runOnOperation() override {
    getOperation().walk([](arith::ConstantOp op) {
      if (auto value = dyn_cast<FloatAttr>(op.getValue()))
        op.setValueAttr(FloatAttr::get(value.getType(), 2.0));
    });
  }
};

/// Renames nothing and changes nothing.
struct Keep : PassWrapper<Keep, OperationPass<tile::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(Keep)
  StringRef getArgument() const override { return "keep"; }
  void runOnOperation() override {}
};

/// Takes the barriers of the machine level away.
struct EraseBarriers : PassWrapper<EraseBarriers, OperationPass<sm::KernelOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseBarriers)
  StringRef getArgument() const override { return "erase-barriers"; }
  void runOnOperation() override {
    getOperation().walk([](sm::BarrierOp op) { op.erase(); });
  }
};

/// Takes the barriers of lowered kernels away.
struct EraseLoweredBarriers
    : PassWrapper<EraseLoweredBarriers, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(EraseLoweredBarriers)
  StringRef getArgument() const override { return "erase-lowered-barriers"; }
  void runOnOperation() override {
    getOperation().walk([](NVVM::Barrier0Op op) { op.erase(); });
  }
};

struct KeepLowered : PassWrapper<KeepLowered, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(KeepLowered)
  StringRef getArgument() const override { return "keep-lowered"; }
  void runOnOperation() override {}
};

/// Doubles the constants of lowered kernels.
struct BreakLowered
    : PassWrapper<BreakLowered, OperationPass<LLVM::LLVMFuncOp>> {
  MLIR_DEFINE_EXPLICIT_INTERNAL_INLINE_TYPE_ID(BreakLowered)
  StringRef getArgument() const override { return "break-lowered"; }
  void runOnOperation() override {
    getOperation().walk([](LLVM::ConstantOp op) {
      if (auto value = dyn_cast<FloatAttr>(op.getValue()))
        op.setValueAttr(FloatAttr::get(value.getType(), 2.0));
    });
  }
};

class PassVerificationTest : public testing::Test {
protected:
  PassVerificationTest() {
    DialectRegistry registry;
    registerAllDialects(registry);
    context.appendDialectRegistry(registry);
    context.loadAllAvailableDialects();
    context.printOpOnDiagnostic(false);
    options().isOn = true;
    options().arguments.clear();
    options().rms = 0;
  }

  /// Its options are those of the command line, which has them once.
  static VerificationOptions &options() {
    static llvm::cl::OptionCategory category("test");
    static VerificationOptions options(category);
    return options;
  }

  /// Runs the passes on a kernel that adds 1 to `x`, and returns the errors.
  std::vector<std::string> run(std::vector<std::unique_ptr<Pass>> passes) {
    return run(R"(
tile.kernel @inc(%x: !tile.global<[M] x f32>, %y: !tile.global<[M] x f32, out>)
    grid(%m in tiles(M, 64)) {
  %one = arith.constant 1.0 : f32
  %ones = tensor.splat %one : tensor<64xf32>
  %t = tile.load %x[%m] : !tile.global<[M] x f32>, !tile.range<64 of M> -> tensor<64xf32>
  %s = arith.addf %t, %ones : tensor<64xf32>
  tile.store %s to %y[%m] : tensor<64xf32>, !tile.global<[M] x f32, out>, !tile.range<64 of M>
})",
               tile::KernelOp::getOperationName(), std::move(passes));
  }

  /// Runs the passes on each kernel of `text`, ops of one name.
  std::vector<std::string> run(StringRef text, StringRef kernel,
                               std::vector<std::unique_ptr<Pass>> passes) {
    return run(text, [&](PassManager &manager) {
      for (std::unique_ptr<Pass> &pass : passes)
        manager.nest(kernel).addPass(std::move(pass));
    });
  }

  std::vector<std::string> run(StringRef text,
                               function_ref<void(PassManager &)> addPasses) {
    std::vector<std::string> errors;
    ScopedDiagnosticHandler handler(&context, [&](Diagnostic &diagnostic) {
      errors.push_back(diagnostic.str());
      for (Diagnostic &note : diagnostic.getNotes())
        errors.push_back(note.str());
    });
    OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
    if (!module)
      return errors;
    PassVerification verification(options());
    PassManager manager(&context);
    verification.watch(manager);
    addPasses(manager);
    EXPECT_TRUE(succeeded(manager.run(*module)));
    message.clear();
    llvm::raw_string_ostream os(message);
    EXPECT_EQ(succeeded(verification.finish(os)), errors.empty());
    return errors;
  }

  template <typename... Passes>
  static std::vector<std::unique_ptr<Pass>> make() {
    std::vector<std::unique_ptr<Pass>> passes;
    (passes.push_back(std::make_unique<Passes>()), ...);
    return passes;
  }

  MLIRContext context;
  std::string message;
};
} // namespace

/// Writes ones, which a warp takes from another one through shared memory.
static const char *const kTurn = R"(
#line = #sm.layout<"128 = lane[32*(1)] warp[4*(32)]">
#turned = #sm.layout<"128 = lane[32*(4)] warp[4*(1)]">
sm.kernel @turn(%y: !tile.global<[128] x f32, out>) grid() warps(4) form(fenced) shared(1024) {
  %c0 = arith.constant 0 : index
  %c128 = arith.constant 128 : index
  %one = arith.constant dense<1.0> : tensor<128xf32, #line>
  %s = sm.smem.store %one at 0 : tensor<128xf32, #line> -> !sm.smem<128xf32>
  sm.barrier
  %t = sm.smem.load %s : !sm.smem<128xf32> -> tensor<128xf32, #turned>
  sm.store %t to %y[%c0] dims [0] limits(%c128) : tensor<128xf32, #turned>, !tile.global<[128] x f32, out>, index
})";

// The kernel runs before the first pass, and again where it has changed.
TEST_F(PassVerificationTest, RunsWhatHasChanged) {
  EXPECT_THAT(run(make<Keep, Keep>()), ElementsAre());
  EXPECT_EQ(message, "verify-passes: 1 executions gave the same results\n");
}

TEST_F(PassVerificationTest, NamesTheFirstPassThatChangesTheResult) {
  EXPECT_THAT(run(make<Keep, Break, Keep, Break>()),
              ElementsAre("kernel 'inc' computes another 'y' after the pass "
                          "'break' than before: 72 of 72 elements differ, the "
                          "first one at 0 in the order of rows",
                          HasSubstr("; where sums cancel, or rounded numbers "
                                    "are computed with, compare by "
                                    "--verify-rms X")));
}

// A warp reads what another one has written; without the barrier that is a
// race, which each schedule would report.
TEST_F(PassVerificationTest, NamesThePassThatMakesARace) {
  StringRef kernel = sm::KernelOp::getOperationName();
  std::vector<std::string> errors = run(kTurn, kernel, make<EraseBarriers>());
  ASSERT_FALSE(errors.empty());
  EXPECT_THAT(errors.front(), HasSubstr("which nobody has written"));
  EXPECT_EQ(errors.back(), "kernel 'turn' cannot be executed after the pass "
                           "'erase-barriers', in the order 'program'");
}

// Lowered kernels run as PTX, in three interleavings.
TEST_F(PassVerificationTest, RunsLoweredKernels) {
  auto addPasses = [](PassManager &manager) {
    manager.addPass(sm::createConvertSMToNVVMPass());
    manager.nest<LLVM::LLVMFuncOp>().addPass(std::make_unique<KeepLowered>());
  };
  EXPECT_THAT(run(kTurn, addPasses), ElementsAre());
  EXPECT_EQ(message, "verify-passes: 6 executions gave the same results\n");
}

TEST_F(PassVerificationTest, NamesThePassThatChangesLoweredResults) {
  auto addPasses = [](PassManager &manager) {
    manager.addPass(sm::createConvertSMToNVVMPass());
    manager.nest<LLVM::LLVMFuncOp>().addPass(std::make_unique<BreakLowered>());
  };
  EXPECT_THAT(run(kTurn, addPasses),
              ElementsAre("kernel 'turn' computes another 'y' after the pass "
                          "'break-lowered' than before: 128 of 128 elements "
                          "differ, the first one at 0 in the order of rows",
                          HasSubstr("the largest relative difference is "
                                    "1.00e+00; ")));
}

// The emulator's own findings go where the tools print them.
TEST_F(PassVerificationTest, NamesThePassThatMakesALoweredRace) {
  auto addPasses = [](PassManager &manager) {
    manager.addPass(sm::createConvertSMToNVVMPass());
    manager.nest<LLVM::LLVMFuncOp>().addPass(
        std::make_unique<EraseLoweredBarriers>());
  };
  testing::internal::CaptureStderr();
  EXPECT_THAT(run(kTurn, addPasses),
              ElementsAre("kernel 'turn' cannot be executed after the pass "
                          "'erase-lowered-barriers', in the order 'program'"));
  EXPECT_THAT(testing::internal::GetCapturedStderr(),
              HasSubstr("shared memory, which nobody has written"));
}

// A variant with conditions on the arguments keeps them on the last level.
TEST_F(PassVerificationTest, NamesLoweredVariantsThatAreNotExecuted) {
  const char *text = R"(
sm.kernel @v(%x: !tile.global<[M] x f32>) grid() warps(4) form(fenced) shared(0) requires(M mod 8) {
}
sm.kernel @v_plain(%x: !tile.global<[M] x f32>) grid() warps(4) form(fenced) shared(0) attributes {sm.variant_of = "v"} {
})";
  options().arguments.push_back("x=randn(5)");
  auto addPasses = [](PassManager &manager) {
    manager.addPass(sm::createConvertSMToNVVMPass());
  };
  EXPECT_THAT(run(text, addPasses), ElementsAre());
  EXPECT_EQ(message, "verify-passes: 6 executions gave the same results; "
                     "these arguments do not meet the requirements of the "
                     "variant 'v', which was not executed; --verify-arg "
                     "NAME=SPEC gives others\n");
}

// The report names variants that are not executed.
TEST_F(PassVerificationTest, NamesVariantsThatAreNotExecuted) {
  const char *text = R"(
sm.kernel @v(%x: !tile.global<[M] x f32>) grid() warps(4) requires(M mod 8) {
}
sm.kernel @v_plain(%x: !tile.global<[M] x f32>) grid() warps(4) attributes {sm.variant_of = "v"} {
})";
  options().arguments.push_back("x=randn(5)");
  StringRef kernel = sm::KernelOp::getOperationName();
  EXPECT_THAT(run(text, kernel, make<EraseBarriers>()), ElementsAre());
  EXPECT_EQ(message, "verify-passes: 3 executions gave the same results; "
                     "these arguments do not meet the requirements of the "
                     "variant 'v', which was not executed; --verify-arg "
                     "NAME=SPEC gives others\n");
}

TEST_F(PassVerificationTest, ComparesByRms) {
  options().arguments.push_back("x=ones(5)");
  options().rms = 0.6;
  EXPECT_THAT(run(make<Break>()), ElementsAre());
  options().rms = 0.4;
  EXPECT_THAT(run(make<Break>()),
              ElementsAre("kernel 'inc' computes another 'y' after the pass "
                          "'break' than before: the relative RMS error is "
                          "5.00e-01, more than 4.00e-01"));
}

TEST_F(PassVerificationTest, TakesArguments) {
  options().arguments.push_back("x=randn(5)");
  options().arguments.push_back("y=(5)");
  EXPECT_THAT(run(make<Break>()),
              ElementsAre(HasSubstr("5 of 5 elements differ"),
                          HasSubstr("--verify-rms X")));
}

TEST_F(PassVerificationTest, SaysWhatItCannotRun) {
  options().arguments.push_back("z=randn(5)");
  EXPECT_THAT(
      run(make<Keep>()),
      ElementsAre(AllOf(
          HasSubstr("cannot be executed by --verify-passes: "),
          HasSubstr("; give its arguments with --verify-arg NAME=SPEC"))));
}
