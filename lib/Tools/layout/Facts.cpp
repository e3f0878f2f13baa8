//===- Facts.cpp - Properties of a layout -----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Queries the layout library and prints its answers, or the reason why a
// property does not hold.
//
//===----------------------------------------------------------------------===//

#include "Facts.h"

#include "tessera/Layout/MatrixDescriptor.h"
#include "tessera/Layout/Movement.h"
#include "tessera/Layout/SharedAccess.h"
#include "tessera/Layout/TmaBoxes.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/Format.h"
#include "llvm/Support/raw_ostream.h"

using namespace tessera;
using namespace tessera::layout;
using llvm::StringRef;

static llvm::raw_ostream &label(llvm::raw_ostream &os, StringRef name) {
  return os << llvm::left_justify((name + ":").str(), 14);
}

static bool isShared(const Layout &layout) {
  return layout.hasOnlyAxes(kOffset) && !layout.getAxes().empty();
}

/// Prints how wgmma reads the tile with `kDim` contracted: the widest block.
static void printDescriptor(const Layout &layout, int64_t elementBytes,
                            unsigned kDim, llvm::raw_ostream &os) {
  label(os, "wgmma, k=d" + std::to_string(kDim));
  int64_t block = layout.getShape()[1 - kDim];
  while (block > 256 && block % 2 == 0)
    block /= 2;
  auto descriptor = getMatrixDescriptor(layout, elementBytes, kDim, block);
  if (!descriptor) {
    os << llvm::toString(descriptor.takeError()) << "\n";
    return;
  }
  os << (descriptor->isTransposed ? "MN" : "K") << "-major, swizzle "
     << getSwizzleName(descriptor->swizzle) << ", LBO "
     << descriptor->leadingBytes << ", SBO " << descriptor->strideBytes
     << ", starts";
  for (int64_t step = 0; step < descriptor->steps; ++step)
    os << ' ' << descriptor->getStart(0, step);
  os << "\n";
}

static void printBoxes(const Layout &layout, int64_t elementBytes,
                       llvm::raw_ostream &os) {
  label(os, "tma");
  auto boxes = getTmaBoxes(layout, elementBytes);
  if (!boxes) {
    os << llvm::toString(boxes.takeError()) << "\n";
    return;
  }
  os << boxes->boxes.size() << " of " << formatPoint(boxes->extents)
     << ", swizzle " << getSwizzleName(boxes->swizzle) << ", "
     << boxes->getBytes(elementBytes) << " bytes each\n";
}

void tools::printFacts(const Layout &layout, int64_t elementBytes,
                       llvm::raw_ostream &os) {
  label(os, "layout") << layout << "\n";
  label(os, "elements") << layout.getNumElements() << "\n";
  label(os, "places") << layout.getNumPlaces();
  for (const Axis &axis : layout.getAxes())
    os << (&axis == layout.getAxes().begin() ? " = " : " x ") << axis.name
       << ' ' << axis.getSize();
  os << "\n";
  label(os, "copies") << layout.getNumCopies();
  if (layout.isBijective())
    os << ", bijective";
  else
    os << ", along ";
  llvm::interleaveComma(layout.getBroadcastAxes(), os);
  os << "\n";
  StringRef axis = isShared(layout) ? kOffset : kRegister;
  label(os, "vector") << layout.getVectorWidth(axis) << " along " << axis
                      << "\n";
  if (!isShared(layout) || elementBytes == 0)
    return;
  if (layout.getRank() == 2) {
    printDescriptor(layout, elementBytes, 0, os);
    printDescriptor(layout, elementBytes, 1, os);
  }
  printBoxes(layout, elementBytes, os);
}

static void printMatrixAccess(const Layout &registers, const Layout &shared,
                              int64_t elementBytes, bool transposed,
                              llvm::raw_ostream &os) {
  label(os, transposed ? "matrix.trans" : "matrix");
  auto access = getMatrixAccess(registers, shared, elementBytes, transposed);
  if (!access) {
    os << llvm::toString(access.takeError()) << "\n";
    return;
  }
  os << access->instructions << " of x" << access->matrices << ", "
     << access->getBankUse().getConflicts() << " bank conflicts\n";
}

llvm::Error tools::printChange(const Layout &from, const Layout &to,
                               int64_t elementBytes, llvm::raw_ostream &os) {
  if (!isShared(from) && !isShared(to)) {
    llvm::Expected<Movement> movement = getMovement(from, to);
    if (!movement)
      return movement.takeError();
    label(os, "movement") << getMovementName(*movement) << "\n";
    return llvm::Error::success();
  }
  const Layout &shared = isShared(to) ? to : from;
  const Layout &registers = isShared(to) ? from : to;
  if (elementBytes == 0)
    return llvm::createStringError(
        "expected --element=TYPE for accesses to shared memory");
  llvm::Expected<int64_t> width =
      getAccessWidth(registers, shared, elementBytes);
  if (!width)
    return width.takeError();
  BankUse use =
      llvm::cantFail(getBankUse(registers, shared, elementBytes, *width));
  label(os, "access") << *width << " elements wide, " << use.phases
                      << " phases, " << use.getConflicts()
                      << " bank conflicts\n";
  printMatrixAccess(registers, shared, elementBytes, /*transposed=*/false, os);
  printMatrixAccess(registers, shared, elementBytes, /*transposed=*/true, os);
  return llvm::Error::success();
}
