//===- Outline.h - The names of an incomplete source ------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// The names that a source declares, their scopes, and the declaration that each
// word refers to. The outline is read from tokens alone, so an incomplete line
// does not invalidate it. Tokens suffice because no name may hide another.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_OUTLINE_H
#define TESSERA_FRONTEND_OUTLINE_H

#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace tessera::frontend {

/// A declaration.
struct OutlineName {
  enum class Kind : uint8_t {
    Kernel,
    Fn,
    /// A fn of another file, whose text is the path.
    UsedFn,
    CompileTimeParameter,
    Size,
    Parameter,
    Axis,
    Let,
    Var,
    Loop
  };
  static constexpr int none = -1;

  Kind kind;
  llvm::StringRef name;
  /// The position of the name in the source.
  size_t offset;
  /// The part of the source that sees the name; of a kernel or fn, its own
  /// text.
  size_t begin, end;
  /// The kernel or fn around it.
  int owner = none;
  /// The declaration without values and bodies: `out y: f32[M]`.
  llvm::StringRef text;
  /// Whether a compile-time parameter has a default.
  bool hasValue = false;
  /// The number of equal names before this one in the owner.
  unsigned ordinal = 0;
};

/// The kind of a word of a source.
struct OutlineToken {
  enum class Kind : uint8_t {
    Other,
    /// A reserved or contextual keyword: `grid`, `out`.
    Keyword,
    Type,
    Number,
    /// A declared name (see `name`) or an unknown one.
    Name,
    /// A function; built-in if `name` is `none`.
    Function,
    /// `.start`.
    Member,
    /// The name in `axis = 1` or `stages = 2`.
    Label
  };

  Kind kind = Kind::Other;
  size_t offset, length;
  /// The declaration of the token.
  int name = OutlineName::none;

  size_t getEnd() const { return offset + length; }
};

/// A call around a position, complete or not.
struct OutlineCall {
  const OutlineToken *callee = nullptr;
  /// The number of arguments before the position, and the name of the argument
  /// there; empty for an argument without a name.
  unsigned argument = 0;
  llvm::StringRef label;
};

class Outline {
public:
  /// Reads a source, which must outlive the outline.
  explicit Outline(llvm::StringRef source);

  llvm::StringRef getSource() const { return source; }
  const std::vector<OutlineName> &getNames() const { return names; }
  const std::vector<OutlineToken> &getTokens() const { return tokens; }

  /// Returns the token that begins at the offset; null if there is none.
  const OutlineToken *findTokenAt(size_t offset) const;
  /// Returns the token around the offset, or the word that ends there; null if
  /// there is none.
  const OutlineToken *findToken(size_t offset) const;
  llvm::StringRef getText(const OutlineToken &token) const {
    return source.substr(token.offset, token.length);
  }
  /// Returns the innermost call whose parentheses are around the offset.
  std::optional<OutlineCall> findCall(size_t offset) const;
  /// Returns the names of the parameters of a kernel or fn, in order.
  llvm::SmallVector<int> getParameters(int owner) const;
  /// Returns the `///` comment above a kernel or fn, without the slashes.
  std::string getDocumentation(const OutlineName &name) const;
  /// Returns a key of a name that is stable while other lines change: the
  /// owner, the name, and the number of equal names before it in the owner.
  std::string getKey(size_t name) const;

private:
  friend class OutlineReader;

  /// Sets the declarations of arguments by name: `by` in `times(v, by = 2)`.
  void resolveLabels();

  llvm::StringRef source;
  std::vector<OutlineName> names;
  std::vector<OutlineToken> tokens;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_OUTLINE_H
