// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Futures: values that come later; to wait for, or to go on with by then, when_all and when_any.
#pragma once

#include <array>
#include <atomic>
#include <cerrno>
#include <cstddef>
#include <exception>
#include <memory>
#include <optional>
#include <tuple>
#include <type_traits>
#include <utility>
#include <vector>

#include "weft/cpp/error.hpp"
#include "weft/cpp/invoke.hpp"
#include "weft/cpp/outcome.hpp"
#include "weft/cpp/select.hpp"
#include "weft/cpp/shared.hpp"
#include "weft/cpp/task.hpp"
#include "weft/cpp/time.hpp"
#include "weft/runtime.h"
#include "weft/sync.h"

namespace weft {

template <class T>
class future;
template <class T>
class shared_future;
template <class T>
class promise;

namespace detail {

// What is to be done when a future is set, by who sets it: something short that does not park.
struct continuation {
  continuation() = default;
  continuation(const continuation&) = delete;
  continuation& operator=(const continuation&) = delete;
  virtual ~continuation() = default;
  virtual void run() noexcept = 0;
  continuation* next = nullptr;
};

template <class F>
struct continuation_of final : continuation {
  explicit continuation_of(F f) : call(std::move(f)) {}
  void run() noexcept override { call(); }
  F call;
};

// Without the value: what waits for it.
class future_base : public sharable {
 public:
  weft_future_t* native() noexcept { return &set_; }
  bool ready() const noexcept { return weft_future_is_set(&set_) == 1; }
  void wait() { must(weft_future_get(&set_, nullptr), "weft::future::wait"); }

  // False: somebody was faster.
  bool claim() noexcept { return !claimed_.exchange(true, std::memory_order_acq_rel); }
  // After the value has been written.
  void publish() noexcept {
    weft_future_set(&set_, nullptr);
    continuation* all = waiting_.exchange(closed(), std::memory_order_acq_rel);
    continuation* in_order = nullptr;
    while (all != nullptr) in_order = std::exchange(all, std::exchange(all->next, in_order));
    while (in_order != nullptr) {
      const std::unique_ptr<continuation> each(std::exchange(in_order, in_order->next));
      each->run();
    }
  }
  // Runs it at once if the value is there.
  template <class F>
  void when_set(F f) {
    std::unique_ptr<continuation> c = std::make_unique<continuation_of<F>>(std::move(f));
    continuation* seen = waiting_.load(std::memory_order_acquire);
    do {
      if (seen == closed()) {
        c->run();
        return;
      }
      c->next = seen;
    } while (!waiting_.compare_exchange_weak(seen, c.get(), std::memory_order_acq_rel,
                                             std::memory_order_acquire));
    (void)c.release();  // publish() has it
  }

 private:
  // No continuation's address, and the same in every module of the program: the state's own.
  continuation* closed() noexcept { return reinterpret_cast<continuation*>(this); }

  weft_future_t set_ = WEFT_FUTURE_INIT;
  std::atomic<bool> claimed_{false};
  std::atomic<continuation*> waiting_{nullptr};
};

template <class T>
struct future_state : future_base {
  outcome<T> result;
};

template <class T>
struct after {
  template <class F>
  using value = result_of_call_t<F, T>;
  template <class F>
  static constexpr bool takes = std::is_invocable_v<F, T>;
};
template <>
struct after<void> {
  template <class F>
  using value = result_of_call_t<F>;
  template <class F>
  static constexpr bool takes = std::is_invocable_v<F>;
};

struct future_access;

}  // namespace detail

// The side that sets. One that ends without having set anything sets an error (EPIPE).
template <class T>
class promise {
 public:
  promise() : state_(detail::shared<detail::future_state<T>>::make()) {}
  promise(promise&&) noexcept = default;
  promise& operator=(promise&& other) noexcept {
    promise fresh(std::move(other));  // who ends is the old one, and not where other is *this
    std::swap(state_, fresh.state_);
    std::swap(given_, fresh.given_);
    return *this;
  }
  ~promise() {
    if (!state_ || !state_->claim()) return;
    state_->result.set_error(detail::failure(-EPIPE, "weft::promise: gone without a value"));
    state_->publish();
  }

  // Once.
  future<T> get_future();

  // Throws if it has been set.
  template <class... Args>
  void set_value(Args&&... args) {
    if constexpr (std::is_reference_v<T>) {
      set([&] { state_->result.set_value(std::addressof(args)...); });
    } else {
      set([&] { state_->result.set_value(std::forward<Args>(args)...); });
    }
  }
  void set_exception(std::exception_ptr error) {
    set([&] { state_->result.set_error(std::move(error)); });
  }
  // Sets what comes of f(args...).
  template <class F, class... Args>
  void set_from(F&& f, Args&&... args) {
    set([&] { state_->result.run(std::forward<F>(f), std::forward<Args>(args)...); });
  }

 private:
  template <class Write>
  void set(Write write) {
    if (!state_) detail::fail(-EINVAL, "weft::promise: moved away before");
    if (!state_->claim()) detail::fail(-EALREADY, "weft::promise: it has a value already");
    try {
      write();
    } catch (...) {  // of a copy
      state_->result.set_error(std::current_exception());
    }
    const auto kept = state_;  // who gets the value may end this promise
    kept->publish();
  }

  detail::shared<detail::future_state<T>> state_;
  bool given_ = false;
};

namespace detail {

// What both sides that get have: the state, and waits for it.
template <class T>
class future_side {
 public:
  [[nodiscard]] bool valid() const noexcept { return static_cast<bool>(state_); }
  [[nodiscard]] bool ready() const { return state().ready(); }
  void wait() const { state().wait(); }
  template <class Rep, class Period>
  bool wait_for(const std::chrono::duration<Rep, Period>& d) const {
    return wait_until(detail::time_after(d));
  }
  template <class Clock, class Duration>
  bool wait_until(const std::chrono::time_point<Clock, Duration>& t) const {
    weft_future_t* const set = state().native();
    return detail::in_time(
        detail::wait_until(t,
                           [set](int64_t at) { return weft_future_get_until(set, nullptr, at); }),
        "weft::future::wait_until");
  }

 protected:
  future_side() noexcept = default;
  explicit future_side(shared<future_state<T>> s) noexcept : state_(std::move(s)) {}
  future_state<T>& state() const {
    must(state_ ? 0 : -EINVAL, "weft::future: its value was taken or moved away before");
    return *state_;
  }

  shared<future_state<T>> state_;

 private:
  friend struct future_access;
};

}  // namespace detail

// The side that gets.
template <class T>
class [[nodiscard]] future : public detail::future_side<T> {
  using side = detail::future_side<T>;
  using side::state_;

 public:
  future() noexcept = default;
  future(future&&) noexcept = default;
  future& operator=(future&&) noexcept = default;
  ~future() = default;

  // Waits; the value, or the exception. Once.
  T get() {
    this->wait();
    const auto s = std::move(state_);
    return s->result.take();
  }
  // The same for several, who look at one value. This future is used up.
  shared_future<T> share() noexcept { return shared_future<T>(std::move(*this)); }

  // Calls f(value) in a task of its own when the value is there; gives the future of what that
  // returns. An exception goes past f into it. This future is used up. A value that is set while
  // Weft does not run, as after weft_stop, starts it, as any spawn does; an exception does not.
  template <class F>
  auto then(F f) -> future<typename detail::after<T>::template value<F>> {
    static_assert(detail::after<T>::template takes<F>,
                  "weft::future::then: it cannot be called with the value");
    using next = typename detail::after<T>::template value<F>;
    promise<next> out;
    future<next> result = out.get_future();
    detail::future_state<T>& s = side::state();  // throws if there is none
    // There is one callable, however often what holds it is moved: so it can end inside, before the
    // future is set.
    s.when_set([out = std::move(out), own = std::move(state_),
                f = std::make_unique<F>(std::move(f))]() mutable {
      // The end of a promise starts nothing.
      if (own->result.failed() && weft_worker_count() == 0) {
        f.reset();
        out.set_exception(own->result.error());
        return;
      }
      // The promise goes with the task; if that cannot be had it says so by its end.
      try {
        weft::spawn_detached(
            [out = std::move(out), own = std::move(own), f = std::move(f)]() mutable {
              out.set_from([&]() -> next {
                const std::unique_ptr<F> call = std::move(f);
                const auto from = std::move(own);  // with what is left of a value that was copied
                if constexpr (std::is_void_v<T>) {
                  from->result.take();
                  return detail::invoke(std::move(*call));
                } else {
                  return detail::invoke(std::move(*call), from->result.take());
                }
              });
            });
      } catch (...) {
      }
    });
    return result;
  }

 private:
  friend class promise<T>;
  friend class shared_future<T>;
  explicit future(detail::shared<detail::future_state<T>> s) noexcept : side(std::move(s)) {}
};

// One of several that get. Each flow uses a copy of its own.
template <class T>
class shared_future : public detail::future_side<T> {
  using side = detail::future_side<T>;

 public:
  shared_future() noexcept = default;
  shared_future(future<T>&& f) noexcept : side(std::move(f.state_)) {}

  // Waits; the value, which is that of all copies, or the exception.
  decltype(auto) get() const {
    this->wait();
    return side::state().result.look();
  }
};

template <class T>
future<T> promise<T>::get_future() {
  if (!state_) detail::fail(-EINVAL, "weft::promise::get_future: moved away before");
  if (given_) detail::fail(-EALREADY, "weft::promise::get_future: it was given before");
  given_ = true;
  return future<T>(state_);
}

namespace detail {

struct future_access {
  template <class T>
  static shared<future_base> state(const future_side<T>& f) {
    f.state();
    return f.state_;
  }
  template <class T>
  static future_state<T>* whole_state(const future_side<T>& f) {
    return &f.state();
  }
};

}  // namespace detail

// Calls f(args...) in a task of its own; gives the future of what it returns. All are copied or
// moved.
template <class F, class... Args,
          class T = detail::result_of_call_t<std::decay_t<F>, std::decay_t<Args>...>>
future<T> async(F&& f, Args&&... args) {
  static_assert(std::is_invocable_v<std::decay_t<F>, std::decay_t<Args>...>,
                "weft::async: it cannot be called with copies of these arguments; std::ref(x) "
                "passes x itself");
  promise<T> out;
  auto result = out.get_future();
  using call = std::tuple<std::decay_t<F>, std::decay_t<Args>...>;
  weft::spawn_detached(
      [out = std::move(out), all = std::optional<call>(std::in_place, std::forward<F>(f),
                                                       std::forward<Args>(args)...)]() mutable {
        out.set_from([&]() -> T {
          // It ends inside, before the future is set.
          const struct ends {
            std::optional<call>& what;
            ~ends() { what.reset(); }
          } at_the_end{all};
          return std::apply(
              [](auto& what, auto&... with) -> T {
                return detail::invoke(std::move(what), std::move(with)...);
              },
              *all);
        });
      });
  return result;
}

// A future of the given ones, which is set when all of them are.
template <class... T>
future<std::tuple<future<T>...>> when_all(future<T>... futures) {
  struct gathering : detail::sharable {
    std::tuple<future<T>...> futures;
    promise<std::tuple<future<T>...>> out;
    std::atomic<std::size_t> missing{sizeof...(T) + 1};
    void one_came() {
      if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) out.set_value(std::move(futures));
    }
  };
  auto g = detail::shared<gathering>::make();
  const std::array<detail::shared<detail::future_base>, sizeof...(T)> states{
      detail::future_access::state(futures)...};
  g->futures = std::tuple<future<T>...>(std::move(futures)...);
  auto result = g->out.get_future();
  for (const auto& s : states) s->when_set([g] { g->one_came(); });
  g->one_came();
  return result;
}

// The same for a container of futures, as std::vector.
template <class Futures>
  requires requires(Futures f) { f.begin()->valid(); }
future<Futures> when_all(Futures futures) {
  struct gathering : detail::sharable {
    Futures futures;
    promise<Futures> out;
    std::atomic<std::size_t> missing{1};
    void one_came() {
      if (missing.fetch_sub(1, std::memory_order_acq_rel) == 1) out.set_value(std::move(futures));
    }
  };
  auto g = detail::shared<gathering>::make();
  std::vector<detail::shared<detail::future_base>> states;
  for (const auto& f : futures) states.push_back(detail::future_access::state(f));
  g->missing = states.size() + 1;
  g->futures = std::move(futures);
  auto result = g->out.get_future();
  for (const auto& s : states) s->when_set([g] { g->one_came(); });
  g->one_came();
  return result;
}

// All futures of a when_any, and the number of one that is set.
template <class Futures>
struct any_result {
  std::size_t index;
  Futures futures;
};

namespace detail {

// The first of these states to be set takes all futures along.
template <class Futures, class States>
future<any_result<Futures>> first_of(Futures futures, const States& states) {
  struct race : sharable {
    Futures futures;
    promise<any_result<Futures>> out;
    std::atomic<bool> over{false};
  };
  auto r = shared<race>::make();
  r->futures = std::move(futures);
  auto result = r->out.get_future();
  for (std::size_t i = 0; i < states.size(); ++i)
    states[i]->when_set([r, i] {
      if (!r->over.exchange(true, std::memory_order_acq_rel))
        r->out.set_value(any_result<Futures>{i, std::move(r->futures)});
    });
  return result;
}

}  // namespace detail

// A future that is set when one of the given ones is. There must be one.
template <class... T>
  requires(sizeof...(T) > 0)
future<any_result<std::tuple<future<T>...>>> when_any(future<T>... futures) {
  const std::array<detail::shared<detail::future_base>, sizeof...(T)> states{
      detail::future_access::state(futures)...};
  return detail::first_of(std::tuple<future<T>...>(std::move(futures)...), states);
}
template <class Futures>
  requires requires(Futures f) { f.begin()->valid(); }
future<any_result<Futures>> when_any(Futures futures) {
  std::vector<detail::shared<detail::future_base>> states;
  for (const auto& f : futures) states.push_back(detail::future_access::state(f));
  detail::must(states.empty() ? -EINVAL : 0, "weft::when_any");
  return detail::first_of(std::move(futures), states);
}

// A clause for select. f(): the future is set.
template <class T, class F>
auto on_set(const detail::future_side<T>& of, F f) {
  return detail::plain_clause<F>{
      weft_case_future(detail::future_access::state(of)->native(), nullptr), std::move(f)};
}

}  // namespace weft
