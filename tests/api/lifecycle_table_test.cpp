// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What each function answers while Weft does not run: before the first start, after a stop, in the
// child of a fork; on the main thread and on another one. A function that is not in the table fails
// the test.
#include <cctype>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <iterator>
#include <poll.h>
#include <set>
#include <string>
#include <string_view>
#include <thread>
#include <utility>

#include "children.hpp"

namespace weft::test {
namespace {

std::atomic<int> ran{0};
void* counts(void*) {
  ++ran;
  return nullptr;
}

// Whether a spawn starts Weft and its task runs; stops it again.
bool starts_and_runs(int (*spawn_one)(weft_task_t* out)) {
  weft_task_t t = nullptr;
  ran = 0;
  return spawn_one(&t) == 0 && weft_worker_count() > 0 && weft_task_join(t, nullptr) == 0 &&
         ran == 1 && weft_stop() == 0 && weft_worker_count() == 0;
}

bool starts_and_fills_a_word() {
  struct cell {
    uint64_t word = 0;
    weft_producer_t producer;
  } c;
  const auto fills = [](void* arg) -> void* {
    auto& filled = *static_cast<cell*>(arg);
    return weft_word_produce(&filled.word, &filled.producer, 7) == 0 ? arg : nullptr;
  };
  uint64_t value = 0;
  return weft_task_spawn_producer(fills, &c, nullptr, &c.word, &c.producer) == 0 &&
         weft_word_read_ff(&c.word, &value) == 0 && value == 7 && weft_stop() == 0;
}

bool starts_and_has_a_word_filled() {
  const auto fills = [](void* arg) -> void* {
    return weft_word_write_last(static_cast<uint64_t*>(arg), 8) == 0 ? arg : nullptr;
  };
  uint64_t word = 0;
  uint64_t value = 0;
  return weft_task_spawn_filler(fills, &word, nullptr, &word) == 0 &&
         weft_word_read_ff(&word, &value) == 0 && value == 8 && weft_stop() == 0;
}

bool starts_for_an_object() {
  static uint64_t object = 0;
  object = 0;
  const auto fills = [](void*) -> void* {
    void* mine = nullptr;
    if (weft_task_origin(&mine) == &ran) (void)weft_word_fill(static_cast<uint64_t*>(mine));
    return nullptr;
  };
  return weft_word_empty(&object) == 0 && weft_task_spawn_for(fills, nullptr, &ran, &object) == 0 &&
         weft_word_read_ff(&object, nullptr) == 0 && weft_stop() == 0;
}

bool starts_and_joins_a_fork() {
  weft_fork_t fork;
  ran = 0;
  return weft_fork_start(&fork, counts, nullptr) == 0 && weft_fork_join(&fork, nullptr) == 0 &&
         ran == 1 && weft_stop() == 0;
}

// Handles from before the stop, or of the parent. They are never looked into.
weft_task_t stale = nullptr;
weft_slot_t slot = 0;  // slots live as long as the process

struct row {
  const char* name;
  bool (*as_documented)();
};

constexpr row table[] = {
    {"weft_start",
     [] {
       weft_config_t config{};
       config.size = sizeof config;
       config.workers = 2;
       return weft_start(&config) == 0 && weft_start(&config) == -EALREADY &&
              weft_worker_count() == 2 && weft_stop() == 0;
     }},
    {"weft_stop", [] { return weft_stop() == -ENOTCONN; }},
    {"weft_stats_read",
     [] {
       weft_stats_t s{};
       s.size = sizeof s;
       return weft_stats_read(&s) == -ENOTCONN && weft_stats_read(nullptr) == -EINVAL;
     }},
    {"weft_worker_count", [] { return weft_worker_count() == 0; }},
    {"weft_worker_processor", [] { return weft_worker_processor(0) == -ENOTCONN; }},
    {"weft_worker_shepherd", [] { return weft_worker_shepherd(0) == -ENOTCONN; }},
    {"weft_shepherd_count", [] { return weft_shepherd_count() == 0; }},
    {"weft_shepherd_index", [] { return weft_shepherd_index() == WEFT_ANYWHERE; }},
    {"weft_shepherd_workers", [] { return weft_shepherd_workers(0, nullptr) == -ENOTCONN; }},
    {"weft_shepherd_distance", [] { return weft_shepherd_distance(0, 0) == -ENOTCONN; }},
    {"weft_shepherd_near", [] { return weft_shepherd_near(0, nullptr, 0) == -ENOTCONN; }},
    {"weft_worker_disable", [] { return weft_worker_disable(0) == -ENOTCONN; }},
    {"weft_worker_enable", [] { return weft_worker_enable(0) == -ENOTCONN; }},
    {"weft_worker_is_enabled", [] { return weft_worker_is_enabled(0) == -ENOTCONN; }},
    {"weft_worker_remove", [] { return weft_worker_remove(1, 0) == -ENOTCONN; }},
    {"weft_worker_add", [] { return weft_worker_add(1) == -ENOTCONN; }},
    {"weft_worker_bind", [] { return weft_worker_bind(0, WEFT_ANYWHERE) == -ENOTCONN; }},
    {"weft_worker_carry", [] { return weft_worker_carry(1) == -ENOTCONN; }},
    {"weft_task_leave", [] { return weft_task_leave([](void*, void*) {}, nullptr) == -EPERM; }},
    {"weft_task_visit", [] { return weft_task_visit(nullptr) == -EINVAL; }},
    {"weft_task_return", [] { return weft_task_return() == -EPERM; }},
    {"weft_worker_set_spin", [] { return weft_worker_set_spin(0, 0) == -ENOTCONN; }},
    {"weft_worker_spin", [] { return weft_worker_spin(0) == -ENOTCONN; }},
    {"weft_task_hand_off", [] { return weft_task_hand_off(stale, 0) == -ENOTCONN; }},
    {"weft_worker_set_scheduler",
     [] { return weft_worker_set_scheduler(0, nullptr) == -ENOTCONN; }},
    {"weft_shepherd_disable", [] { return weft_shepherd_disable(0) == -ENOTCONN; }},
    {"weft_shepherd_enable", [] { return weft_shepherd_enable(0) == -ENOTCONN; }},
    {"weft_shepherd_remove", [] { return weft_shepherd_remove(0, 0) == -ENOTCONN; }},
    {"weft_shepherd_add", [] { return weft_shepherd_add(0) == -ENOTCONN; }},
    {"weft_shepherd_bind", [] { return weft_shepherd_bind(0, nullptr, 0) == -ENOTCONN; }},
    {"weft_guest_begin", [] { return weft_guest_begin(1) == -ENOTCONN; }},
    {"weft_guest_end", [] { return weft_guest_end() == -EPERM; }},
    {"weft_message_send",
     [] {
       weft_message_t message{[](weft_message_t*) {}, {}};
       return weft_message_send(&message, 0) == -ENOTCONN &&
              weft_message_send(nullptr, 0) == -EINVAL;
     }},
    {"weft_message_send_with",
     [] {
       weft_message_t message{[](weft_message_t*) {}, {}};
       return weft_message_send_with(&message, 0, WEFT_MESSAGE_LIFO, 0, nullptr) == -ENOTCONN &&
              weft_message_send_with(&message, 0, WEFT_MESSAGE_INT_FIFO, 0, nullptr) == -EINVAL;
     }},
    {"weft_pool_create",
     [] {
       weft_pool_t pool{};
       return weft_pool_create(nullptr, &pool) == -ENOTCONN &&
              weft_pool_create(nullptr, nullptr) == -EINVAL;
     }},
    {"weft_pool_ask_again", [] { return weft_pool_ask_again(weft_pool_t{}) == -ENOTCONN; }},
    {"weft_pool_free", [] { return weft_pool_free(weft_pool_t{}) == -ENOTCONN; }},
    {"weft_pool_size", [] { return weft_pool_size(weft_pool_t{}) == -ENOTCONN; }},
    {"weft_pool_pop", [] { return weft_pool_pop(weft_pool_t{}) == nullptr; }},
    {"weft_pool_push",
     [] {
       return weft_pool_push(weft_pool_t{}, stale) == -EPERM &&
              weft_pool_push(weft_pool_t{}, nullptr) == -EINVAL;
     }},
    {"weft_pool_link", [] { return weft_pool_link(nullptr) == nullptr; }},
    {"weft_scheduler_create",
     [] {
       const weft_pool_t pools[1] = {};
       weft_scheduler_config_t config{};
       config.size = sizeof config;
       config.pools = pools;
       config.count = 1;
       weft_scheduler_t made = nullptr;
       return weft_scheduler_create(&config, &made) == -ENOTCONN &&
              weft_scheduler_create(nullptr, &made) == -EINVAL;
     }},
    {"weft_scheduler_free", [] { return weft_scheduler_free(nullptr) == -EINVAL; }},
    {"weft_scheduler_run", [] { return weft_scheduler_run(nullptr) == -EINVAL; }},
    {"weft_scheduler_finish", [] { return weft_scheduler_finish(nullptr) == -EINVAL; }},
    {"weft_worker_index", [] { return weft_worker_index() == WEFT_ANYWHERE; }},
    {"weft_task_spawn",
     [] {
       weft_task_t t = nullptr;
       if (weft_task_spawn(nullptr, nullptr, &t) != -EINVAL || weft_worker_count() != 0)
         return false;
       return starts_and_runs(
           [](weft_task_t* out) { return weft_task_spawn(counts, nullptr, out); });
     }},
    {"weft_task_spawn_with",
     [] {
       weft_task_t t = nullptr;
       const weft_spawn_t bad = with_flags(~0u);
       if (weft_task_spawn_with(counts, nullptr, &bad, &t) != -EINVAL || weft_worker_count() != 0)
         return false;
       return starts_and_runs([](weft_task_t* out) {
         const weft_spawn_t how = on_worker(0);
         return weft_task_spawn_with(counts, nullptr, &how, out);
       });
     }},
    {"weft_task_spawn_many",
     [] {
       return starts_and_runs(
           [](weft_task_t* out) { return weft_task_spawn_many(counts, nullptr, 0, 1, out); });
     }},
    {"weft_task_spawn_after",
     [] {
       weft_task_t one[] = {stale};
       weft_task_t t = nullptr;
       if (weft_task_spawn_after(counts, nullptr, nullptr, one, 1, &t) != -ENOTCONN ||
           one[0] != stale || weft_worker_count() != 0)
         return false;
       return starts_and_runs([](weft_task_t* out) {
         return weft_task_spawn_after(counts, nullptr, nullptr, nullptr, 0, out);
       });
     }},
    {"weft_task_join",
     [] {
       void* result = &ran;
       return weft_task_join(stale, &result) == -ENOTCONN && result == &ran &&
              weft_task_join(nullptr, nullptr) == -EINVAL;
     }},
    {"weft_task_try_join",
     [] {
       return weft_task_try_join(stale, nullptr) == -ENOTCONN &&
              weft_task_try_join(nullptr, nullptr) == -EINVAL;
     }},
    {"weft_task_join_many",
     [] {
       weft_task_t two[] = {stale, stale};
       weft_task_t none[] = {stale, nullptr};
       return weft_task_join_many(two, 2, nullptr) == -ENOTCONN && two[0] == stale &&
              weft_task_join_many(none, 2, nullptr) == -EINVAL &&
              weft_task_join_many(nullptr, 0, nullptr) == 0;
     }},
    {"weft_task_detach",
     [] { return weft_task_detach(stale) == -ENOTCONN && weft_task_detach(nullptr) == -EINVAL; }},
    {"weft_task_yield", [] { return weft_task_yield() == -ENOTCONN; }},
    {"weft_task_yield_to",
     [] { return weft_task_yield_to(stale) == -EPERM && weft_task_yield_to(nullptr) == -EINVAL; }},
    {"weft_task_suspend", [] { return weft_task_suspend() == -EPERM; }},
    {"weft_task_resume",
     [] { return weft_task_resume(stale) == -ENOTCONN && weft_task_resume(nullptr) == -EINVAL; }},
    {"weft_task_set_sticky", [] { return weft_task_set_sticky(1) == -EPERM; }},
    {"weft_task_migrate", [] { return weft_task_migrate(0) == -EPERM; }},
    {"weft_task_self", [] { return weft_task_self() == nullptr; }},
    {"weft_task_id", [] { return weft_task_id(nullptr) == 0 && weft_task_id(stale) == 0; }},
    {"weft_task_name",
     [] { return weft_task_name(nullptr) == nullptr && weft_task_name(stale) == nullptr; }},
    {"weft_task_spawn_site",
     [] {
       return weft_task_spawn_site(nullptr) == nullptr && weft_task_spawn_site(stale) == nullptr;
     }},
    {"weft_task_stack_left", [] { return weft_task_stack_left() == 0; }},
    {"weft_task_stack_bounds",
     [] {
       void* low = &ran;
       void* high = &ran;
       return weft_task_stack_bounds(&low, &high) == -EPERM && low == &ran && high == &ran &&
              weft_task_stack_bounds(nullptr, nullptr) == -EPERM;
     }},
    {"weft_report_waiting", [] { return weft_report_waiting(STDERR_FILENO) == 0; }},
    {"weft_slot_create",
     [] {
       weft_slot_t made = 0;
       return weft_slot_create(nullptr, nullptr) == -EINVAL &&
              weft_slot_create(nullptr, &made) == 0 && weft_slot_delete(made) == 0;
     }},
    {"weft_slot_delete",
     [] {
       weft_slot_t made = 0;
       return weft_slot_create(nullptr, &made) == 0 && weft_slot_delete(made) == 0 &&
              weft_slot_delete(made) == -EINVAL;
     }},
    {"weft_slot_set", [] { return weft_slot_set(slot, &ran) == -EPERM; }},
    {"weft_slot_get", [] { return weft_slot_get(slot) == nullptr; }},
    {"weft_time_now_ns", [] { return weft_time_now_ns() > 0; }},
    {"weft_task_sleep_for",
     [] { return weft_task_sleep_for(1) == 0 && weft_task_sleep_for(-1) == -EINVAL; }},
    {"weft_task_sleep_until",
     [] { return weft_task_sleep_until(1) == 0 && weft_task_sleep_until(-1) == -EINVAL; }},
    {"weft_fd_wait",
     [] { return weft_fd_wait(-1, POLLIN) == -EBADF && weft_fd_wait(0, 0) == -EINVAL; }},
    {"weft_fd_try_wait",
     [] { return weft_fd_try_wait(-1, POLLIN) == -EBADF && weft_fd_try_wait(0, 0) == -EINVAL; }},
    {"weft_fd_wait_until",
     [] {
       return weft_fd_wait_until(-1, POLLIN, 0) == -EBADF && weft_fd_wait_until(0, 0, 0) == -EINVAL;
     }},
    {"weft_fd_close", [] { return weft_fd_close(-1) == -EBADF; }},
    {"weft_task_record", [] { return weft_task_record() == nullptr; }},
    {"weft_task_set_record", [] { return weft_task_set_record(&ran) == -EPERM; }},
    {"weft_task_spawn_producer",
     [] {
       uint64_t word = 0;
       return weft_task_spawn_producer(counts, nullptr, nullptr, &word, nullptr) == -EINVAL &&
              starts_and_fills_a_word();
     }},
    {"weft_task_spawn_filler",
     [] {
       return weft_task_spawn_filler(counts, nullptr, nullptr, nullptr) == -EINVAL &&
              weft_worker_count() == 0 && starts_and_has_a_word_filled();
     }},
    {"weft_task_spawn_for",
     [] {
       return weft_task_spawn_for(nullptr, nullptr, nullptr, nullptr) == -EINVAL &&
              weft_worker_count() == 0 && starts_for_an_object();
     }},
    {"weft_task_origin",
     [] {
       void* object = &ran;
       return weft_task_origin(&object) == nullptr && object == nullptr;
     }},
    {"weft_word_write_last",
     [] {
       uint64_t word = 0;
       return weft_word_write_last(nullptr, 1) == -EINVAL && weft_word_write_last(&word, 5) == 0 &&
              word == 5;
     }},
    {"weft_word_visit_waiters",
     [] {
       const auto counts_waiter = [](const weft_word_waiter_t*, void*) { ++ran; };
       ran = 0;
       return weft_word_visit_waiters(nullptr, nullptr) == -EINVAL &&
              weft_word_visit_waiters(counts_waiter, nullptr) == 0 && ran == 0;
     }},
    {"weft_fork_start",
     [] {
       weft_fork_t fork{};
       return weft_fork_start(&fork, nullptr, nullptr) == -EINVAL && weft_worker_count() == 0 &&
              starts_and_joins_a_fork();
     }},
    {"weft_fork_join",
     [] {
       weft_fork_t fork{};
       return weft_fork_join(nullptr, nullptr) == -EINVAL &&
              weft_fork_join(&fork, nullptr) == -ENOTCONN;
     }},
    {"weft_fork_share", [] { return weft_fork_share() == 0; }},
    {"weft_loop_run",
     [] {
       const auto block = [](int64_t begin, int64_t end, void*) { ran += int(end - begin); };
       ran = 0;
       return weft_loop_run(0, 10, 0, block, nullptr, nullptr) == -EINVAL &&
              weft_worker_count() == 0 && weft_loop_run(0, 10, 1, block, nullptr, nullptr) == 0 &&
              ran == 10 && weft_stop() == 0;
     }},
    {"weft_loop_run_unsigned",
     [] {
       const auto block = [](uint64_t begin, uint64_t end, void*) { ran += int(end - begin); };
       ran = 0;
       return weft_loop_run_unsigned(0, 10, 0, block, nullptr, nullptr) == -EINVAL &&
              weft_worker_count() == 0 &&
              weft_loop_run_unsigned(0, 10, 1, block, nullptr, nullptr) == 0 && ran == 10 &&
              weft_stop() == 0;
     }},
    {"weft_loop_share",
     [] {
       const auto member = [](weft_loop_member_t* me, void*) {
         uint64_t first = 0;
         uint64_t last = 0;
         while (weft_loop_next(me, &first, &last) == 1) ran += int(last - first);
       };
       ran = 0;
       return weft_loop_share(10, nullptr, nullptr, nullptr) == -EINVAL &&
              weft_worker_count() == 0 && weft_loop_share(10, member, nullptr, nullptr) == 0 &&
              ran == 10 && weft_stop() == 0;
     }},
    {"weft_loop_cancel",
     [] {
       uint32_t flag = 0;
       return weft_loop_cancel(nullptr) == -EINVAL && weft_loop_cancel(&flag) == 0 && flag != 0;
     }},
    {"weft_team_run",
     [] {
       const auto member = [](weft_team_member_t*, void*) { ++ran; };
       ran = 0;
       return weft_team_run(0, member, nullptr) == -EINVAL && weft_worker_count() == 0 &&
              weft_team_run(3, member, nullptr) == 0 && ran == 3 && weft_stop() == 0;
     }},
    {"weft_team_create",
     [] {
       weft_team_t* team = nullptr;
       weft_team_member_t* me = nullptr;
       return weft_team_create(1, nullptr) == -EINVAL && weft_team_create(1, &team) == 0 &&
              weft_team_enter(team, &me) == 0 && weft_team_wait(me) == 1 &&
              weft_team_leave(me) == 0;
     }},
};

// Every row, by its name; the last line of what goes wrong is the row that hangs.
void expect_all_as_documented() {
  for (const row& r : table) {
    EXPECT_TRUE(r.as_documented()) << r.name;
    EXPECT_EQ(weft_worker_count(), 0u) << r.name << " left Weft running";
  }
}

// For a child, where a failed expectation would not be seen.
void leave_with_number_of_wrong_row() {
  int number = 0;
  for (const row& r : table) {
    ++number;
    if (!r.as_documented() || weft_worker_count() != 0) _exit(number);
  }
  _exit(0);
}

void expect_all_everywhere() {
  expect_all_as_documented();
  std::thread(expect_all_as_documented).join();
  EXPECT_EQ(end_of_child(leave_with_number_of_wrong_row), "exit 0") << "the number of a row";
}

class lifecycle_table : public testing::Test {
 protected:
  void SetUp() override { ASSERT_EQ(weft_slot_create(nullptr, &slot), 0); }
  void TearDown() override { EXPECT_EQ(weft_slot_delete(slot), 0); }
};

TEST_F(lifecycle_table, before_the_first_start_each_answers_as_documented) {
  alignas(64) static char no_task[64];
  stale = reinterpret_cast<weft_task_t>(no_task);
  expect_all_everywhere();
}

TEST_F(lifecycle_table, after_a_stop_each_answers_as_documented) {
  for (const uint32_t workers : {1u, 3u}) {
    {
      const runtime weft(workers);
      EXPECT_TRUE(fib_is_right());
      ASSERT_EQ(weft_task_spawn(counts, nullptr, &stale), 0);
    }
    expect_all_everywhere();
  }
}

TEST_F(lifecycle_table, in_a_child_of_fork_each_answers_as_documented) {
  const runtime weft(2);
  ASSERT_EQ(weft_task_spawn(counts, nullptr, &stale), 0);
  EXPECT_EQ(end_of_child(leave_with_number_of_wrong_row), "exit 0") << "the number of a row";
  std::thread([] {
    EXPECT_EQ(end_of_child(leave_with_number_of_wrong_row), "exit 0") << "the number of a row";
  }).join();
  auto forks = [] {
    EXPECT_EQ(end_of_child(leave_with_number_of_wrong_row), "exit 0") << "the number of a row";
  };
  run_apart(forks);
  join(stale);
}

// Functions that need no runtime, because the thing they are about has its state in itself: which
// test names them.
struct elsewhere {
  std::string_view prefix;
  const char* test;
};
constexpr elsewhere tested_elsewhere[] = {
    {"weft_task_spawn_when", "tests/api/word_test.cpp"},
    {"weft_fork_end", "tests/cpp/fork_test.cpp"},
    {"weft_loop_", "tests/api/loop_test.cpp"},
    {"weft_team_", "tests/api/team_test.cpp"},
    {"weft_barrier_", "tests/api/sync_matrix_test.cpp"},
    {"weft_case_", "tests/api/select_cases_test.cpp"},
    {"weft_channel_", "tests/api/channel_test.cpp"},
    {"weft_condition_", "tests/api/sync_matrix_test.cpp"},
    {"weft_future_", "tests/api/sync_test.cpp"},
    {"weft_cancel_", "tests/api/cancel_test.cpp"},
    {"weft_latch_", "tests/api/sync_test.cpp"},
    {"weft_mutex_", "tests/api/sync_matrix_test.cpp"},
    {"weft_once_", "tests/api/sync_matrix_test.cpp"},
    {"weft_rwlock_", "tests/api/sync_matrix_test.cpp"},
    {"weft_semaphore_", "tests/api/sync_test.cpp"},
    {"weft_sinc_", "tests/api/sync_test.cpp"},
    {"weft_syncvar_", "tests/api/word_test.cpp"},
    {"weft_word_", "tests/api/word_test.cpp"},
    {"weft_word_", "tests/api/embed_test.cpp"},
};

// All that is spelled as a name in a file.
std::set<std::string> names_in(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file.is_open()) << path;
  std::set<std::string> names;
  std::string name;
  for (char c = 0; file.get(c);) {
    if (std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_') {
      name += c;
    } else {
      names.insert(std::exchange(name, {}));
    }
  }
  return names;
}

TEST(lifecycle_table_itself, has_every_function_of_the_c_api) {
  std::set<std::string_view> known;
  for (const row& r : table) known.insert(r.name);
  std::ifstream map(LIFECYCLE_SOURCES "/src/api/weft.map");
  ASSERT_TRUE(map.is_open());
  std::set<std::string> missing;  // of the table
  std::size_t found = 0;
  for (std::string word; map >> word;) {
    const bool variable = word == "weft_self_word;" || word == "weft_fork_word;";
    if (word.rfind("weft_", 0) != 0 || variable) continue;
    word.pop_back();
    if (known.count(word) == 1) {
      ++found;
    } else {
      missing.insert(word);
    }
  }
  EXPECT_EQ(found, known.size());
  for (const elsewhere& e : tested_elsewhere) {
    const auto names = names_in(std::string(LIFECYCLE_SOURCES "/") + e.test);
    const std::size_t before = missing.size();
    for (auto word = missing.begin(); word != missing.end();) {
      const bool named = word->rfind(e.prefix, 0) == 0 && names.count(*word) == 1;
      word = named ? missing.erase(word) : std::next(word);
    }
    EXPECT_LT(missing.size(), before) << e.prefix << " in " << e.test << ": nothing is left of it";
  }
  for (const std::string& word : missing)
    ADD_FAILURE() << word << ": it has no row, and no test of those elsewhere names it";
}

}  // namespace
}  // namespace weft::test
