//===- SMInterfaces.td - What ops do with shared memory ----*- tablegen -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_DIALECTS_SM_IR_SMINTERFACES
#define TESSERA_DIALECTS_SM_IR_SMINTERFACES

include "mlir/IR/Interfaces.td"

class SM_OpInterface<string name> : OpInterface<name> {
  let cppNamespace = "::tessera::sm";
}

def SM_SharedMemoryOpInterface : SM_OpInterface<"SharedMemoryOpInterface"> {
  let description = [{
    An op that takes a piece of shared memory, to which `sm-allocate-smem` gives an
    address: a buffer, which its result stands for, or scratch memory, which only the op
    itself uses while it runs.
  }];
  let methods = [
    InterfaceMethod<"How many bytes; 0 if it needs none after all.",
                    "int64_t", "getSharedBytes">,
    InterfaceMethod<"What the address is a multiple of, in bytes.",
                    "int64_t", "getSharedAlignment">,
    InterfaceMethod<"Whether it is scratch memory.", "bool", "isScratch", (ins), "",
                    "return false;">,
    InterfaceMethod<"The address, if it is known.",
                    "std::optional<int64_t>", "getSharedAddress", (ins), "", [{
      auto address = $_op->template getAttrOfType<::mlir::IntegerAttr>(
          $_op.isScratch() ? kScratchAddressAttrName : ::llvm::StringLiteral("address"));
      return address ? std::optional<int64_t>(address.getInt()) : std::nullopt;
    }]>,
    InterfaceMethod<"Sets the address.", "void", "setSharedAddress",
                    (ins "int64_t":$address), "", [{
      $_op->setAttr(
          $_op.isScratch() ? kScratchAddressAttrName : ::llvm::StringLiteral("address"),
          ::mlir::IntegerAttr::get(::mlir::IntegerType::get($_op->getContext(), 64), address));
    }]>
  ];
}

def SM_SharedAccessOpInterface : SM_OpInterface<"SharedAccessOpInterface"> {
  let description = [{
    An op that reads or writes tiles in shared memory, or scratch memory of its own.
    Barriers and words do not count: they order accesses, and need no order themselves.
  }];
  let methods = [
    InterfaceMethod<"The accesses, in the order in which they happen.",
                    "::llvm::SmallVector<::tessera::sm::SharedUse>", "getSharedUses">
  ];
}

def SM_AsynchronousOpInterface : SM_OpInterface<"AsynchronousOpInterface"> {
  let description = [{
    An op whose accesses to shared memory may still run when the op itself is done.
  }];
  let methods = [
    InterfaceMethod<"What tells that they have ended.",
                    "::tessera::sm::Completion", "getCompletion">
  ];
}

def SM_AwaitOpInterface : SM_OpInterface<"AwaitOpInterface"> {
  let description = [{
    An op that waits until all but the newest asynchronous ops of a kind have ended.
  }];
  let methods = [
    InterfaceMethod<"The kind.", "::tessera::sm::Completion", "getAwaited">,
    InterfaceMethod<"How many may go on.", "int64_t", "getNumLeft">
  ];
}

#endif // TESSERA_DIALECTS_SM_IR_SMINTERFACES
