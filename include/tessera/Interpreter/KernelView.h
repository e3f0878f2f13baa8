//===- KernelView.h - A kernel of either dialect ----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The properties of a kernel that a launch needs, in either dialect: its
// parameters and its grid, which `tile.kernel` and `sm.kernel` share.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_INTERPRETER_KERNELVIEW_H
#define TESSERA_INTERPRETER_KERNELVIEW_H

#include "tessera/Dialect/Tile/IR/Tile.h"

namespace tessera::interp {

class KernelView {
public:
  /// Creates the view of a kernel of either dialect.
  template <typename KernelOp>
  KernelView(KernelOp kernel)
      : op(kernel), name(kernel.getSymName()), names(kernel.getParamNames()),
        grid(kernel.getGrid()), params(kernel.getParams()) {}

  Operation *getOperation() const { return op; }
  Location getLoc() const { return op->getLoc(); }
  InFlightDiagnostic emitError(const Twine &message = {}) const {
    return op->emitError(message);
  }

  StringRef getSymName() const { return name; }
  unsigned getNumParams() const { return names.size(); }
  Block::BlockArgListType getParams() const { return params; }
  StringRef getParamName(unsigned index) const {
    return cast<StringAttr>(names[index]).getValue();
  }
  SmallVector<tile::AxisAttr> getAxes() const {
    return llvm::to_vector(grid.getAsRange<tile::AxisAttr>());
  }

private:
  Operation *op;
  StringRef name;
  ArrayAttr names, grid;
  Block::BlockArgListType params;
};

} // namespace tessera::interp

#endif // TESSERA_INTERPRETER_KERNELVIEW_H
