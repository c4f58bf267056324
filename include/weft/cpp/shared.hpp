// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Objects with several owners. The counts of std::shared_ptr are plain in a process of one thread,
// which is right on one worker, but a race to a sanitizer that takes each task for a thread.
#pragma once

#include <atomic>
#include <type_traits>
#include <utility>

namespace weft::detail {

// What such an object derives from, and its owners hold.
class sharable {
 public:
  sharable() = default;
  sharable(const sharable&) = delete;
  sharable& operator=(const sharable&) = delete;
  virtual ~sharable() = default;

 private:
  template <class T>
  friend class shared;
  std::atomic<unsigned> owners_{1};
};

template <class T>
class shared {
 public:
  shared() noexcept = default;
  shared(const shared& other) noexcept : object_(other.object_) {
    if (object_ != nullptr) count().fetch_add(1, std::memory_order_relaxed);
  }
  shared(shared&& other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  template <class U>
    requires std::is_convertible_v<U*, T*>
  shared(shared<U> other) noexcept : object_(std::exchange(other.object_, nullptr)) {}
  shared& operator=(shared other) noexcept {
    std::swap(object_, other.object_);
    return *this;
  }
  ~shared() {
    if (object_ != nullptr && count().fetch_sub(1, std::memory_order_acq_rel) == 1) delete object_;
  }

  template <class... Args>
  static shared make(Args&&... args) {
    return shared(new T(std::forward<Args>(args)...));
  }

  T* get() const noexcept { return object_; }
  T& operator*() const noexcept { return *object_; }
  T* operator->() const noexcept { return object_; }
  explicit operator bool() const noexcept { return object_ != nullptr; }

 private:
  template <class U>
  friend class shared;
  explicit shared(T* first) noexcept : object_(first) {}
  std::atomic<unsigned>& count() const noexcept {
    sharable& base = *object_;
    return base.owners_;
  }

  T* object_ = nullptr;
};

}  // namespace weft::detail
