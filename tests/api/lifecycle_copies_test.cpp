// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two copies of Weft in one process take turns, and one that is unloaded while it runs stays.
//
// The program holds libweft.a; what it loads needs libweft.so.
#include <cerrno>
#include <dlfcn.h>

#include "children.hpp"

namespace weft::test {
namespace {

// A function of a library, by name.
template <class F>
F* function_of(void* library, const char* name) {
  void* found = dlsym(library, name);
  EXPECT_NE(found, nullptr) << name;
  return reinterpret_cast<F*>(found);
}

struct plugin {
  explicit plugin(int scope)
      : library(dlopen(LIFECYCLE_PLUGIN, RTLD_NOW | scope)),
        start(function_of<int()>(library, "plugin_start")),
        stop(function_of<int()>(library, "plugin_stop")),
        add_one(function_of<int(int*)>(library, "plugin_add_one")),
        worker_count(function_of<uint32_t()>(library, "plugin_worker_count")) {}
  plugin(const plugin&) = delete;
  plugin& operator=(const plugin&) = delete;
  ~plugin() { EXPECT_EQ(dlclose(library), 0); }

  void* const library;
  int (*const start)();
  int (*const stop)();
  int (*const add_one)(int*);
  uint32_t (*const worker_count)();
};

// What a call that must fail because another copy runs writes.
template <class F>
std::string refusal(F&& call) {
  testing::internal::CaptureStderr();
  EXPECT_EQ(call(), -EEXIST);
  return testing::internal::GetCapturedStderr();
}

int start_own() { return weft_start(nullptr); }

class lifecycle_copies : public testing::TestWithParam<int> {};

TEST_P(lifecycle_copies, the_one_that_started_first_runs_until_it_stops) {
  const plugin other(GetParam());
  int number = 0;
  ASSERT_EQ(start_own(), 0);
  const std::string in_program =
      "weft: another copy of Weft runs in this process, in the program itself: link all of it to "
      "one "
      "libweft.so\n";
  EXPECT_EQ(refusal(other.start), in_program);
  EXPECT_EQ(refusal([&] { return other.add_one(&number); }), in_program);
  EXPECT_EQ(other.worker_count(), 0u);
  EXPECT_EQ(other.stop(), -ENOTCONN);
  EXPECT_TRUE(fib_is_right());
  EXPECT_EQ(weft_stop(), 0);

  ASSERT_EQ(other.start(), 0);
  const std::string in_library = refusal(start_own);
  EXPECT_NE(in_library.find("libweft.so"), std::string::npos) << in_library;
  EXPECT_EQ(in_library.find('\n'), in_library.size() - 1) << in_library;
  EXPECT_EQ(weft_worker_count(), 0u);
  EXPECT_EQ(other.add_one(&number), 0);
  EXPECT_EQ(number, 1);
  EXPECT_EQ(other.stop(), 0);
  ASSERT_EQ(start_own(), 0);
  EXPECT_TRUE(fib_is_right());
  EXPECT_EQ(weft_stop(), 0);
}

TEST_P(lifecycle_copies, a_child_of_fork_may_start_the_other_one) {
  const plugin other(GetParam());
  ASSERT_EQ(start_own(), 0);
  EXPECT_EQ(end_of_child([&] {
              int number = 0;
              _exit(other.add_one(&number) == 0 && number == 1 && other.stop() == 0 ? 0 : 1);
            }),
            "exit 0");
  EXPECT_EQ(weft_stop(), 0);
}

INSTANTIATE_TEST_SUITE_P(loaded, lifecycle_copies, testing::Values(RTLD_LOCAL, RTLD_GLOBAL),
                         [](const auto& scope) {
                           return scope.param == RTLD_LOCAL ? "locally" : "globally";
                         });

// --- dlclose ------------------------------------------------------------------------------------

class library {
 public:
  library() : handle_(dlopen(LIFECYCLE_LIBWEFT, RTLD_NOW | RTLD_LOCAL)) {}
  template <class F>
  F* get(const char* name) const {
    return function_of<F>(handle_, name);
  }
  void close() const { EXPECT_EQ(dlclose(handle_), 0); }

 private:
  void* handle_;
};

std::atomic<bool> over{false};
std::atomic<int> ended{0};
int (*yield_of_library)() = nullptr;

void* yields_until_over(void*) {
  while (!over) yield_of_library();
  ++ended;
  return nullptr;
}

void use_unload_and_use_again() {
  over = false;
  ended = 0;
  const library weft;
  weft_config_t config{};
  config.size = sizeof config;
  config.workers = 3;
  ASSERT_EQ(weft.get<decltype(weft_start)>("weft_start")(&config), 0);
  const auto spawn_many = weft.get<decltype(weft_task_spawn_many)>("weft_task_spawn_many");
  const auto stop = weft.get<decltype(weft_stop)>("weft_stop");
  yield_of_library = weft.get<decltype(weft_task_yield)>("weft_task_yield");
  ASSERT_EQ(spawn_many(yields_until_over, nullptr, 0, 20, nullptr), 0);
  weft.close();
  ASSERT_EQ(spawn_many(yields_until_over, nullptr, 0, 20, nullptr), 0);
  for (int i = 0; i < 100; ++i) EXPECT_EQ(yield_of_library(), 0);
  over = true;
  EXPECT_EQ(stop(), 0);
  EXPECT_EQ(ended, 40);
}

TEST(lifecycle_dlclose, a_library_that_is_closed_while_tasks_run_runs_on) {
  for (int i = 0; i < 3; ++i) use_unload_and_use_again();
}

TEST(lifecycle_dlclose, one_that_is_closed_after_its_stop_can_be_loaded_again) {
  for (int i = 0; i < 3; ++i) {
    const library weft;
    EXPECT_EQ(weft.get<decltype(weft_start)>("weft_start")(nullptr), 0);
    EXPECT_EQ(weft.get<decltype(weft_stop)>("weft_stop")(), 0);
    weft.close();
    EXPECT_EQ(end_of_child([] { exit(0); }), "exit 0");
  }
}

TEST(lifecycle_dlclose, the_process_ends_after_its_library_was_closed_while_tasks_ran) {
  EXPECT_EQ(end_of_child([] {
              const library weft;
              over = false;
              const auto spawn_many =
                  weft.get<decltype(weft_task_spawn_many)>("weft_task_spawn_many");
              yield_of_library = weft.get<decltype(weft_task_yield)>("weft_task_yield");
              if (spawn_many(yields_until_over, nullptr, 0, 20, nullptr) != 0) _exit(1);
              weft.close();
              yield_of_library();
              exit(7);
            }),
            "exit 7");
}

}  // namespace
}  // namespace weft::test
