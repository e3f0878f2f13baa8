//===- ParsedText.h - Modules from a few lines of PTX -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TEST_UNITTESTS_EMULATOR_PARSEDTEXT_H
#define TESSERA_TEST_UNITTESTS_EMULATOR_PARSEDTEXT_H

#include "tessera/Emulator/Parser.h"

#include "gtest/gtest.h"

namespace tessera::emu {

/// Three lines, which come before each text.
inline constexpr llvm::StringLiteral kModuleStart =
    ".version 8.8\n.target sm_90a\n.address_size 64\n";
/// Line 4; what comes after it is the body.
inline constexpr llvm::StringLiteral kKernelStart =
    ".visible .entry k(.param .u64 p) { .reg .pred %p<4>; .reg .b32 %r<8>; "
    ".reg .b64 %rd<4>; .reg .f32 %f<4>; .shared .align 16 .b8 smem[64];\n";

inline std::unique_ptr<Module> parseModule(const llvm::Twine &text) {
  auto module = parse((kModuleStart + text).str(), "t.ptx");
  if (module)
    return std::move(*module);
  ADD_FAILURE() << llvm::toString(module.takeError());
  return nullptr;
}

/// A module of one kernel with this body.
inline std::unique_ptr<Module> parseBody(const llvm::Twine &body) {
  return parseModule(kKernelStart + body + "\n}\n");
}

inline std::string getModuleError(const llvm::Twine &text) {
  auto module = parse((kModuleStart + text).str(), "t.ptx");
  return module ? "no error" : llvm::toString(module.takeError());
}

/// The body starts on line 5.
inline std::string getBodyError(const llvm::Twine &body) {
  return getModuleError(kKernelStart + body + "\n}\n");
}

} // namespace tessera::emu

#endif // TESSERA_TEST_UNITTESTS_EMULATOR_PARSEDTEXT_H
