// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Faults are shown to the runtime first, on their own stack; the program's actions stay in force.
#include "os/signal.hpp"

#include <atomic>
#include <cerrno>
#include <csetjmp>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <gtest/gtest.h>
#include <string>
#include <sys/syscall.h>
#include <thread>
#include <unistd.h>
#include <utility>

#include "os/memory.hpp"
#include "os/text.hpp"
#include "support/build.hpp"

namespace weft::rt::os {
namespace {

unsigned char* bad_page() {
  static auto* const p = [] {
    void* const made = reserve(page_bytes());
    return protect(made, page_bytes()) ? static_cast<unsigned char*>(made) : nullptr;
  }();
  return p;
}

// An ordinary call, so that the compiler knows nothing of the address.
__attribute__((noinline)) void touch(unsigned char* p) {
  *static_cast<volatile unsigned char*>(p) = 1;
}

bool on_signal_stack() {
  stack_t now{};
  return ::sigaltstack(nullptr, &now) == 0 && (now.ss_flags & SS_ONSTACK) != 0;
}

void say(const char* what) { text().add(what).add("\n").write_to_stderr(); }

// The whole of what a dying process says; an emulator adds a line about the signal.
std::string said(const char* what) { return std::string("^") + what + "(qemu: .*)?$"; }

fault_verdict report_and_die(const fault& what) noexcept {
  char here = 0;
  const auto sp = reinterpret_cast<std::uintptr_t>(what.stack_pointer);
  text line;
  line.add(what.address == bad_page() ? "right address" : "wrong address");
  line.add(what.number == SIGSEGV || what.number == SIGBUS ? ", right signal" : ", wrong signal");
  line.add(on_signal_stack() ? ", own stack" : ", program's stack");
  // The stack of the fault is not the one of the handler.
  line.add(sp != 0 && sp - reinterpret_cast<std::uintptr_t>(&here) > 4096 ? ", sp" : ", no sp");
  line.add(what.code != nullptr ? ", code\n" : ", no code\n").write_to_stderr();
  return fault_verdict::die;
}

fault_verdict not_ours(const fault&) noexcept {
  say("looked");
  return fault_verdict::pass_on;
}

// As in a fresh process, also where a sanitizer has handlers of its own.
void default_actions() {
  (void)std::signal(SIGSEGV, SIG_DFL);
  (void)std::signal(SIGBUS, SIG_DFL);
}

void program_handler(int, siginfo_t* info, void*) {
  say(info->si_addr == bad_page() ? "program saw the address" : "program saw something else");
  ::_exit(42);
}

void program_handles(int flags) {
  struct sigaction action{};
  action.sa_sigaction = program_handler;
  action.sa_flags = SA_SIGINFO | flags;
  (void)::sigaction(SIGSEGV, &action, nullptr);
}

TEST(fault_handler_death_test, a_reported_fault_kills_as_by_default) {
  EXPECT_EXIT(
      {
        default_actions();
        alternate_stack stack;
        if (stack.attach(16384) != 0 || fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("right address, right signal, own stack, sp, code\n"));
}

TEST(fault_handler_death_test, a_fault_that_is_not_ours_kills_as_by_default) {
  EXPECT_EXIT(
      {
        default_actions();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("looked\n"));
}

TEST(fault_handler_death_test, a_handler_of_the_program_gets_what_is_not_ours) {
  EXPECT_EXIT(
      {
        program_handles(0);
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::ExitedWithCode(42), said("looked\nprogram saw the address\n"));
}

TEST(fault_handler_death_test, a_handler_of_the_program_gets_what_was_reported) {
  EXPECT_EXIT(
      {
        program_handles(0);
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::ExitedWithCode(42), said("right address.*\nprogram saw the address\n"));
}

// As where a guard raises SIGBUS: installed before ours, or over it.
TEST(fault_handler_death_test, a_handler_of_sigbus_alone_is_told_of_what_was_reported) {
  for (const bool before : {true, false}) {
    const auto handles = [] {
      struct sigaction action{};
      action.sa_flags = SA_SIGINFO;
      action.sa_sigaction = [](int number, siginfo_t* info, void* context) {
        if (number == SIGBUS && info->si_signo == SIGBUS && info->si_code > 0)
          program_handler(number, info, context);
      };
      (void)::sigaction(SIGBUS, &action, nullptr);
    };
    EXPECT_EXIT(
        {
          default_actions();
          if (before) handles();
          if (fault_handler_install(report_and_die) != 0) ::_exit(1);
          if (!before) handles();
          touch(bad_page());
        },
        testing::ExitedWithCode(42), said("right address.*\nprogram saw the address\n"));
  }
}

TEST(fault_handler_death_test, a_handler_of_sigbus_that_returns_does_not_save_the_program) {
  EXPECT_EXIT(
      {
        default_actions();
        (void)std::signal(SIGBUS, [](int) { say("bus"); });
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("right address.*\nbus\n"));
}

TEST(fault_handler_death_test, an_ignored_fault_kills) {
  EXPECT_EXIT(
      {
        (void)std::signal(SIGSEGV, SIG_IGN);
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("looked\n"));
}

TEST(fault_handler_death_test, a_signal_that_was_sent_is_passed_on_unseen) {
  EXPECT_EXIT(
      {
        default_actions();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        (void)::kill(::getpid(), SIGSEGV);
        ::_exit(1);
      },
      testing::KilledBySignal(SIGSEGV), said(""));
}

std::atomic<int> passed_on{0};

// Reads one byte; how often that was interrupted.
int interruptions_of_a_read(int from, std::atomic<bool>& begun) {
  int interrupted = 0;
  char byte = 0;
  begun = true;
  while (::read(from, &byte, 1) < 0 && errno == EINTR) ++interrupted;
  return interrupted;
}

TEST(fault_handler, a_signal_that_is_passed_on_restarts_calls_as_the_programs_action_does) {
  if (weft::test::emulated) GTEST_SKIP() << "the emulator's own handler of SIGSEGV ends calls";
  struct sigaction mine{}, before{};
  mine.sa_handler = [](int) { ++passed_on; };
  mine.sa_flags = SA_RESTART;
  ASSERT_EQ(::sigaction(SIGSEGV, &mine, &before), 0);
  ASSERT_EQ(fault_handler_install(not_ours), 0);
  int ends[2];
  ASSERT_EQ(::pipe(ends), 0);
  std::atomic<bool> begun{false};
  int interrupted = 0;
  std::thread reader([&] { interrupted = interruptions_of_a_read(ends[0], begun); });
  while (!begun) std::this_thread::yield();
  passed_on = 0;
  for (int sent = 1; sent <= 200; ++sent) {  // most of them hit the read
    ASSERT_EQ(::pthread_kill(reader.native_handle(), SIGSEGV), 0);
    while (passed_on != sent) std::this_thread::yield();
  }
  ASSERT_EQ(::write(ends[1], "x", 1), 1);
  reader.join();
  EXPECT_EQ(interrupted, 0);
  ::close(ends[0]);
  ::close(ends[1]);
  fault_handler_remove();
  ASSERT_EQ(::sigaction(SIGSEGV, &before, nullptr), 0);
}

TEST(fault_handler, a_signal_that_the_program_ignores_ends_no_call) {
  struct sigaction mine{}, before{}, now{};
  mine.sa_handler = SIG_IGN;
  ASSERT_EQ(::sigaction(SIGBUS, &mine, &before), 0);
  ASSERT_EQ(fault_handler_install(not_ours), 0);
  ASSERT_EQ(::sigaction(SIGBUS, nullptr, &now), 0);
  EXPECT_NE(now.sa_flags & SA_RESTART, 0);
  fault_handler_remove();
  ASSERT_EQ(::sigaction(SIGBUS, &before, nullptr), 0);
}

// As the kernel sends what it found out late: there is no access that would be repeated.
void strike_late(int number, int code) {
  siginfo_t info{};
  info.si_signo = number;
  info.si_code = code;
  (void)::syscall(SYS_rt_tgsigqueueinfo, ::getpid(), ::syscall(SYS_gettid), number, &info);
}

fault_verdict no_frame_and_die(const fault& what) noexcept {
  say(what.no_frame ? "no frame" : "something else");
  return fault_verdict::die;
}

TEST(fault_handler_death_test, one_that_no_access_repeats_kills_too_or_is_ignored) {
  if (weft::test::emulated) GTEST_SKIP() << "the emulator takes such a signal for its own fault";
  constexpr struct {
    int number, code;
    bool may_be_ignored;
  } rows[] = {{SIGSEGV, SI_KERNEL, false}, {SIGBUS, 5, true}, {SIGSEGV, 8, true}};
  for (const auto& row : rows) {
    EXPECT_EXIT(
        {
          default_actions();
          if (fault_handler_install(not_ours) != 0) ::_exit(1);
          strike_late(row.number, row.code);
          ::_exit(2);
        },
        testing::KilledBySignal(row.number), said("looked\n"));
    const auto ignores = [&row] {
      (void)std::signal(row.number, SIG_IGN);
      if (fault_handler_install(not_ours) != 0) ::_exit(1);
      strike_late(row.number, row.code);
      ::_exit(2);
    };
    if (row.may_be_ignored) {
      EXPECT_EXIT(ignores(), testing::ExitedWithCode(2), said("looked\n"));
    } else {
      EXPECT_EXIT(ignores(), testing::KilledBySignal(row.number), said("looked\n"));
    }
  }
  EXPECT_EXIT(
      {
        default_actions();
        (void)std::signal(SIGSEGV, SIG_IGN);
        if (fault_handler_install(no_frame_and_die) != 0) ::_exit(1);
        strike_late(SIGSEGV, SI_KERNEL);
        ::_exit(2);
      },
      testing::KilledBySignal(SIGSEGV), said("no frame\n"));
}

TEST(fault_handler_death_test, a_forced_one_that_was_reported_reaches_the_programs_handler) {
  if (weft::test::emulated) GTEST_SKIP() << "the emulator takes such a signal for its own fault";
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int, siginfo_t* info, void*) {
          say(info->si_code == SI_KERNEL ? "right code" : "wrong code");
        };
        (void)::sigaction(SIGSEGV, &action, nullptr);
        if (fault_handler_install(no_frame_and_die) != 0) ::_exit(1);
        strike_late(SIGSEGV, SI_KERNEL);
        ::_exit(42);
      },
      testing::ExitedWithCode(42), said("no frame\nright code\n"));
}

void say_once_at_segv() {
  struct sigaction action{};
  action.sa_handler = [](int) { say("once"); };
  action.sa_flags = static_cast<int>(SA_RESETHAND);
  (void)::sigaction(SIGSEGV, &action, nullptr);
}

TEST(fault_handler_death_test, a_forced_one_that_was_reported_resets_the_handler_for_one_signal) {
  if (weft::test::emulated) GTEST_SKIP() << "the emulator takes such a signal for its own fault";
  EXPECT_EXIT(
      {
        say_once_at_segv();
        if (fault_handler_install(no_frame_and_die) != 0) ::_exit(1);
        strike_late(SIGSEGV, SI_KERNEL);
        say("went on");
        strike_late(SIGSEGV, SI_KERNEL);
        ::_exit(2);
      },
      testing::KilledBySignal(SIGSEGV), said("no frame\nonce\nwent on\n"));
}

TEST(fault_handler_death_test, a_handler_for_one_signal_gets_one) {
  EXPECT_EXIT(
      {
        say_once_at_segv();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        touch(bad_page());  // the handler mends nothing, so the access faults again
      },
      testing::KilledBySignal(SIGSEGV), said("looked\nonce\nlooked\n"));
}

fault_verdict later_ours(const fault&) noexcept {
  static bool first = true;
  say(first ? "looked" : "reported");
  return std::exchange(first, false) ? fault_verdict::pass_on : fault_verdict::die;
}

TEST(fault_handler_death_test, a_handler_for_one_signal_that_had_it_is_not_put_back_for_a_report) {
  EXPECT_EXIT(
      {
        default_actions();
        say_once_at_segv();
        if (fault_handler_install(later_ours) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("looked\nonce\nreported\n"));
}

TEST(fault_handler_death_test, a_handler_of_sigbus_for_one_signal_that_had_it_is_not_told) {
  EXPECT_EXIT(
      {
        default_actions();
        struct sigaction action{};
        action.sa_handler = [](int) { say("bus"); };
        action.sa_flags = static_cast<int>(SA_RESETHAND);
        (void)::sigaction(SIGBUS, &action, nullptr);
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        (void)std::raise(SIGBUS);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("bus\nright address[^\n]*\n"));
}

// What a garbage collector does: its handler mends the page and the program goes on.
TEST(fault_handler_death_test, a_handler_that_mends_the_fault_goes_on_working) {
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_handler = [](int) { (void)unprotect(bad_page(), page_bytes()); };
        (void)::sigaction(SIGSEGV, &action, nullptr);
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        errno = ENOTTY;
        for (int i = 0; i < 2; ++i) {
          touch(bad_page());
          (void)protect(bad_page(), page_bytes());
        }
        ::_exit(errno == ENOTTY ? 0 : 1);
      },
      testing::ExitedWithCode(0), said("looked\nlooked\n"));
}

sigjmp_buf way_out;

__attribute__((noinline)) void jump_out_of_a_fault() {
  if (sigsetjmp(way_out, 1) == 0) touch(bad_page());
}

TEST(fault_handler_death_test, a_handler_may_jump_out) {
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_handler = [](int) { ::siglongjmp(way_out, 1); };
        (void)::sigaction(SIGSEGV, &action, nullptr);
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        jump_out_of_a_fault();
        jump_out_of_a_fault();
        ::_exit(0);
      },
      testing::ExitedWithCode(0), said("looked\nlooked\n"));
}

struct sigaction weft_action;

TEST(fault_handler_death_test, a_later_handler_may_pass_on_to_ours_before_and_after_a_restart) {
  EXPECT_EXIT(
      {
        default_actions();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        struct sigaction action{};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int number, siginfo_t* info, void* context) {
          say("later");
          weft_action.sa_sigaction(number, info, context);
        };
        (void)::sigaction(SIGSEGV, &action, &weft_action);
        fault_handler_remove();
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("later\nright address.*\n"));
}

TEST(fault_handler_death_test, what_is_passed_to_a_removed_handler_goes_on) {
  EXPECT_EXIT(
      {
        default_actions();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        (void)::sigaction(SIGSEGV, nullptr, &weft_action);
        fault_handler_remove();
        struct sigaction action{};
        action.sa_flags = SA_SIGINFO;
        action.sa_sigaction = [](int number, siginfo_t* info, void* context) {
          say("later");
          weft_action.sa_sigaction(number, info, context);
        };
        (void)::sigaction(SIGSEGV, &action, nullptr);
        touch(bad_page());
      },
      testing::KilledBySignal(SIGSEGV), said("later\n"));
}

// What a program does that recovers: its handler stands where ours stood when ours is removed.
TEST(fault_handler_death_test,
     a_reported_fault_that_was_recovered_from_hides_none_after_a_restart) {
  EXPECT_EXIT(
      {
        struct sigaction action{};
        action.sa_handler = [](int) { ::siglongjmp(way_out, 1); };
        (void)::sigaction(SIGSEGV, &action, nullptr);
        for (int i = 0; i < 2; ++i) {
          if (fault_handler_install(report_and_die) != 0) ::_exit(1);
          jump_out_of_a_fault();
          fault_handler_remove();
        }
        ::_exit(0);
      },
      testing::ExitedWithCode(0), said("right address.*\nright address.*\n"));
}

// A handler that once stood over ours is installed again, now before ours.
TEST(fault_handler_death_test, a_handler_that_stood_over_ours_may_stand_below_it_later) {
  EXPECT_EXIT(
      {
        default_actions();
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        program_handles(0);
        fault_handler_remove();
        default_actions();
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        fault_handler_remove();
        program_handles(0);
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::ExitedWithCode(42), said("right address.*\nprogram saw the address\n"));
}

TEST(fault_handler_death_test, a_second_remove_takes_no_handler_for_one_above) {
  EXPECT_EXIT(
      {
        program_handles(0);
        if (fault_handler_install(not_ours) != 0) ::_exit(1);
        fault_handler_remove();
        fault_handler_remove();
        if (fault_handler_install(report_and_die) != 0) ::_exit(1);
        touch(bad_page());
      },
      testing::ExitedWithCode(42), said("right address.*\nprogram saw the address\n"));
}

TEST(fault_handler, remove_puts_the_previous_actions_back) {
  struct sigaction mine{}, before{}, now{};
  mine.sa_handler = [](int) {};
  ASSERT_EQ(::sigaction(SIGBUS, &mine, &before), 0);
  ASSERT_EQ(fault_handler_install(not_ours), 0);
  EXPECT_EQ(fault_handler_install(not_ours), -EALREADY);
  fault_handler_remove();
  ASSERT_EQ(::sigaction(SIGBUS, &before, &now), 0);
  EXPECT_EQ(now.sa_handler, mine.sa_handler);
}

TEST(fault_handler, remove_puts_back_no_handler_for_one_signal_that_had_it) {
  static std::atomic<int> called;
  called = 0;
  struct sigaction mine{}, before{}, now{};
  mine.sa_handler = [](int) { ++called; };
  mine.sa_flags = static_cast<int>(SA_RESETHAND);
  ASSERT_EQ(::sigaction(SIGBUS, &mine, &before), 0);
  ASSERT_EQ(fault_handler_install(not_ours), 0);
  EXPECT_EQ(std::raise(SIGBUS), 0);
  EXPECT_EQ(called, 1);
  fault_handler_remove();
  ASSERT_EQ(::sigaction(SIGBUS, &before, &now), 0);
  EXPECT_EQ(now.sa_handler, SIG_DFL);
}

class alternate_stack_test : public testing::Test {
 protected:
  // A thread of a sanitizer build has a signal stack already.
  void SetUp() override {
    stack_t none{};
    none.ss_flags = SS_DISABLE;
    ASSERT_EQ(::sigaltstack(&none, &before_), 0);
  }
  void TearDown() override { ASSERT_EQ(::sigaltstack(&before_, nullptr), 0); }

  static stack_t now() {
    stack_t s{};
    EXPECT_EQ(::sigaltstack(nullptr, &s), 0);
    return s;
  }

 private:
  stack_t before_{};
};

TEST_F(alternate_stack_test, is_given_and_taken_away) {
  alternate_stack stack;
  ASSERT_EQ(stack.attach(16384), 0);
  EXPECT_EQ(now().ss_flags & SS_DISABLE, 0);
  EXPECT_GE(now().ss_size, 16384u);
  stack.detach();
  EXPECT_NE(now().ss_flags & SS_DISABLE, 0);
}

TEST_F(alternate_stack_test, a_large_one_of_the_program_stays) {
  static unsigned char memory[256 * 1024];
  stack_t theirs{};
  theirs.ss_sp = memory;
  theirs.ss_size = sizeof memory;
  ASSERT_EQ(::sigaltstack(&theirs, nullptr), 0);
  alternate_stack stack;
  ASSERT_EQ(stack.attach(16384), 0);
  EXPECT_EQ(now().ss_sp, memory);
  stack.detach();
  EXPECT_EQ(now().ss_sp, memory);
}

TEST_F(alternate_stack_test, a_small_one_of_the_program_comes_back) {
  static unsigned char memory[64 * 1024];
  stack_t theirs{};
  theirs.ss_sp = memory;
  theirs.ss_size = sizeof memory;
  ASSERT_EQ(::sigaltstack(&theirs, nullptr), 0);
  alternate_stack stack;
  ASSERT_EQ(stack.attach(128 * 1024), 0);
  EXPECT_NE(now().ss_sp, memory);
  stack.detach();
  EXPECT_EQ(now().ss_sp, memory);
  EXPECT_EQ(now().ss_size, sizeof memory);
}

TEST_F(alternate_stack_test, a_later_one_of_the_program_stays) {
  static unsigned char memory[64 * 1024];
  alternate_stack stack;
  ASSERT_EQ(stack.attach(16384), 0);
  stack_t theirs{};
  theirs.ss_sp = memory;
  theirs.ss_size = sizeof memory;
  ASSERT_EQ(::sigaltstack(&theirs, nullptr), 0);
  stack.detach();
  EXPECT_EQ(now().ss_sp, memory);
}

using alternate_stack_death_test = alternate_stack_test;

TEST_F(alternate_stack_death_test, has_a_guard_below) {
  alternate_stack stack;
  ASSERT_EQ(stack.attach(16384), 0);
  auto* const low = static_cast<unsigned char*>(now().ss_sp);
  touch(low);
  EXPECT_EXIT((default_actions(), touch(low - 1)), testing::KilledBySignal(SIGSEGV), "");
  stack.detach();
}

}  // namespace
}  // namespace weft::rt::os
