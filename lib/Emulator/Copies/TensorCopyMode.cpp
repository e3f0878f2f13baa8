//===- TensorCopyMode.cpp - Modes of tensor copies --------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Emulator/TensorCopyMode.h"

#include "llvm/ADT/Twine.h"

using namespace tessera::emu;
using llvm::createStringError;
using llvm::StringRef;
using llvm::Twine;

llvm::Error
tessera::emu::verifyTensorCopyMode(llvm::ArrayRef<StringRef> parts) {
  for (StringRef part : parts) {
    // im2col, im2col_no_offs, im2col::w, im2col::w::128.
    if (part.starts_with("im2col"))
      return createStringError(
          "the mode '." + Twine(part) +
          "' of tensor copies is not emulated, only '.tile': encode the map "
          "with cuTensorMapEncodeTiled and copy one box for each row of the "
          "filter");
    if (part == "tile::gather4" || part == "tile::scatter4")
      return createStringError("the mode '." + Twine(part) +
                               "' of tensor copies is not emulated, and "
                               "machines before sm_100 do not have it: copy "
                               "the four rows by four copies with boxes of "
                               "one row");
    if (part.starts_with("tile") && part != "tile")
      return createStringError("unknown mode '." + Twine(part) +
                               "' of a tensor copy");
  }
  return llvm::Error::success();
}
