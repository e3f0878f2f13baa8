//===- ClockTrace.h - The predicted time as a timeline ----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Converts what KernelClock knows of one CTA to a trace, with cycles in place
// of steps. Viewers show it as they show the traces of the simulator.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_LIB_TOOLS_COMPILE_CLOCKTRACE_H
#define TESSERA_LIB_TOOLS_COMPILE_CLOCKTRACE_H

#include "tessera/Simulator/Trace.h"
#include "tessera/Timing/KernelClock.h"

namespace tessera::tools {

/// Runs the program of `time`, which `clock` has timed, again.
llvm::Expected<sim::Trace> traceProgram(const timing::KernelClock &clock,
                                        const timing::CtaTime &time);

} // namespace tessera::tools

#endif // TESSERA_LIB_TOOLS_COMPILE_CLOCKTRACE_H
