//===- TileEnums.td - Enumerations of the tile dialect -----*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_TILE_IR_TILEENUMS
#define TESSERA_DIALECTS_TILE_IR_TILEENUMS

include "dialects/Tile/IR/TileDialect.td"
include "mlir/IR/EnumAttr.td"

class Tile_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32Enum<name, summary, cases> {
  let cppNamespace = "::tessera::tile";
}

def Tile_Access : Tile_I32Enum<"Access", "the accesses that a kernel may make to a global tensor", [
    I32EnumAttrCase<"In", 0, "in">, I32EnumAttrCase<"Out", 1, "out">,
    I32EnumAttrCase<"InOut", 2, "inout">]>;

def Tile_ReduceKindAttr : I32EnumAttr<"ReduceKind", "the combiner of a reduction", [
    I32EnumAttrCase<"Sum", 0, "sum">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">]> {
  let cppNamespace = "::tessera::tile";
}

def Tile_AtomicKindAttr : I32EnumAttr<"AtomicKind", "an atomic operation", [
    I32EnumAttrCase<"Add", 0, "add">, I32EnumAttrCase<"Max", 1, "max">,
    I32EnumAttrCase<"Min", 2, "min">, I32EnumAttrCase<"UMax", 3, "umax">,
    I32EnumAttrCase<"UMin", 4, "umin">, I32EnumAttrCase<"And", 5, "and">,
    I32EnumAttrCase<"Or", 6, "or">, I32EnumAttrCase<"Xor", 7, "xor">,
    I32EnumAttrCase<"Exchange", 8, "exchange">, I32EnumAttrCase<"Cas", 9, "cas">]> {
  let cppNamespace = "::tessera::tile";
}

def Tile_AtomicOrderAttr : I32EnumAttr<"AtomicOrder", "the order of an atomic operation", [
    I32EnumAttrCase<"Relaxed", 0, "relaxed">, I32EnumAttrCase<"Acquire", 1, "acquire">,
    I32EnumAttrCase<"Release", 2, "release">, I32EnumAttrCase<"AcqRel", 3, "acq_rel">]> {
  let cppNamespace = "::tessera::tile";
}

#endif // TESSERA_DIALECTS_TILE_IR_TILEENUMS
