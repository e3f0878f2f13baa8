//===- VerificationOptions.cpp - The options of verification ----*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/Tools/verify/PassVerification.h"

using namespace tessera::tools;
namespace cl = llvm::cl;

VerificationOptions::VerificationOptions(cl::OptionCategory &category)
    : isOn("verify-passes",
           cl::desc("Execute each kernel before and after every pass, and name "
                    "the first "
                    "pass that changes its results"),
           cl::cat(category)),
      arguments("verify-arg",
                cl::desc("With --verify-passes, an argument as --arg of "
                         "tile-run; other arguments get small values"),
                cl::value_desc("NAME=SPEC"), cl::cat(category)),
      seed(
          "verify-seed",
          cl::desc("With --verify-passes, the seed of arguments and schedules"),
          cl::cat(category)),
      rms("verify-rms",
          cl::desc(
              "With --verify-passes, compare by relative RMS error instead "
              "of per element"),
          cl::value_desc("X"), cl::init(0), cl::cat(category)) {}
