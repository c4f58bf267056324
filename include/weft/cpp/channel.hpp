// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Channels of values of one type: sent by copy or move, received one by one or in a range-for.
#pragma once

#include <cerrno>
#include <cstddef>
#include <iterator>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "weft/channel.h"
#include "weft/cpp/error.hpp"
#include "weft/cpp/time.hpp"
#include "weft/runtime.h"

namespace weft {

// What a try, or a wait by time, came to.
enum class channel_status {
  ok,
  closed,      // and, for a receive, nothing is left
  would_wait,  // of a try
  timed_out
};

namespace detail {

inline channel_status channel_result(int result, const char* what) {
  if (result == -EPIPE) return channel_status::closed;
  if (result == -EBUSY) return channel_status::would_wait;
  if (result == -ETIMEDOUT) return channel_status::timed_out;
  must(result, what);
  return channel_status::ok;
}

// How a value lies in the C channel, which copies bytes: as it is, or as a pointer to it.
template <class T>
inline constexpr bool as_bytes = std::is_trivially_copyable_v<T> && sizeof(T) <= 256;

template <class T, bool AsBytes = as_bytes<T>>
struct message {
  alignas(T) std::byte bytes[sizeof(T)];

  message() noexcept = default;
  template <class U>
  explicit message(U&& value) noexcept {
    std::construct_at(&get(), std::forward<U>(value));
  }
  message(const message&) = delete;
  message& operator=(const message&) = delete;

  void* place() noexcept { return bytes; }
  T& get() noexcept { return *reinterpret_cast<T*>(bytes); }
  void sent() noexcept {}
};

template <class T>
struct message<T, false> {
  std::unique_ptr<T> boxed;
  T* raw = nullptr;

  message() noexcept = default;
  template <class U>
  explicit message(U&& value) : boxed(new T(std::forward<U>(value))), raw(boxed.get()) {}

  void* place() noexcept { return &raw; }
  // After a receive, of which there may be several, one after the other.
  T& get() noexcept {
    if (raw != boxed.get()) boxed.reset(raw);
    return *boxed;
  }
  // The channel has it.
  void sent() noexcept { (void)boxed.release(); }
};

}  // namespace detail

template <class T>
class channel {
  static_assert(std::is_same_v<T, std::remove_cvref_t<T>>, "values are sent, not references");

 public:
  using value_type = T;

  // With room for `capacity` values; 0: each send waits for its receive.
  explicit channel(std::size_t capacity = 0) {
    detail::must(weft_channel_create(sizeof(typename stored::type), capacity, &channel_),
                 "weft::channel");
  }
  channel(const channel&) = delete;
  channel& operator=(const channel&) = delete;
  // Nobody may use it any more. What is left in it is destroyed. One at which tasks waited when
  // weft_stop abandoned them is left as it is; once Weft was started anew it cannot be destroyed.
  ~channel() {
    if (weft_worker_count() == 0 && weft_channel_is_waited_for(channel_) != 0) return;
    while (drop_one()) {
    }
    detail::must_not_fail(weft_channel_destroy(channel_), "weft::~channel");
  }

  // False: the channel is closed, and the value is gone.
  bool send(T value) {
    message m(std::move(value));
    if (detail::channel_result(weft_channel_send(channel_, m.place()), "weft::channel::send") !=
        channel_status::ok)
      return false;
    m.sent();
    return true;
  }
  // The value is moved from only if it was sent.
  channel_status try_send(T& value) {
    return send_by(value, "weft::channel::try_send",
                   [this](const void* p) { return weft_channel_try_send(channel_, p); });
  }
  channel_status try_send(T&& value) { return try_send(value); }
  template <class Rep, class Period>
  channel_status send_for(T& value, const std::chrono::duration<Rep, Period>& d) {
    return send_until(value, detail::time_after(d));
  }
  template <class Clock, class Duration>
  channel_status send_until(T& value, const std::chrono::time_point<Clock, Duration>& t) {
    return send_by(value, "weft::channel::send_until", [this, &t](const void* p) {
      return detail::wait_until(
          t, [this, p](int64_t at) { return weft_channel_send_until(channel_, p, at); });
    });
  }

  // Nothing: the channel is closed, and all that was sent before has been received.
  std::optional<T> receive() {
    message m;
    if (detail::channel_result(weft_channel_receive(channel_, m.place()),
                               "weft::channel::receive") != channel_status::ok)
      return std::nullopt;
    return std::move(m.get());
  }
  channel_status try_receive(T& into) {
    return receive_by(into, "weft::channel::try_receive",
                      [this](void* p) { return weft_channel_try_receive(channel_, p); });
  }
  template <class Rep, class Period>
  channel_status receive_for(T& into, const std::chrono::duration<Rep, Period>& d) {
    return receive_until(into, detail::time_after(d));
  }
  template <class Clock, class Duration>
  channel_status receive_until(T& into, const std::chrono::time_point<Clock, Duration>& t) {
    return receive_by(into, "weft::channel::receive_until", [this, &t](void* p) {
      return detail::wait_until(
          t, [this, p](int64_t at) { return weft_channel_receive_until(channel_, p, at); });
    });
  }

  // No more sends; receivers get what is left. False: it was closed before.
  bool close() noexcept { return weft_channel_close(channel_) == 0; }

  [[nodiscard]] std::size_t size() const noexcept { return weft_channel_length(channel_); }
  [[nodiscard]] std::size_t capacity() const noexcept { return weft_channel_capacity(channel_); }
  weft_channel_t native_handle() const noexcept { return channel_; }

  // for (T& value : channel): receives until the channel is closed and empty.
  class iterator {
   public:
    using value_type = T;
    using difference_type = std::ptrdiff_t;

    explicit iterator(channel& of) : of_(&of), value_(of.receive()) {}
    T& operator*() const noexcept { return *value_; }
    iterator& operator++() {
      value_.reset();  // before the wait; and not assigned: a T need not allow that
      std::optional<T> next = of_->receive();
      if (next.has_value()) value_.emplace(std::move(*next));
      return *this;
    }
    void operator++(int) { ++*this; }
    friend bool operator==(const iterator& i, std::default_sentinel_t) noexcept {
      return !i.value_.has_value();
    }

   private:
    channel* of_;
    mutable std::optional<T> value_;
  };
  iterator begin() { return iterator(*this); }
  std::default_sentinel_t end() const noexcept { return {}; }

 private:
  using message = detail::message<T>;
  struct stored {
    using type = std::conditional_t<detail::as_bytes<T>, T, T*>;
  };

  bool drop_one() noexcept {
    message left;
    if (weft_channel_try_receive(channel_, left.place()) != 0) return false;
    (void)left.get();  // which takes it over
    return true;
  }

  template <class Send>
  channel_status send_by(T& value, const char* what, Send send) {
    message m(std::move(value));
    const int result = send(m.place());
    if (result == 0) {
      m.sent();
    } else {
      value = std::move(m.get());
    }
    return detail::channel_result(result, what);
  }
  template <class Receive>
  channel_status receive_by(T& into, const char* what, Receive receive) {
    message m;
    const channel_status status = detail::channel_result(receive(m.place()), what);
    if (status == channel_status::ok) into = std::move(m.get());
    return status;
  }

  weft_channel_t channel_ = nullptr;
};

}  // namespace weft
