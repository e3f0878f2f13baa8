//===- EmitPTXTest.cpp - Emission in one process ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A failure of the code generator leaves the process able to go on, and the
// module as it was.
//
//===----------------------------------------------------------------------===//

#include "tessera/Target/PTX/EmitPTX.h"

#include "mlir/IR/BuiltinOps.h"
#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"

using namespace tessera;
using namespace tessera::ptx;
using testing::ElementsAre;
using testing::HasSubstr;

namespace {

class EmitPTXTest : public testing::Test {
protected:
  EmitPTXTest() : context(makeRegistry()) {
    context.getDiagEngine().registerHandler(
        [&](Diagnostic &diagnostic) { messages.push_back(diagnostic.str()); });
  }

  static DialectRegistry makeRegistry() {
    DialectRegistry registry;
    registerEmissionDialects(registry);
    return registry;
  }

  OwningOpRef<ModuleOp> parse(const char *body) {
    std::string text = std::string("llvm.func @k(%x: bf16, %out: !llvm.ptr<1>) "
                                   "attributes {nvvm.kernel} {\n") +
                       body + "llvm.return\n}\n";
    return parseSourceString<ModuleOp>(text, &context);
  }

  MLIRContext context;
  std::vector<std::string> messages;
};

TEST_F(EmitPTXTest, GoesOnAfterAFatalErrorOfTheCodeGenerator) {
  OwningOpRef<ModuleOp> good =
      parse("llvm.store %x, %out : bf16, !llvm.ptr<1>\n");
  OwningOpRef<ModuleOp> bad =
      parse("%c = llvm.call_intrinsic \"llvm.canonicalize.bf16\"(%x) : (bf16) "
            "-> bf16\n"
            "llvm.store %c, %out : bf16, !llvm.ptr<1>\n");
  ASSERT_TRUE(good && bad);
  for (int i = 0; i < 3; ++i) {
    messages.clear();
    EXPECT_TRUE(failed(emitPTX(*bad, {})));
    EXPECT_THAT(messages,
                ElementsAre("code generation failed: Cannot select: bf16 = "
                            "fcanonicalize"));
    messages.clear();
    FailureOr<std::string> text = emitPTX(*good, {});
    ASSERT_TRUE(succeeded(text));
    EXPECT_THAT(*text, HasSubstr(".visible .entry k("));
    EXPECT_THAT(messages, ElementsAre());
  }
}

TEST_F(EmitPTXTest, LeavesTheModuleAsItWas) {
  OwningOpRef<ModuleOp> module = parse("nvvm.setmaxregister decrease 40\n"
                                       "nvvm.barrier\n");
  ASSERT_TRUE(module);
  std::string before, after;
  llvm::raw_string_ostream(before) << *module;
  EmitOptions options;
  options.lineTables = true;
  EXPECT_TRUE(succeeded(emitPTX(*module, options)));
  EXPECT_TRUE(succeeded(emitLLVM(*module, options)));
  llvm::raw_string_ostream(after) << *module;
  EXPECT_EQ(before, after);
}

} // namespace
