//===- Places.cpp - Warnings at operations ----------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// An operation of an inlined fn has the place in the fn, and around it those of
// the calls.
//
//===----------------------------------------------------------------------===//

#include "Places.h"

using namespace tessera;
using namespace tessera::frontend;

FileLineColLoc tessera::frontend::findPlace(Location loc) {
  FileLineColLoc place;
  loc->walk([&](Location inner) {
    place = dyn_cast<FileLineColLoc>(inner);
    return place ? WalkResult::interrupt() : WalkResult::advance();
  });
  return place;
}

SourcePlace tessera::frontend::getPlace(const KernelContext &context,
                                        Operation *op) {
  return context.getPlace(findPlace(op->getLoc()));
}

std::optional<InFlightDiagnostic>
tessera::frontend::warnAt(KernelContext &context, Operation *op) {
  return context.warn(getPlace(context, op));
}

void tessera::frontend::noteCall(InFlightDiagnostic &diagnostic,
                                 Operation *op) {
  if (auto call = dyn_cast<CallSiteLoc>(op->getLoc()))
    diagnostic.attachNote(findPlace(call.getCaller())) << "in this call";
}

std::string tessera::frontend::getTensorName(const KernelContext &context,
                                             Value global) {
  const Parameter *parameter = context.findParameter(global);
  return parameter ? ("`" + parameter->name.text + "`").str() : "the tensor";
}
