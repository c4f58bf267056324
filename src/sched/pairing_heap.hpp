// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A heap of items that hold its links: the smallest first, without memory of its own.
//
// A pairing heap (Fredman, Sedgewick, Sleator, Tarjan, Algorithmica 1986): a push is one
// comparison, a pop logarithmic in the mean. Whoever calls sees to it that nobody else does.
#pragma once

#include <utility>

namespace weft::rt {

// Links: child(T&), sibling(T&): where they lie; goes_first(const T&, const T&).
template <class T, class Links>
class pairing_heap {
 public:
  bool empty() const noexcept { return root_ == nullptr; }
  void push(T* item) noexcept {
    Links::child(*item) = nullptr;
    Links::sibling(*item) = nullptr;
    root_ = merge(root_, item);
  }
  // The first, or null.
  T* pop() noexcept {
    T* first = root_;
    if (first != nullptr) root_ = merge_all(Links::child(*first));
    return first;
  }

 private:
  static T* merge(T* a, T* b) noexcept {
    if (a == nullptr) return b;
    if (b == nullptr) return a;
    if (Links::goes_first(*b, *a)) std::swap(a, b);
    Links::sibling(*b) = Links::child(*a);
    Links::child(*a) = b;
    return a;
  }
  // In pairs from the left, the pairs from the right.
  static T* merge_all(T* first) noexcept {
    T* pairs = nullptr;
    while (first != nullptr) {
      T* a = first;
      T* b = Links::sibling(*a);
      first = b != nullptr ? Links::sibling(*b) : nullptr;
      T* pair = merge(a, b);
      Links::sibling(*pair) = pairs;
      pairs = pair;
    }
    T* all = nullptr;
    while (pairs != nullptr) {
      T* pair = pairs;
      pairs = Links::sibling(*pair);
      all = merge(all, pair);
    }
    return all;
  }

  T* root_ = nullptr;
};

}  // namespace weft::rt
