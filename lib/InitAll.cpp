//===- InitAll.cpp - Registration of everything -----------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//

#include "tessera/InitAll.h"

#include "tessera/Conversion/SMToNVVM/Passes.h"
#include "tessera/Conversion/TileToHost/Passes.h"
#include "tessera/Conversion/TileToSM/Passes.h"
#include "tessera/Dialect/SM/IR/SM.h"
#include "tessera/Dialect/SM/Transforms/Passes.h"
#include "tessera/Dialect/Tile/IR/Tile.h"
#include "tessera/Dialect/Tile/Transforms/Passes.h"
#include "tessera/Pipelines/Phases.h"

#include "mlir/Dialect/ControlFlow/IR/ControlFlow.h"
#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"
#include "mlir/Dialect/MemRef/IR/MemRef.h"
#include "mlir/Dialect/Vector/IR/VectorOps.h"
#include "mlir/IR/DialectRegistry.h"
#include "mlir/Transforms/Passes.h"

void tessera::registerAllDialects(DialectRegistry &registry) {
  registry.insert<sm::SMDialect, tile::TileDialect>();
  // Dialects on which those of Tessera build.
  registry.insert<arith::ArithDialect, math::MathDialect, scf::SCFDialect,
                  tensor::TensorDialect>();
}

void tessera::registerLoweredDialects(DialectRegistry &registry) {
  registry.insert<mlir::cf::ControlFlowDialect, mlir::LLVM::LLVMDialect,
                  mlir::NVVM::NVVMDialect>();
  // Dialects of the functions that tile-to-host makes.
  registry.insert<mlir::func::FuncDialect, mlir::memref::MemRefDialect,
                  mlir::vector::VectorDialect>();
}

void tessera::registerAllPasses() {
  mlir::registerTransformsPasses();
  registerPipelines();
  host::registerTileToHostPasses();
  sm::registerSMPasses();
  sm::registerSMToNVVMPasses();
  tile::registerTilePasses();
  sm::registerTileToSMPasses();
}
