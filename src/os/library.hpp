// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A shared library that is loaded when it is needed, if it is there.
#pragma once

namespace weft::rt::os {

// Its symbols stay hidden from the program. It is never unloaded: it may have threads of its own.
class library {
 public:
  explicit library(const char* name) noexcept;
  [[nodiscard]] bool loaded() const noexcept { return handle_ != nullptr; }

  // False: it has no such symbol.
  template <class Function>
  [[nodiscard]] bool find(const char* name, Function*& out) const noexcept {
    out = reinterpret_cast<Function*>(address(name));
    return out != nullptr;
  }

 private:
  [[nodiscard]] void* address(const char* name) const noexcept;

  void* handle_;
};

}  // namespace weft::rt::os
