// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The C functions of weft/cancel.h: arguments are checked here, the work is done below.
#include <cerrno>

#include <weft/cancel.h>

#include "sync/cancel_scope.hpp"

namespace rt = weft::rt;

static_assert(sizeof(rt::canceller) <= sizeof(weft_cancel_t));
static_assert(sizeof(rt::cancel_scope) <= sizeof(weft_cancel_scope_t));

namespace {

rt::canceller* from(weft_cancel_t* c) noexcept { return reinterpret_cast<rt::canceller*>(c); }
rt::cancel_scope& from(weft_cancel_scope_t* s) noexcept {
  return *reinterpret_cast<rt::cancel_scope*>(s);
}

}  // namespace

int weft_cancel_request(weft_cancel_t* cancel) {
  if (cancel == nullptr) return -EINVAL;
  from(cancel)->request();
  return 0;
}

int weft_cancel_is_requested(const weft_cancel_t* cancel) {
  if (cancel == nullptr) return -EINVAL;
  return reinterpret_cast<const rt::canceller*>(cancel)->is_requested();
}

int weft_cancel_enter(weft_cancel_t* cancel, weft_cancel_scope_t* scope) {
  return scope != nullptr ? rt::enter_scope(from(scope), from(cancel)) : -EINVAL;
}

int weft_cancel_leave(weft_cancel_scope_t* scope) {
  return scope != nullptr && rt::leave_scope(from(scope)) ? 0 : -EINVAL;
}
