//===- ProductErrorTest.cpp - Products that do not exist ------------------===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "KernelRun.h"

using namespace tessera::emu;

namespace {

/// Returns the error of `wgmma.mma_async<name> {operands};` without the
/// location and the name.
std::string getProductError(llvm::Twine name, llvm::Twine operands) {
  std::string whole = ("wgmma.mma_async" + name).str();
  std::string error = KernelRun(whole + " " + operands + ";").getError();
  StringRef rest = error;
  EXPECT_TRUE(rest.consume_front("5:1: '" + whole + "': ")) << error;
  return rest.str();
}

constexpr const char *kFour = "{%f1, %f2, %f3, %f4}, %rd4, %rd5, 1";
constexpr const char *kName = ".sync.aligned.m64n8k16.f32.f16.f16";

TEST(ProductErrorTest, Names) {
  struct Row {
    const char *name, *message;
  };
  const Row rows[] = {
      {".sp.sync.aligned.m64n8k32.f32.f16.f16",
       "products of sparse matrices are not emulated"},
      {".sync.aligned.m64n8k256.s32.b1.b1.and.popc",
       "products of matrices of single bits are not emulated"},
      {".sync.aligned.m64n8k16.f32.f16.f16.wrong", "unknown part '.wrong'"},
      {".sync.m64n8k16.f32.f16.f16", "expected '.sync.aligned'"},
      {".aligned.m64n8k16.f32.f16.f16", "expected '.sync.aligned'"},
      {".sync.aligned.f32.f16.f16", "expected a shape such as '.m64n128k16'"},
      {".sync.aligned.m64n8k16.f32.f16", "expected the types of D, A and B"},
      {".sync.aligned.m64n8k16.f32.f16.bf16",
       "there are no products of these types"},
      {".sync.aligned.m64n8k8.f32.f16.f16",
       "products of these types have the shape m64n*k16"},
      {".sync.aligned.m64n264k16.f32.f16.f16",
       "n has to be a multiple of 8 up to 256"},
      {".sync.aligned.m64n40k32.s32.s8.u8",
       "integer products have an n of 8, 24 or a multiple of 16 up to 256"},
      {".sync.aligned.m64n8k16.f32.f16.f16.satfinite",
       "'.satfinite' is for integer products"},
  };
  for (auto [name, message] : rows)
    EXPECT_EQ(getProductError(name, llvm::Twine(kFour) + ", 1, 1, 0, 0"),
              message);
}

TEST(ProductErrorTest, Operands) {
  struct Row {
    const char *operands, *message;
  };
  const Row rows[] = {
      {"{%f1, %f2, %f3, %f4}, %rd4, %rd5, 1", "expected 8 operands, got 4"},
      {"{%f1, %f2}, %rd4, %rd5, 1, 1, 1, 0, 0",
       "operand D has to be a vector of 4 registers"},
      {"{%f1, %f2, %f3, 1}, %rd4, %rd5, 1, 1, 1, 0, 0",
       "operand D has an element that is no register"},
      {"{%f1, %f2, %f3, _}, %rd4, %rd5, 1, 1, 1, 0, 0",
       "operand D has an element that is no register"},
      {"{%f1, %f2, %f3, %f4}, [%rd4], %rd5, 1, 1, 1, 0, 0",
       "operand A has to be a matrix descriptor or a vector of registers"},
      {"{%f1, %f2, %f3, %f4}, {%r1, %r2}, %rd5, 1, 1, 1, 0",
       "operand A has to be a vector of 4 registers"},
      {"{%f1, %f2, %f3, %f4}, %rd4, {%r1, %r2}, 1, 1, 1, 0, 0",
       "operand B has to be a matrix descriptor"},
      {"{%f1, %f2, %f3, %f4}, %rd4, %rd5, {%p1}, 1, 1, 0, 0",
       "scale-d has to be a predicate"},
      {"{%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 2, 1, 0, 0",
       "imm-scale-a has to be the constant 1 or -1"},
      {"{%f1, %f2, %f3, %f4}, %rd4, %rd5, 1, 1, 1, 0, %r1",
       "imm-trans-b has to be the constant 0 or 1"},
  };
  for (auto [operands, message] : rows)
    EXPECT_EQ(getProductError(kName, operands), message);
}

} // namespace
