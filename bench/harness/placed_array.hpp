// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose place in its first page is given, so that all programs of a kernel have it alike.
//
// A processor tells loads from stores before them by the lowest twelve bits of their addresses at
// first. Where two arrays begin at nearly the same place of a page, many loads of the one wait for
// stores to the other, which costs a kernel that reads one and writes the other up to a half; and
// where malloc lays two arrays depends on what the runtime has allocated before.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <type_traits>

namespace weft::bench {

template <class T>
class placed_array {
 public:
  // number: of the array in its kernel, 0 to 6. Each begins on a cache line.
  placed_array(std::size_t size, std::size_t number, T value)
      : size_(size),
        memory_(static_cast<std::byte*>(
            ::operator new(number * apart + size * sizeof(T), std::align_val_t{page}))),
        first_(reinterpret_cast<T*>(memory_.get() + number * apart)) {
    std::uninitialized_fill_n(first_, size, value);
  }

  T* data() noexcept { return first_; }
  T* begin() noexcept { return first_; }
  T* end() noexcept { return first_ + size_; }
  const T* begin() const noexcept { return first_; }
  const T* end() const noexcept { return first_ + size_; }
  std::size_t size() const noexcept { return size_; }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr std::size_t page = 4096;
  static constexpr std::size_t apart = page / 8 + 64;

  struct gives_back {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete(memory, std::align_val_t{page});
    }
  };

  std::size_t size_;
  std::unique_ptr<std::byte, gives_back> memory_;
  T* first_;
};

}  // namespace weft::bench
