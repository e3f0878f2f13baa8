//===- LiteralFuzzer.cpp - Numbers of any length ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Reads any text as the value of `--arg` and as a literal of PTX. The result is
// a number or an error. Decimal numbers must equal those of the C library. The
// fuzzer of the front end reads the literals of sources.
//
//===----------------------------------------------------------------------===//

#include "Repetition.h"

#include "tessera/Array/ArraySpec.h"
#include "tessera/Emulator/Parser.h"

#include <cmath>
#include <cstdlib>

using namespace tessera;

/// Checks whether the C library reads the whole text as a number.
static bool readReference(const std::string &text, double &value) {
  char *end = nullptr;
  value = std::strtod(text.c_str(), &end);
  return !text.empty() && end == text.c_str() + text.size();
}

static void readArgument(const std::string &text) {
  llvm::Expected<array::ArraySpec> spec = array::ArraySpec::parse(text);
  if (!spec)
    return llvm::consumeError(spec.takeError());
  double reference;
  if (spec->kind == array::ArraySpec::Kind::Scalar && !spec->value.isInteger &&
      readReference(text, reference) && !std::isnan(reference) &&
      spec->value.real != reference)
    __builtin_trap();
}

static void readPTX(const std::string &literal) {
  std::string text = ".version 8.0\n.target sm_90a\n.address_size 64\n"
                     ".global .f64 x = " +
                     literal +
                     ";\n.visible .entry k() {\n.reg .f64 %fd1;\n"
                     "mov.f64 %fd1, " +
                     literal + ";\nret;\n}\n";
  llvm::consumeError(emu::parse(text, "fuzz.ptx").takeError());
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string text = expandRepetitions(data, size);
  readArgument(text);
  readArgument("full(" + text + ", 2)");
  readPTX(text);
  return 0;
}
