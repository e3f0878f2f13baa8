//===- tile-format.cpp - Lays out Tessera sources ---------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/Invocation.h"
#include "tessera/Tools/format/FormatMain.h"

int main(int argc, char **argv) {
  using namespace tessera::tools;
  return finishOutput("tile-format", formatMain(argc, argv));
}
