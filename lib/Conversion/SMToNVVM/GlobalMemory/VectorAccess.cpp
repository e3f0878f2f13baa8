//===- VectorAccess.cpp - Accesses of one to 16 bytes -----------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Emits predicated accesses as inline PTX. Elements are packed into words of 16
// or 32 bits, and the text lists one register per word. Invariant: if its
// predicate is false, a load returns the given values, since the output
// registers are tied to them.
//
//===----------------------------------------------------------------------===//

#include "VectorAccess.h"
#include "Kernel/LoweringContext.h"
#include "Kernel/RegisterTypeConverter.h"

using namespace tessera;
using namespace tessera::sm;

//===----------------------------------------------------------------------===//
// Elements and words
//===----------------------------------------------------------------------===//

/// Returns the type of an element in memory. A truth value is a byte, 0 or 1.
static Type getMemoryType(Type storage) {
  if (storage.isInteger(1))
    return IntegerType::get(storage.getContext(), 8);
  return storage;
}

static int64_t getBytes(Type storage) {
  return getMemoryType(storage).getIntOrFloatBitWidth() / 8;
}

SmallVector<Value> sm::packWords(OpBuilder &builder, Location loc,
                                 ValueRange elements) {
  Type storage = elements.front().getType();
  Type memory = getMemoryType(storage);
  int64_t count = elements.size();
  int64_t bytes = count * getBytes(storage);
  SmallVector<Value> values;
  for (Value element : elements)
    values.push_back(storage == memory ? element
                                       : Value(LLVM::ZExtOp::create(
                                             builder, loc, memory, element)));
  if (bytes == 1)
    return {LLVM::ZExtOp::create(builder, loc, builder.getI16Type(),
                                 values.front())};
  Value whole = values.front();
  if (count > 1) {
    whole =
        LLVM::PoisonOp::create(builder, loc, VectorType::get(count, memory));
    for (auto [i, value] : llvm::enumerate(values))
      whole = LLVM::InsertElementOp::create(builder, loc, whole, value,
                                            emitI32(builder, loc, i));
  }
  auto castTo = [&](Type type) -> Value {
    if (whole.getType() == type)
      return whole;
    return LLVM::BitcastOp::create(builder, loc, type, whole);
  };
  if (bytes == 2)
    return {castTo(builder.getI16Type())};
  if (bytes == 4)
    return {castTo(builder.getI32Type())};
  Value vector = castTo(VectorType::get(bytes / 4, builder.getI32Type()));
  SmallVector<Value> words;
  for (int64_t i = 0; i < bytes / 4; ++i)
    words.push_back(LLVM::ExtractElementOp::create(builder, loc, vector,
                                                   emitI32(builder, loc, i)));
  return words;
}

SmallVector<Value> sm::unpackWords(OpBuilder &builder, Location loc,
                                   Type element, int64_t count,
                                   ValueRange words) {
  Type storage = getStorageType(element);
  Type memory = getMemoryType(storage);
  int64_t bytes = count * getBytes(storage);
  Value whole = words.front();
  if (words.size() > 1) {
    whole = LLVM::PoisonOp::create(
        builder, loc, VectorType::get(words.size(), builder.getI32Type()));
    for (auto [i, word] : llvm::enumerate(words))
      whole = LLVM::InsertElementOp::create(builder, loc, whole, word,
                                            emitI32(builder, loc, i));
  }
  SmallVector<Value> values;
  if (bytes == 1) {
    values.push_back(LLVM::TruncOp::create(builder, loc, memory, whole));
  } else if (count == 1) {
    values.push_back(
        whole.getType() == memory
            ? whole
            : Value(LLVM::BitcastOp::create(builder, loc, memory, whole)));
  } else {
    Value vector = LLVM::BitcastOp::create(
        builder, loc, VectorType::get(count, memory), whole);
    for (int64_t i = 0; i < count; ++i)
      values.push_back(LLVM::ExtractElementOp::create(
          builder, loc, vector, emitI32(builder, loc, i)));
  }
  if (storage != memory)
    for (Value &value : values)
      value = LLVM::TruncOp::create(builder, loc, storage, value);
  return values;
}

//===----------------------------------------------------------------------===//
// Assembly
//===----------------------------------------------------------------------===//

namespace {
/// Parts of the text of an access.
struct WordFormat {
  /// Suffix of the type: ".v4.b32", ".b16", ".u8".
  StringRef suffix;
  /// The constraint of one word.
  char constraint;
};
} // namespace

static WordFormat getFormat(int64_t bytes) {
  switch (bytes) {
  case 1:
    return {".u8", 'h'};
  case 2:
    return {".b16", 'h'};
  case 4:
    return {".b32", 'r'};
  case 8:
    return {".v2.b32", 'r'};
  default:
    return {".v4.b32", 'r'};
  }
}

/// Returns "{$0, $1}", or "$0" for one operand.
static std::string listOperands(unsigned first, unsigned count) {
  std::string text;
  for (unsigned i = 0; i < count; ++i)
    text += (i ? ", $" : "$") + std::to_string(first + i);
  return count == 1 ? text : "{" + text + "}";
}

static LLVM::InlineAsmOp emitAsm(OpBuilder &builder, Location loc,
                                 TypeRange results, StringRef text,
                                 StringRef constraints, ValueRange operands,
                                 bool hasSideEffects) {
  return LLVM::InlineAsmOp::create(
      builder, loc, results, operands, text, constraints, hasSideEffects,
      /*is_align_stack=*/false, LLVM::TailCallKind::None,
      LLVM::AsmDialectAttr::get(builder.getContext(), LLVM::AsmDialect::AD_ATT),
      /*operand_attrs=*/ArrayAttr());
}

namespace {
/// Destination of an access: a 64-bit pointer or a 32-bit address, and a
/// constant.
struct Place {
  Value address;
  int64_t offset = 0;

  char getConstraint() const {
    return address.getType().isInteger(32) ? 'r' : 'l';
  }
  /// Returns "[$2+16]".
  std::string str(unsigned operand) const {
    std::string text = "[$" + std::to_string(operand);
    if (offset != 0)
      text += "+" + std::to_string(offset);
    return text + "]";
  }
};
} // namespace

/// Emits an instruction without results. Its operands are words from $0 on,
/// then the address, then the predicate if there is one.
static void emitEffect(OpBuilder &builder, Location loc,
                       const Twine &instruction, char constraint,
                       ValueRange words, Place place, Value predicate) {
  unsigned count = words.size();
  SmallVector<Value> operands = llvm::to_vector(words);
  operands.push_back(place.address);
  std::string constraints;
  for (unsigned i = 0; i < count; ++i)
    constraints += std::string(1, constraint) + ",";
  constraints += place.getConstraint();
  std::string text;
  if (predicate) {
    operands.push_back(predicate);
    constraints += ",b";
    text = "@$" + std::to_string(count + 1) + " ";
  }
  text += (instruction + " " + place.str(count) + ", " +
           listOperands(0, count) + ";")
              .str();
  constraints += ",~{memory}";
  emitAsm(builder, loc, {}, text, constraints, operands,
          /*hasSideEffects=*/true);
}

/// Emits a load of as many words as `otherwise` has. Words that are not loaded
/// keep the value of `otherwise`.
static SmallVector<Value> emitLoad(OpBuilder &builder, Location loc,
                                   const Twine &instruction, char constraint,
                                   ValueRange otherwise, Place place,
                                   Value predicate, bool invariant) {
  unsigned words = otherwise.size();
  Type word = otherwise.front().getType();
  std::string constraints;
  for (unsigned i = 0; i < words; ++i)
    constraints += std::string(i ? ",=" : "=") + constraint;
  constraints += std::string(",") + place.getConstraint();
  std::string text;
  SmallVector<Value> operands = {place.address};
  if (predicate) {
    text = "@$" + std::to_string(words + 1) + " ";
    constraints += ",b";
    operands.push_back(predicate);
    for (unsigned i = 0; i < words; ++i)
      constraints += "," + std::to_string(i);
    operands.append(otherwise.begin(), otherwise.end());
  }
  text += (instruction + " " + listOperands(0, words) + ", " +
           place.str(words) + ";")
              .str();
  if (!invariant)
    constraints += ",~{memory}";
  Type result =
      words == 1 ? word
                 : Type(LLVM::LLVMStructType::getLiteral(
                       builder.getContext(), SmallVector<Type>(words, word)));
  Value loaded = emitAsm(builder, loc, result, text, constraints, operands,
                         /*hasSideEffects=*/!invariant)
                     .getResult(0);
  if (words == 1)
    return {loaded};
  SmallVector<Value> outputs;
  for (unsigned i = 0; i < words; ++i)
    outputs.push_back(
        LLVM::ExtractValueOp::create(builder, loc, loaded, int64_t(i)));
  return outputs;
}

bool sm::canLoadAsConstant(Operation *op, tile::GlobalType global) {
  return global.getAccess() == tile::Access::In &&
         op->getParentOfType<LoopLikeOpInterface>();
}

SmallVector<Value> sm::emitGlobalLoad(OpBuilder &builder, Location loc,
                                      Type element, Value pointer,
                                      int64_t count, Value predicate,
                                      Value fill, bool invariant) {
  SmallVector<Value> otherwise =
      packWords(builder, loc, SmallVector<Value>(count, fill));
  WordFormat format = getFormat(count * getBytes(fill.getType()));
  SmallVector<Value> words =
      emitLoad(builder, loc,
               Twine("ld.global") + (invariant ? ".nc" : "") + format.suffix,
               format.constraint, otherwise, {pointer}, predicate, invariant);
  return unpackWords(builder, loc, element, count, words);
}

void sm::emitGlobalStore(OpBuilder &builder, Location loc, Value pointer,
                         ValueRange elements, Value predicate) {
  WordFormat format =
      getFormat(elements.size() * getBytes(elements.front().getType()));
  emitEffect(builder, loc, "st.global" + format.suffix, format.constraint,
             packWords(builder, loc, elements), {pointer}, predicate);
}

SmallVector<Value> sm::emitSharedLoad(OpBuilder &builder, Location loc,
                                      Type element, Value address,
                                      int64_t offset, ValueRange otherwise,
                                      Value predicate) {
  int64_t count = otherwise.size();
  WordFormat format = getFormat(count * getBytes(otherwise.front().getType()));
  SmallVector<Value> words =
      emitLoad(builder, loc, "ld.shared" + format.suffix, format.constraint,
               packWords(builder, loc, otherwise), {address, offset}, predicate,
               /*invariant=*/false);
  return unpackWords(builder, loc, element, count, words);
}

void sm::emitSharedStore(OpBuilder &builder, Location loc, Value address,
                         int64_t offset, ValueRange elements, Value predicate) {
  WordFormat format =
      getFormat(elements.size() * getBytes(elements.front().getType()));
  emitEffect(builder, loc, "st.shared" + format.suffix, format.constraint,
             packWords(builder, loc, elements), {address, offset}, predicate);
}

//===----------------------------------------------------------------------===//
// Atomic operations
//===----------------------------------------------------------------------===//

namespace {
/// An atomic operation on one element, in a register of the instruction.
struct AtomicWord {
  /// The end of the instruction: ".max.s32".
  std::string suffix;
  char constraint;
  Type type;
};
} // namespace

static AtomicWord getAtomicWord(OpBuilder &builder, tile::AtomicKind kind,
                                Type element) {
  using tile::AtomicKind;
  bool isLong = element.getIntOrFloatBitWidth() == 64;
  std::string bits = isLong ? "64" : "32";
  auto makeInteger = [&](StringRef name) {
    return AtomicWord{"." + (name + bits).str(), isLong ? 'l' : 'r',
                      builder.getIntegerType(isLong ? 64 : 32)};
  };
  switch (kind) {
  case AtomicKind::Add:
    if (element.isF64())
      return {".add.f64", 'd', element};
    if (element.isF32())
      return {".add.f32", 'f', element};
    if (element.isF16() || element.isBF16())
      return {element.isF16() ? ".add.noftz.f16" : ".add.noftz.bf16", 'h',
              builder.getI16Type()};
    return makeInteger("add.u");
  case AtomicKind::Max:
    return makeInteger("max.s");
  case AtomicKind::Min:
    return makeInteger("min.s");
  case AtomicKind::UMax:
    return makeInteger("max.u");
  case AtomicKind::UMin:
    return makeInteger("min.u");
  case AtomicKind::And:
    return makeInteger("and.b");
  case AtomicKind::Or:
    return makeInteger("or.b");
  case AtomicKind::Xor:
    return makeInteger("xor.b");
  case AtomicKind::Exchange:
    return makeInteger("exch.b");
  case AtomicKind::Cas:
    return makeInteger("cas.b");
  }
  llvm_unreachable("unknown atomic operation");
}

/// Returns the name of an instruction on global memory:
/// "red.relaxed.gpu.global".
static std::string getGlobalName(StringRef root, tile::AtomicOrder order) {
  return (root + "." + tile::stringifyAtomicOrder(order) + ".gpu.global").str();
}

void sm::emitGlobalAdd(OpBuilder &builder, Location loc,
                       tile::AtomicOrder order, Type element, Value pointer,
                       ValueRange elements, Value predicate) {
  std::string name = getGlobalName("red", order);
  unsigned count = elements.size();
  std::string vector = count > 1 ? ".v" + std::to_string(count) : "";
  if (element.isF32()) {
    emitEffect(builder, loc, name + ".add" + vector + ".f32", 'f', elements,
               {pointer}, predicate);
    return;
  }
  if (element.isInteger() || element.isF64()) {
    AtomicWord word = getAtomicWord(builder, tile::AtomicKind::Add, element);
    for (auto [i, value] : llvm::enumerate(elements)) {
      Value address = pointer;
      if (i != 0)
        address =
            LLVM::GEPOp::create(builder, loc, pointer.getType(), element,
                                pointer, ArrayRef<LLVM::GEPArg>{int32_t(i)});
      emitEffect(builder, loc, name + word.suffix, word.constraint, value,
                 {address}, predicate);
    }
    return;
  }
  // 16-bit floats are added in pairs if there is more than one.
  std::string type = element.isF16() ? ".f16" : ".bf16";
  SmallVector<Value> words = packWords(builder, loc, elements);
  if (count > 1) {
    type += "x2";
    vector = words.size() > 1 ? ".v" + std::to_string(words.size()) : "";
  }
  emitEffect(builder, loc, name + ".add.noftz" + vector + type,
             count > 1 ? 'r' : 'h', words, {pointer}, predicate);
}

static Value castWord(OpBuilder &builder, Location loc, Value value,
                      Type type) {
  return value.getType() == type
             ? value
             : Value(LLVM::BitcastOp::create(builder, loc, type, value));
}

void sm::emitGlobalReplace(OpBuilder &builder, Location loc, AtomicForm form,
                           Type element, Value pointer, Value value,
                           Value expected, Value predicate) {
  // These two have no form without a result.
  if (form.kind == tile::AtomicKind::Exchange ||
      form.kind == tile::AtomicKind::Cas) {
    emitGlobalFetch(builder, loc, form, element, pointer, value, expected,
                    predicate);
    return;
  }
  AtomicWord word = getAtomicWord(builder, form.kind, element);
  emitEffect(builder, loc, getGlobalName("red", form.order) + word.suffix,
             word.constraint, castWord(builder, loc, value, word.type),
             {pointer}, predicate);
}

void sm::emitSharedReplace(OpBuilder &builder, Location loc,
                           tile::AtomicKind kind, Type element, Value address,
                           Value value, Value predicate) {
  AtomicWord word = getAtomicWord(builder, kind, element);
  emitEffect(builder, loc, "red.relaxed.cta.shared" + word.suffix,
             word.constraint, value, {address}, predicate);
}

Value sm::emitGlobalFetch(OpBuilder &builder, Location loc, AtomicForm form,
                          Type element, Value pointer, Value value,
                          Value expected, Value predicate) {
  AtomicWord word = getAtomicWord(builder, form.kind, element);
  SmallVector<Value> operands = {pointer};
  std::string constraints = std::string("=") + word.constraint + ",l";
  std::string text =
      getGlobalName("atom", form.order) + word.suffix + " $0, [$1]";
  auto addWord = [&](Value operand) {
    text += ", $" + std::to_string(operands.size() + 1);
    constraints += std::string(",") + word.constraint;
    operands.push_back(castWord(builder, loc, operand, word.type));
  };
  if (expected)
    addWord(expected);
  addWord(value);
  text += ";";
  if (predicate) {
    text = "@$" + std::to_string(operands.size() + 1) + " " + text;
    constraints += ",b,0";
    operands.push_back(predicate);
    operands.push_back(LLVM::ZeroOp::create(builder, loc, word.type));
  }
  Value old = emitAsm(builder, loc, word.type, text, constraints + ",~{memory}",
                      operands,
                      /*hasSideEffects=*/true)
                  .getResult(0);
  return castWord(builder, loc, old, value.getType());
}
