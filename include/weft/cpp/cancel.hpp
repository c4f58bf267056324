// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Scopes in which waits end with an exception once somebody requests it, a std::stop_source too.
//
// A wait that is cancelled throws std::system_error with std::errc::operation_canceled.
// weft/cancel.h says which waits are.
#pragma once

#include <stop_token>

#include "weft/cancel.h"
#include "weft/cpp/error.hpp"
#include "weft/cpp/stop.hpp"

namespace weft {

class canceller {
 public:
  constexpr canceller() noexcept = default;
  canceller(const canceller&) = delete;
  canceller& operator=(const canceller&) = delete;

  void request() noexcept { weft_cancel_request(&cancel_); }
  [[nodiscard]] bool is_requested() const noexcept {
    return weft_cancel_is_requested(&cancel_) == 1;
  }

  weft_cancel_t* native_handle() noexcept { return &cancel_; }

 private:
  weft_cancel_t cancel_ = WEFT_CANCEL_INIT;
};

// While it lives, waits of the flow that made it are in the scope of a canceller. Scopes end in the
// reverse order of their making.
class [[nodiscard]] cancel_scope {
 public:
  explicit cancel_scope(canceller& c) {
    detail::must(weft_cancel_enter(c.native_handle(), &scope_), "weft::cancel_scope");
  }
  cancel_scope(const cancel_scope&) = delete;
  cancel_scope& operator=(const cancel_scope&) = delete;
  ~cancel_scope() { detail::must_not_fail(weft_cancel_leave(&scope_), "weft::~cancel_scope"); }

 private:
  weft_cancel_scope_t scope_;
};

// The same for the requests of a std::stop_token, such as the one that a task of weft::spawn is
// given.
class [[nodiscard]] stop_scope {
 public:
  explicit stop_scope(const std::stop_token& stop) : requests_(stop, request{this}), scope_(own_) {}
  stop_scope(const stop_scope&) = delete;
  stop_scope& operator=(const stop_scope&) = delete;

 private:
  struct request {
    stop_scope* of;
    void operator()() const noexcept { of->own_.request(); }
  };

  canceller own_;
  detail::stop_callback<request> requests_;
  cancel_scope scope_;
};

// While it lives, waits of the flow that made it are not cancelled: for what must be brought to its
// end.
class [[nodiscard]] cancel_shield {
 public:
  cancel_shield() noexcept { weft_cancel_enter(nullptr, &scope_); }
  cancel_shield(const cancel_shield&) = delete;
  cancel_shield& operator=(const cancel_shield&) = delete;
  ~cancel_shield() { detail::must_not_fail(weft_cancel_leave(&scope_), "weft::~cancel_shield"); }

 private:
  weft_cancel_scope_t scope_;
};

}  // namespace weft
