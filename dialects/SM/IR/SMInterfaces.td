//===- SMInterfaces.td - Accesses of ops to shared memory --*- tablegen -*-===//
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
    An op that occupies shared memory. `sm-allocate-smem` assigns the address. The memory is
    either a buffer, the result of the op, or scratch memory that only the op itself uses.
  }];
  let methods = [
    InterfaceMethod<"Returns the size in bytes; 0 if the op needs no memory.",
                    "int64_t", "getSharedBytes">,
    InterfaceMethod<"Returns the alignment of the address in bytes.",
                    "int64_t", "getSharedAlignment">,
    InterfaceMethod<"Returns whether it is scratch memory.", "bool", "isScratch", (ins), "",
                    "return false;">,
    InterfaceMethod<"Returns the address in bytes, if it is known.",
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
    Barriers and words do not count, since their accesses need no barrier.
  }];
  let methods = [
    InterfaceMethod<"Returns the accesses in their order.",
                    "::llvm::SmallVector<::tessera::sm::SharedUse>", "getSharedUses">
  ];
}

def SM_AsynchronousOpInterface : SM_OpInterface<"AsynchronousOpInterface"> {
  let description = [{
    An op whose accesses to shared memory may still be in flight when the op has ended.
  }];
  let methods = [
    InterfaceMethod<"Returns the event that completes the accesses.",
                    "::tessera::sm::Completion", "getCompletion">
  ];
}

def SM_AwaitOpInterface : SM_OpInterface<"AwaitOpInterface"> {
  let description = [{
    An op that waits until all but the newest asynchronous ops of a kind are complete.
  }];
  let methods = [
    InterfaceMethod<"Returns the kind of the awaited ops.", "::tessera::sm::Completion", "getAwaited">,
    InterfaceMethod<"Returns the number of ops that may stay in flight.", "int64_t", "getNumLeft">
  ];
}

#endif // TESSERA_DIALECTS_SM_IR_SMINTERFACES
