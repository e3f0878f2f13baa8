//===- SMEnums.td - Enumerations of the sm dialect ---------*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMENUMS
#define TESSERA_DIALECTS_SM_IR_SMENUMS

include "mlir/IR/EnumAttr.td"

class SM_I32Enum<string name, string summary, list<I32EnumAttrCase> cases>
    : I32EnumAttr<name, summary, cases> {
  let cppNamespace = "::tessera::sm";
}

def SM_FormAttr : SM_I32Enum<"Form", "the form of a kernel", [
    I32EnumAttrCase<"Planned", 0, "planned">, I32EnumAttrCase<"Scheduled", 1, "scheduled">,
    I32EnumAttrCase<"Expanded", 2, "expanded">, I32EnumAttrCase<"Fenced", 3, "fenced">]>;

def SM_SideAttr : SM_I32Enum<"Side", "the event of a slot that a barrier signals", [
    I32EnumAttrCase<"Full", 0, "full">, I32EnumAttrCase<"Empty", 1, "empty">]>;

def SM_FillerAttr : SM_I32Enum<"Filler", "the producer of a planned ring", [
    I32EnumAttrCase<"Tma", 0, "tma">, I32EnumAttrCase<"Threads", 1, "threads">,
    I32EnumAttrCase<"Math", 2, "math">, I32EnumAttrCase<"Transform", 3, "transform">]>;

def SM_ProductUnitAttr : SM_I32Enum<"ProductUnit", "the unit that computes a planned product", [
    I32EnumAttrCase<"TensorCores", 0, "tensor_cores">, I32EnumAttrCase<"Threads", 1, "threads">]>;

def SM_OperandPlaceAttr : SM_I32Enum<"OperandPlace", "the place of an operand of a planned product", [
    I32EnumAttrCase<"Registers", 0, "registers">, I32EnumAttrCase<"Shared", 1, "shared">,
    I32EnumAttrCase<"Transposed", 2, "transposed">]>;

#endif // TESSERA_DIALECTS_SM_IR_SMENUMS
