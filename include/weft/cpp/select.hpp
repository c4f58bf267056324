// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Select: wait for several things, take exactly one, call what was said for it.
//
//   weft::select(weft::on_receive(requests, [&](std::optional<request> r) { ... }),
//                weft::on_send(answers, answer, [&](bool sent) { ... }),
//                weft::on_timeout(5ms, [&] { ... }));
#pragma once

#include <array>
#include <cerrno>
#include <cstddef>
#include <optional>
#include <utility>

#include "weft/cpp/channel.hpp"
#include "weft/cpp/error.hpp"
#include "weft/cpp/invoke.hpp"
#include "weft/cpp/lock.hpp"
#include "weft/cpp/sync.hpp"
#include "weft/cpp/task.hpp"
#include "weft/cpp/time.hpp"
#include "weft/select.h"

namespace weft {

namespace detail {

template <class T, class F>
struct receive_clause {
  channel<T>& from;
  F then;
  message<T> value = {};

  weft_case_t to_case() { return weft_case_receive(from.native_handle(), value.place()); }
  void taken(int result) {
    if (result == -EPIPE) {
      detail::invoke(then, std::optional<T>());
    } else {
      must(result, "weft::select: receive");
      detail::invoke(then, std::optional<T>(std::move(value.get())));
    }
  }
};

template <class T, class F>
struct send_clause {
  channel<T>& to;
  message<T> value;
  F then;
  bool sent = false;

  weft_case_t to_case() {
    must(sent ? -EINVAL : 0, "weft::select: a value that was sent before");
    return weft_case_send(to.native_handle(), value.place());
  }
  void taken(int result) {
    if (result != -EPIPE) must(result, "weft::select: send");
    if (result == 0) {
      value.sent();
      sent = true;
    }
    detail::invoke(then, result == 0);
  }
};

// A case whose success has nothing to tell.
template <class F>
struct plain_clause {
  weft_case_t ready;
  F then;

  weft_case_t to_case() const { return ready; }
  void taken(int result) {
    must(result, "weft::select");
    detail::invoke(then);
  }
};

template <class T, class F>
struct join_clause {
  task<T>& of;
  F then;

  // One that has been waited for is ready at once.
  weft_case_t to_case() {
    of.check();
    return of.native_handle() != nullptr ? weft_case_join(of.native_handle(), nullptr)
                                         : weft_case_deadline(0);
  }
  void taken(int result) {
    must(result, "weft::select: join");
    of.ended();
    detail::invoke(then);
  }
};

template <class F>
struct fd_clause {
  int fd;
  int events;
  F then;

  weft_case_t to_case() const { return weft_case_fd(fd, events); }
  void taken(int result) { detail::invoke(then, must(result, "weft::select: fd")); }
};

// Calls the clause of that number.
template <class... Clause, std::size_t... I>
void call_taken(std::size_t index, int result, std::index_sequence<I...>, Clause&... clauses) {
  ((index == I ? clauses.taken(result) : void()), ...);
}

template <class Wait, class... Clause>
std::optional<std::size_t> select_by(Wait wait, Clause&... clauses) {
  std::array<weft_case_t, sizeof...(Clause)> cases{clauses.to_case()...};
  const int taken = wait(cases.data(), cases.size());
  if (taken == -EBUSY || taken == -ETIMEDOUT) return std::nullopt;
  const auto index = static_cast<std::size_t>(must(taken, "weft::select"));
  call_taken(index, cases[index].result, std::index_sequence_for<Clause...>(), clauses...);
  return index;
}

}  // namespace detail

// f(std::optional<T>): a value came, or nothing will any more.
template <class T, class F>
auto on_receive(channel<T>& from, F f) {
  return detail::receive_clause<T, F>{from, std::move(f)};
}
// f(bool): the value was sent, or the channel is closed. A clause that has sent its value sends no
// other.
template <class T, class F>
auto on_send(channel<T>& to, std::type_identity_t<T> value, F f) {
  return detail::send_clause<T, F>{to, detail::message<T>(std::move(value)), std::move(f)};
}
// f(): that long has passed.
template <class Rep, class Period, class F>
auto on_timeout(const std::chrono::duration<Rep, Period>& d, F f) {
  return detail::plain_clause<F>{weft_case_deadline(detail::deadline_after(d)), std::move(f)};
}
template <class Duration, class F>
auto on_deadline(const std::chrono::time_point<std::chrono::steady_clock, Duration>& t, F f) {
  return detail::plain_clause<F>{weft_case_deadline(detail::deadline_at(t)), std::move(f)};
}
// f(): the task has ended, and its join will not wait.
template <class T, class F>
auto on_end(task<T>& of, F f) {
  return detail::join_clause<T, F>{of, std::move(f)};
}
// f(): a unit was taken.
template <std::ptrdiff_t Max, class F>
auto on_acquire(counting_semaphore<Max>& from, F f) {
  return detail::plain_clause<F>{weft_case_semaphore(from.native_handle()), std::move(f)};
}
// f(): the mutex is the caller's.
template <class F>
auto on_lock(detail::mutex_base& m, F f) {
  return detail::plain_clause<F>{weft_case_mutex(m.native_handle()), std::move(f)};
}
// f(int): these events of the descriptor came, as poll(2) names them. In tasks only.
template <class F>
auto on_fd(int fd, int events, F f) {
  return detail::fd_clause<F>{fd, events, std::move(f)};
}

// Waits until one of the clauses is ready, takes it, and calls its function. Gives its number, from
// 0. Each of several ready ones is as likely; the others change nothing.
template <class... Clause>
  requires(sizeof...(Clause) > 0)
std::size_t select(Clause&&... clauses) {
  return *detail::select_by(weft_case_select, clauses...);
}
// The same if one is ready now. Nothing: none is.
template <class... Clause>
  requires(sizeof...(Clause) > 0)
std::optional<std::size_t> try_select(Clause&&... clauses) {
  return detail::select_by(weft_case_try_select, clauses...);
}

}  // namespace weft
