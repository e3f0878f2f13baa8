//===- Outline.h - The names of a source that is being written --*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Which names a source declares, where they can be used, and what each word of
// it refers to. Read from the tokens alone, so that it is there while a line is
// half written; since no name hides another one, that is enough.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_FRONTEND_OUTLINE_H
#define TESSERA_FRONTEND_OUTLINE_H

#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <string>
#include <vector>

namespace tessera::frontend {

/// A declaration.
struct OutlineName {
  enum class Kind : uint8_t {
    Kernel,
    Fn,
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
  /// Of the name in the source.
  size_t offset;
  /// Where it can be used; of a kernel or fn, all that belongs to it.
  size_t begin, end;
  /// The kernel or fn around it.
  int owner = none;
  /// How it is declared, without values and bodies: `out y: f32[M]`.
  llvm::StringRef text;
  /// Whether there is a default, of a compile-time parameter.
  bool hasValue = false;
  /// How many of this name its owner has before.
  unsigned ordinal = 0;
};

/// What a word of a source is.
struct OutlineToken {
  enum class Kind : uint8_t {
    Other,
    /// Reserved, or with a meaning of its own in this place: `grid`, `out`.
    Keyword,
    Type,
    Number,
    /// A name that `name` says, or an unknown one.
    Name,
    /// A function: built-in if `name` is none.
    Function,
    /// `.start`, and what is named in `axis = 1` or `stages = 2`.
    Member,
    Label
  };

  Kind kind = Kind::Other;
  size_t offset, length;
  /// The declaration that it is or refers to.
  int name = OutlineName::none;

  size_t getEnd() const { return offset + length; }
};

class Outline {
public:
  /// Reads a source, which must outlive the outline.
  explicit Outline(llvm::StringRef source);

  llvm::StringRef getSource() const { return source; }
  const std::vector<OutlineName> &getNames() const { return names; }
  const std::vector<OutlineToken> &getTokens() const { return tokens; }

  /// The token that begins at the offset; null if there is none.
  const OutlineToken *findTokenAt(size_t offset) const;
  /// The token that the offset is in, or the word that ends there; null if
  /// there is none.
  const OutlineToken *findToken(size_t offset) const;
  llvm::StringRef getText(const OutlineToken &token) const {
    return source.substr(token.offset, token.length);
  }
  /// The comment of `///` lines above a kernel or fn, without the slashes.
  std::string getDocumentation(const OutlineName &name) const;
  /// What stays the same of a name while other lines change: its owner, its
  /// name, and the number of those of that name before it there.
  std::string getKey(size_t name) const;

private:
  friend class OutlineReader;

  llvm::StringRef source;
  std::vector<OutlineName> names;
  std::vector<OutlineToken> tokens;
};

} // namespace tessera::frontend

#endif // TESSERA_FRONTEND_OUTLINE_H
