//===- Reason.h - Results that carry a reason -------------------*- C++ -*-===//
//
// Tessera, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Results of checks and matches that say why they fail:
//
//   if (Reason reason = slice.add(op))      // as with llvm::Error
//     return reason;
//   OrReason<RingFetch> fetch = matchFetch(op);
//   if (!fetch)
//     return refuse(op, fetch.getReason().str());
//
// llvm::Expected must be consumed on every path. A planner tries alternatives
// and drops most reasons, so these types can be dropped and copied.
//
//===----------------------------------------------------------------------===//

#ifndef TESSERA_SUPPORT_REASON_H
#define TESSERA_SUPPORT_REASON_H

#include "llvm/ADT/Twine.h"

#include <cassert>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

namespace tessera {

/// The reason why something cannot be done, or none. True if there is one.
class [[nodiscard]] Reason {
public:
  /// Nothing is in the way.
  static Reason none() { return Reason(); }

  template <typename Text, typename = std::enable_if_t<std::is_convertible_v<
                               const Text &, llvm::Twine>>>
  Reason(const Text &text) : text(llvm::Twine(text).str()) {}

  explicit operator bool() const { return text.has_value(); }
  const std::string &str() const {
    assert(text && "no reason");
    return *text;
  }

private:
  Reason() = default;

  std::optional<std::string> text;
};

/// A value, or the reason why there is none. True if there is a value.
template <typename T>
class [[nodiscard]] OrReason {
  static_assert(!std::is_convertible_v<const T &, llvm::Twine>,
                "a text would be taken for a reason");

public:
  OrReason(T value) : result(std::move(value)) {}
  OrReason(Reason reason) : result(std::move(reason)) {
    assert(std::get<Reason>(result) && "a result needs a value or a reason");
  }
  template <typename Text, typename = std::enable_if_t<std::is_convertible_v<
                               const Text &, llvm::Twine>>>
  OrReason(const Text &text) : result(Reason(text)) {}

  explicit operator bool() const { return std::holds_alternative<T>(result); }
  T &operator*() { return std::get<T>(result); }
  const T &operator*() const { return std::get<T>(result); }
  T *operator->() { return &**this; }
  const T *operator->() const { return &**this; }

  /// The reason; none if there is a value.
  Reason getReason() const {
    return *this ? Reason::none() : std::get<Reason>(result);
  }

private:
  std::variant<T, Reason> result;
};

} // namespace tessera

#endif // TESSERA_SUPPORT_REASON_H
