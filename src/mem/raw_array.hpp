// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose size is known once, for tables that are made at a start.
#pragma once

#include <cstddef>
#include <cstring>
#include <type_traits>

#include "mem/raw.hpp"

namespace weft::rt {

template <class T>
class raw_array {
  static_assert(std::is_trivially_copyable_v<T>);

 public:
  constexpr raw_array() noexcept = default;
  raw_array(const raw_array&) = delete;
  raw_array& operator=(const raw_array&) = delete;
  ~raw_array() { clear(); }

  // Drops what was there. Every byte of the new elements is 0. False: no memory, and it is empty.
  [[nodiscard]] bool make(std::size_t count) noexcept {
    clear();
    if (count == 0) return true;
    void* memory = raw_alloc(count * sizeof(T));
    if (memory == nullptr) return false;
    std::memset(memory, 0, count * sizeof(T));
    first_ = static_cast<T*>(memory);
    count_ = count;
    return true;
  }
  void clear() noexcept {
    raw_free(first_, count_ * sizeof(T));
    forget();
  }
  // Leaves the memory to itself: in the child of a fork it may be half made.
  void forget() noexcept {
    first_ = nullptr;
    count_ = 0;
  }
  void take(raw_array& from) noexcept {
    clear();
    first_ = from.first_;
    count_ = from.count_;
    from.forget();
  }

  std::size_t size() const noexcept { return count_; }
  T& operator[](std::size_t i) noexcept { return first_[i]; }
  const T& operator[](std::size_t i) const noexcept { return first_[i]; }
  T* begin() noexcept { return first_; }
  T* end() noexcept { return first_ + count_; }
  const T* begin() const noexcept { return first_; }
  const T* end() const noexcept { return first_ + count_; }

 private:
  T* first_ = nullptr;
  std::size_t count_ = 0;
};

}  // namespace weft::rt
