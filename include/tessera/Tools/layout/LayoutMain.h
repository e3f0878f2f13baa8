//===- LayoutMain.h - The tile-layout tool ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_TOOLS_LAYOUT_LAYOUTMAIN_H
#define TESSERA_TOOLS_LAYOUT_LAYOUTMAIN_H

namespace tessera::tools {

/// Runs `tile-layout` on a command line. Returns the exit status: 0, or 2 for a
/// wrong invocation or an invalid layout.
int layoutMain(int argc, char **argv);

} // namespace tessera::tools

#endif // TESSERA_TOOLS_LAYOUT_LAYOUTMAIN_H
