// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The bodies of the portable context switch: Boost.Context's assembly, else ucontext.
#include "arch/portable/context.hpp"

#include <cstdint>

#if defined(WEFT_HAVE_BOOST_CONTEXT)
#include <boost/context/detail/fcontext.hpp>
#else
#include <new>
#include <ucontext.h>
#endif

#include "base/check.hpp"

// A function that begins as one flow and ends as another would confuse what TSan keeps of the calls
// of each, and the fields of a context are read under the name of whichever flow switches.
#if defined(__clang__)
#define WEFT_UNSEEN __attribute__((disable_sanitizer_instrumentation))
#else
#define WEFT_UNSEEN __attribute__((no_sanitize("thread")))
#endif

namespace weft::rt::arch {

#if defined(WEFT_HAVE_BOOST_CONTEXT)

namespace fc = boost::context::detail;

namespace {

// What the flow that leaves tells the one that arrives; on the stack that is left, read before
// anybody can use that stack again.
struct arrival {
  context* from;  // receives where the leaving flow goes on; null: it never does
  context* to;
};

WEFT_UNSEEN void note_departure(const fc::transfer_t& t) noexcept {
  const auto* a = static_cast<const arrival*>(t.data);
  if (a->from != nullptr) a->from->saved = t.fctx;
}

WEFT_UNSEEN void first_arrival(fc::transfer_t t) {
  note_departure(t);
  static_cast<const arrival*>(t.data)->to->entry();
  check_failed("the entry function of a context returned", __FILE__, __LINE__);
}

}  // namespace

WEFT_UNSEEN void make_context(context& c, void* stack_top, void (*entry)() noexcept) noexcept {
  // The size is only recorded, and only on Windows.
  c.saved = fc::make_fcontext(stack_top, 0, first_arrival);
  c.entry = entry;
}

WEFT_UNSEEN carried portable_switch(context& from, context& to, void* place,
                                    std::uint64_t value) noexcept {
  arrival a{&from, &to};
  to.brought = {place, value};
  note_departure(fc::jump_fcontext(to.saved, &a));
  return from.brought;
}

WEFT_UNSEEN void portable_jump(context& to) noexcept {
  arrival a{nullptr, &to};
  to.brought = {};
  fc::jump_fcontext(to.saved, &a);
  __builtin_unreachable();
}

#else

namespace {

// makecontext passes ints: a pointer travels as two.
WEFT_UNSEEN void first_arrival(unsigned high, unsigned low) {
  const auto address = static_cast<std::uintptr_t>(std::uint64_t{high} << 32 | low);
  reinterpret_cast<void (*)() noexcept>(address)();
  check_failed("the entry function of a context returned", __FILE__, __LINE__);
}

}  // namespace

WEFT_UNSEEN void make_context(context& c, void* stack_top, void (*entry)() noexcept) noexcept {
  const auto top =
      (reinterpret_cast<std::uintptr_t>(stack_top) - sizeof(ucontext_t)) & ~std::uintptr_t{63};
  auto* u = new (reinterpret_cast<void*>(top)) ucontext_t;
  WEFT_CHECK(getcontext(u) == 0, "getcontext failed");
  // Only the end of the stack matters, and that is just below u; the size is nominal.
  constexpr std::size_t nominal_bytes = 4096;
  u->uc_stack.ss_sp = reinterpret_cast<void*>(top - nominal_bytes);
  u->uc_stack.ss_size = nominal_bytes;
  u->uc_link = nullptr;
  const std::uint64_t address = reinterpret_cast<std::uintptr_t>(entry);
  makecontext(u, reinterpret_cast<void (*)()>(first_arrival), 2,
              static_cast<unsigned>(address >> 32), static_cast<unsigned>(address));
  c.saved = u;
  c.entry = entry;
}

WEFT_UNSEEN carried portable_switch(context& from, context& to, void* place,
                                    std::uint64_t value) noexcept {
  ucontext_t here;
  from.saved = &here;
  to.brought = {place, value};
  swapcontext(&here, static_cast<ucontext_t*>(to.saved));
  return from.brought;
}

WEFT_UNSEEN void portable_jump(context& to) noexcept {
  to.brought = {};
  setcontext(static_cast<ucontext_t*>(to.saved));
  __builtin_unreachable();
}

#endif

}  // namespace weft::rt::arch
