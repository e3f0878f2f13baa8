//===- InterpreterFuzzer.cpp - Any kernel, executed -------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Whatever the bytes: a module that verifies is run, kernel by kernel, on small
// arguments, and ends well or with a diagnostic. Tiles and sizes that would
// only cost time are left out.
//
//===----------------------------------------------------------------------===//

#include "tessera/Array/Generator.h"
#include "tessera/InitAll.h"
#include "tessera/Interpreter/Interpreter.h"

#include "mlir/IR/Diagnostics.h"
#include "mlir/IR/MLIRContext.h"
#include "mlir/Parser/Parser.h"
#include <string>

using namespace tessera;
using namespace tessera::interp;

static bool isSmall(tile::KernelOp kernel) {
  auto isSmallType = [](Type type) {
    auto tensor = dyn_cast<RankedTensorType>(type);
    return !tensor || !tensor.hasStaticShape() ||
           tensor.getNumElements() <= 4096;
  };
  return !kernel
              .walk([&](Operation *op) {
                return llvm::all_of(op->getResultTypes(), isSmallType)
                           ? WalkResult::advance()
                           : WalkResult::interrupt();
              })
              .wasInterrupted();
}

static array::NDArray makeArray(ElementType type, ArrayRef<int64_t> shape,
                                array::Generator &generator) {
  array::NDArray result(type, shape);
  for (int64_t i = 0, e = result.getNumElements(); i < e; ++i)
    if (array::isFloat(type))
      result.setFloat(i, generator.nextNormal());
    else
      result.setInteger(i, generator.nextInteger(-3, 9));
  return result;
}

/// Runs `kernel` with every size equal to `size`, as far as that can be.
static void runKernel(tile::KernelOp kernel, int64_t size, bool &hasErrors) {
  SmallVector<SizeBinding::Known> known(kernel.getNumParams());
  for (auto [parameter, entry] : llvm::zip(kernel.getParams(), known)) {
    auto type = dyn_cast<tile::GlobalType>(parameter.getType());
    if (parameter.getType().isIndex())
      entry.index = size;
    if (!type)
      continue;
    array::Shape shape;
    for (tile::SizeAttr extent : type.getShape()) {
      shape.push_back(
          extent.evaluate([&](StringRef) { return std::optional(size); })
              .value_or(-1));
      if (shape.back() < 0 || shape.back() > 64)
        return;
    }
    llvm::Expected<int64_t> count = array::countElements(shape);
    if (!count)
      return llvm::consumeError(count.takeError());
    if (*count > 10000)
      return;
    entry.shape = shape;
  }
  llvm::Expected<SizeBinding> sizes = SizeBinding::bind(kernel, known);
  if (!sizes)
    return llvm::consumeError(sizes.takeError());

  Launch launch(kernel, *sizes);
  array::Generator generator(1, kernel.getSymName());
  for (auto [i, parameter] : llvm::enumerate(kernel.getParams())) {
    auto type = dyn_cast<tile::GlobalType>(parameter.getType());
    ElementType element =
        *getElementType(type ? type.getElementType() : parameter.getType());
    if (!type)
      launch.addScalar(
          known[i].index ? Tile::getInteger(element, size)
                         : Tile::fromArray(makeArray(element, {}, generator)));
    else if (type.isReadable())
      launch.addTensor(GlobalTensor(
          kernel.getParamName(i),
          makeArray(element, *known[i].shape, generator), type.isWritable()));
    else
      launch.addTensor(GlobalTensor::getPoisoned(kernel.getParamName(i),
                                                 element, *known[i].shape));
  }
  RunOptions options;
  options.stepLimit = 3000;
  options.orderSeed = 1;
  hasErrors = false;
  if (succeeded(interp::run(launch, options)) == hasErrors)
    __builtin_trap();
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  DialectRegistry registry;
  registerAllDialects(registry);
  MLIRContext context(registry, MLIRContext::Threading::DISABLED);
  bool hasErrors = false;
  context.getDiagEngine().registerHandler([&](Diagnostic &diagnostic) {
    hasErrors |= diagnostic.getSeverity() == DiagnosticSeverity::Error;
  });
  // MLIR's lexer reads the byte after the text.
  std::string text(reinterpret_cast<const char *>(data), size);
  OwningOpRef<ModuleOp> module = parseSourceString<ModuleOp>(text, &context);
  if (!module)
    return 0;
  for (auto kernel : module->getOps<tile::KernelOp>())
    if (isSmall(kernel))
      for (int64_t extent : {5, 0})
        runKernel(kernel, extent, hasErrors);
  return 0;
}
