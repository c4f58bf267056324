// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose place is given, so that all programs of a kernel have it alike.
//
// It lies on huge pages, where the system gives them: of an array of small pages the caches hold as
// much as the places of its pages in memory allow, which the system chooses at random. Processes
// of one program that works on 14 MiB took 19 to 33 ms.
//
// Its place in its first page is given too. A processor tells loads from stores before them by the
// lowest twelve bits of their addresses at first. Where two arrays begin at nearly the same place
// of a page, many loads of the one wait for stores to the other, which costs a kernel that reads
// one and writes the other up to a half; and where malloc lays two arrays depends on what the
// runtime has allocated before.
#pragma once

#include <cstddef>
#include <memory>
#include <new>
#include <span>
#include <sys/mman.h>
#include <type_traits>

namespace weft::bench {

template <class T>
class placed_array {
 public:
  // number: of the array in its kernel, 0 to 6. Each begins on a cache line.
  placed_array(std::size_t size, std::size_t number, T value) : placed_array(size, number) {
    std::uninitialized_fill_n(first_, size, value);
  }
  // A copy of these.
  placed_array(std::span<const T> of, std::size_t number) : placed_array(of.size(), number) {
    std::uninitialized_copy(of.begin(), of.end(), first_);
  }

  T* data() noexcept { return first_; }
  T* begin() noexcept { return first_; }
  T* end() noexcept { return first_ + size_; }
  const T* begin() const noexcept { return first_; }
  const T* end() const noexcept { return first_ + size_; }
  T& operator[](std::size_t i) noexcept { return first_[i]; }
  const T& operator[](std::size_t i) const noexcept { return first_[i]; }
  std::size_t size() const noexcept { return size_; }

 private:
  static_assert(std::is_trivially_copyable_v<T> && std::is_trivially_destructible_v<T>);
  static constexpr std::size_t huge_page = std::size_t{2} << 20;
  static constexpr std::size_t apart = 4096 / 8 + 64;

  placed_array(std::size_t size, std::size_t number)
      : size_(size),
        memory_(on_huge_pages(number * apart + size * sizeof(T))),
        first_(reinterpret_cast<T*>(memory_.get() + number * apart)) {}

  // Whole ones. That the system has none left or gives none is no error.
  static std::byte* on_huge_pages(std::size_t bytes) {
    const std::size_t whole = (bytes + huge_page - 1) / huge_page * huge_page;
    void* const memory = ::operator new(whole, std::align_val_t{huge_page});
    madvise(memory, whole, MADV_HUGEPAGE);
    return static_cast<std::byte*>(memory);
  }

  struct gives_back {
    void operator()(std::byte* memory) const noexcept {
      ::operator delete(memory, std::align_val_t{huge_page});
    }
  };

  std::size_t size_;
  std::unique_ptr<std::byte, gives_back> memory_;
  T* first_;
};

}  // namespace weft::bench
