// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Records of tasks, and words that a task fills at its end. WEFT_TEST_AT_WORKERS
#include <atomic>
#include <cerrno>
#include <thread>

#include "support.hpp"

namespace weft::test {
namespace {

class embed : public at_workers {};

TEST_F(embed, a_record_belongs_to_its_task_also_inline) {
  int mine = 0;
  EXPECT_EQ(weft_task_record(), nullptr);
  ASSERT_EQ(weft_task_set_record(&mine), 0);
  auto child = [&] {
    EXPECT_EQ(weft_task_record(), nullptr);
    int own = 0;
    ASSERT_EQ(weft_task_set_record(&own), 0);
    weft_task_yield();
    EXPECT_EQ(weft_task_record(), &own);
    ASSERT_EQ(weft_task_set_record(nullptr), 0);
    EXPECT_EQ(weft_task_record(), nullptr);
  };
  for (int i = 0; i < 10; ++i) join(spawn(child));
  EXPECT_EQ(weft_task_record(), &mine);
  ASSERT_EQ(weft_task_set_record(nullptr), 0);
  std::thread([&] {
    EXPECT_EQ(weft_task_set_record(&mine), -EPERM);
    EXPECT_EQ(weft_task_record(), nullptr);
  }).join();
}

struct product {
  uint64_t word = 0;
  weft_producer_t producer;
  std::atomic<bool>* go = nullptr;
};

void* produce(void* arg) {
  auto* p = static_cast<product*>(arg);
  while (p->go != nullptr && !*p->go) weft_task_yield();
  EXPECT_EQ(weft_word_produce(&p->word, &p->producer, 42), 0);
  return nullptr;
}

int spawn_producer(product& p, const weft_spawn_t* how = nullptr) {
  return weft_task_spawn_producer(produce, &p, how, &p.word, &p.producer);
}

TEST_F(embed, who_reads_the_word_gets_what_the_task_produces) {
  for (int i = 0; i < 100; ++i) {
    product p;
    uint64_t got = 0;
    ASSERT_EQ(spawn_producer(p), 0);
    EXPECT_EQ(weft_word_read_ff(&p.word, &got), 0);
    EXPECT_EQ(got, 42u);
    EXPECT_EQ(weft_word_status(&p.word), 1);
  }
}

TEST_F(embed, the_word_is_empty_until_then_and_anybody_may_fill_it) {
  std::atomic<bool> go{false};
  product p;
  p.go = &go;
  uint64_t got = 0;
  ASSERT_EQ(spawn_producer(p), 0);
  EXPECT_EQ(weft_word_status(&p.word), 0);
  EXPECT_EQ(weft_word_write_ef(&p.word, 1), 0);
  EXPECT_EQ(weft_word_read_fe(&p.word, &got), 0);
  EXPECT_EQ(got, 1u);
  go = true;
  EXPECT_EQ(weft_word_read_ff(&p.word, &got), 0);
  EXPECT_EQ(got, 42u);
}

TEST_F(embed, a_producer_may_be_pinned_or_come_from_outside) {
  const weft_spawn_t last = on_worker(weft_worker_count() - 1);
  product p;
  ASSERT_EQ(spawn_producer(p, &last), 0);
  EXPECT_EQ(weft_word_read_ff(&p.word, nullptr), 0);
  product q;
  std::atomic<bool> done{false};
  std::thread outside([&] {
    ASSERT_EQ(spawn_producer(q), 0);
    uint64_t got = 0;
    EXPECT_EQ(weft_word_read_ff(&q.word, &got), 0);
    EXPECT_EQ(got, 42u);
    done = true;
  });
  EXPECT_TRUE(yield_until([&] { return done.load(); }));
  outside.join();
}

TEST_F(embed, a_wait_is_noted_twice_and_a_full_word_not_at_all) {
  static std::atomic<int> begun, ended;
  begun = ended = 0;
  const auto note = [](int begins) { ++(begins != 0 ? begun : ended); };
  product p;
  uint64_t got = 0;
  EXPECT_EQ(weft_word_read_ff_noted(&p.word, &got, note), 0);
  EXPECT_EQ(begun + ended, 0);
  std::atomic<bool> go{true};
  p.go = &go;
  ASSERT_EQ(spawn_producer(p), 0);
  EXPECT_EQ(weft_word_read_ff_noted(&p.word, &got, note), 0);
  EXPECT_EQ(got, 42u);
  EXPECT_EQ(begun, ended);
  EXPECT_LE(begun, 1);
  ASSERT_EQ(weft_word_empty(&p.word), 0);
  auto fills = [&p] {
    while (begun == ended) weft_task_yield();
    EXPECT_EQ(weft_word_fill(&p.word), 0);
  };
  begun = ended = 0;
  const weft_task_t t = spawn(fills);
  EXPECT_EQ(weft_word_read_ff_noted(&p.word, nullptr, note), 0);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 1);
  join(t);
}

TEST_F(embed, a_wait_to_take_or_to_write_is_noted_twice_and_none_not_at_all) {
  static std::atomic<int> begun, ended;
  begun = ended = 0;
  const auto note = [](int begins) { ++(begins != 0 ? begun : ended); };
  uint64_t word = 5, got = 0;
  EXPECT_EQ(weft_word_read_fe_noted(&word, &got, note), 0);
  EXPECT_EQ(got, 5u);
  EXPECT_EQ(weft_word_write_ef_noted(&word, 6, note), 0);
  EXPECT_EQ(begun + ended, 0);
  auto empties = [&word] {
    while (begun == ended) weft_task_yield();
    EXPECT_EQ(weft_word_empty(&word), 0);
  };
  weft_task_t t = spawn(empties);
  EXPECT_EQ(weft_word_write_ef_noted(&word, 7, note), 0);
  EXPECT_EQ(begun, 1);
  EXPECT_EQ(ended, 1);
  join(t);
  EXPECT_EQ(word, 7u);
  ASSERT_EQ(weft_word_empty(&word), 0);
  auto fills = [&word] {
    while (begun == ended) weft_task_yield();
    EXPECT_EQ(weft_word_fill(&word), 0);
  };
  t = spawn(fills);
  EXPECT_EQ(weft_word_read_fe_noted(&word, &got, note), 0);
  EXPECT_EQ(got, 7u);
  EXPECT_EQ(begun, 2);
  EXPECT_EQ(ended, 2);
  join(t);
  EXPECT_EQ(weft_word_status(&word), 0);
  EXPECT_EQ(weft_word_fill(&word), 0);
}

// In each turn the word is full, so that the call waits, and becomes empty as the row says.
TEST_F(embed, a_word_is_filled_with_what_it_holds_by_then) {
  static std::atomic<int> begun, ended;
  const auto note = [](int begins) { ++(begins != 0 ? begun : ended); };
  static uint64_t word;
  static uint64_t taken;
  word = 1;
  EXPECT_EQ(weft_word_try_fill_ef(&word), -EBUSY);
  ASSERT_EQ(weft_word_empty(&word), 0);
  EXPECT_EQ(weft_word_try_fill_ef(&word), 0);
  EXPECT_EQ(weft_word_status(&word), 1);
  const struct {
    int (*empties)();
    uint64_t expected;
  } rows[] = {{[] { return weft_word_purge_to(&word, 7); }, 7},
              {[] { return weft_word_purge(&word); }, 0},
              {[] { return (++word, weft_word_empty(&word)); }, 1},
              {[] { return (++word, weft_word_read_fe(&word, &taken)); }, 2}};
  for (const auto& row : rows) {
    begun = ended = 0;
    auto empties = [&row] {
      while (begun == ended) weft_task_yield();
      EXPECT_EQ(row.empties(), 0);
    };
    const weft_task_t t = spawn(empties);
    EXPECT_EQ(weft_word_fill_ef_noted(&word, note), 0);
    EXPECT_EQ(word, row.expected);
    EXPECT_EQ(weft_word_status(&word), 1);
    EXPECT_EQ(begun, 1);
    EXPECT_EQ(ended, 1);
    join(t);
  }
  EXPECT_EQ(taken, 2u);
  ASSERT_EQ(weft_word_empty(&word), 0);
  auto reads = [] { EXPECT_EQ((weft_word_read_fe(&word, &taken), taken), 3u); };
  const weft_task_t t = spawn(reads);
  weft_task_yield();
  ++word;
  EXPECT_EQ(weft_word_fill_ef_noted(&word, note), 0);
  join(t);
  EXPECT_EQ(weft_word_fill(&word), 0);
}

TEST_F(embed, a_disowned_word_is_full_as_it_stands_unless_it_waits_for_another) {
  struct child {
    uint64_t word = 3;
    weft_producer_t producer;
    std::atomic<bool> go{false}, gone{false};
  } c;
  const auto disowns = [](void* arg) -> void* {
    auto* mine = static_cast<child*>(arg);
    while (!mine->go) weft_task_yield();
    EXPECT_EQ(weft_word_disown(&mine->word, &mine->producer), 0);
    mine->gone = true;
    return nullptr;
  };
  c.go = true;
  ASSERT_EQ(weft_task_spawn_producer(disowns, &c, nullptr, &c.word, &c.producer), 0);
  uint64_t got = 0;
  EXPECT_EQ(weft_word_read_ff(&c.word, &got), 0);
  EXPECT_EQ(got, 3u);
  EXPECT_TRUE(yield_until([&] { return c.gone.load(); }));
  c.go = c.gone = false;
  ASSERT_EQ(weft_task_spawn_producer(disowns, &c, nullptr, &c.word, &c.producer), 0);
  ASSERT_EQ(weft_word_purge_to(&c.word, 4), 0);
  c.go = true;
  EXPECT_TRUE(yield_until([&] { return c.gone.load(); }));
  EXPECT_EQ(weft_word_status(&c.word), 0);
  EXPECT_EQ(weft_word_fill(&c.word), 0);
}

// On a line of its own, which is a bucket of its own.
struct alignas(64) product_of_syncvar {
  uint64_t word = 0;
  weft_syncvar_t from = WEFT_SYNCVAR_INIT_TO(0);
  weft_producer_t producer;
};

TEST_F(embed, a_producer_may_wait_for_a_syncvar_beside_its_word) {
  for (int i = 0; i < 100; ++i) {
    product_of_syncvar p;
    ASSERT_EQ(weft_syncvar_empty(&p.from), 0);
    auto fills = [&] { EXPECT_EQ(weft_syncvar_write_ef(&p.from, 41), 0); };
    const weft_task_t filler = spawn(fills);
    const auto produces = [](void* arg) -> void* {
      auto& mine = *static_cast<product_of_syncvar*>(arg);
      uint64_t from = 0;
      EXPECT_EQ(weft_syncvar_read_fe(&mine.from, &from), 0);
      EXPECT_EQ(weft_word_produce(&mine.word, &mine.producer, from + 1), 0);
      return nullptr;
    };
    ASSERT_EQ(weft_task_spawn_producer(produces, &p, nullptr, &p.word, &p.producer), 0);
    uint64_t got = 0;
    EXPECT_EQ(weft_word_read_ff(&p.word, &got), 0) << "which calls the producer";
    EXPECT_EQ(got, 42u);
    join(filler);
  }
}

struct filled {
  uint64_t word = 0;
  std::atomic<bool>* go = nullptr;
  uint64_t* waits_for = nullptr;
  std::atomic<int>* count = nullptr;
  int ran_as = 0;
};
const char filled_by = 0;

void* fill(void* arg) {
  auto* const f = static_cast<filled*>(arg);
  void* object = nullptr;
  EXPECT_EQ(weft_task_origin(&object), &filled_by);
  EXPECT_EQ(object, &f->word);
  if (f->count != nullptr) f->ran_as = ++*f->count;
  while (f->go != nullptr && !*f->go) weft_task_yield();
  if (f->waits_for != nullptr) {
    EXPECT_EQ(weft_word_read_ff(f->waits_for, nullptr), 0);
  }
  EXPECT_EQ(weft_word_write_last(static_cast<uint64_t*>(object), 42), 0);
  return nullptr;
}

int spawn_filler(filled& f) {
  return weft_task_spawn_filler(fill, &f, const_cast<char*>(&filled_by), &f.word);
}

TEST_F(embed, who_reads_the_word_of_a_filler_gets_its_value_in_any_order) {
  constexpr int most = 100;
  for (const int n : {1, 2, 3, 17, most}) {
    for (int order = 0; order < 4; ++order) {
      filled row[most];
      for (int i = 0; i < n; ++i) ASSERT_EQ(spawn_filler(row[i]), 0);
      for (int i = 0; i < n; ++i) {
        const int at = order == 0   ? i
                       : order == 1 ? n - 1 - i
                       : order == 2 ? (i + n / 2) % n
                                    : (i % 2 == 0 ? i / 2 : n - 1 - i / 2);
        uint64_t got = 0;
        EXPECT_EQ(weft_word_read_ff(&row[at].word, &got), 0);
        EXPECT_EQ(got, 42u);
        EXPECT_EQ(weft_word_status(&row[at].word), 1);
      }
    }
  }
}

TEST_F(embed, a_reader_runs_the_filler_below_the_newest_and_leaves_that_to_be_joined) {
  std::atomic<int> turns{0};
  for (int i = 0; i < 100; ++i) {
    turns = 0;
    filled first;
    filled second;
    first.count = second.count = &turns;
    ASSERT_EQ(spawn_filler(first), 0);
    ASSERT_EQ(spawn_filler(second), 0);
    EXPECT_EQ(weft_word_read_ff(&first.word, nullptr), 0);
    if (weft_worker_count() == 1) {
      EXPECT_EQ(first.ran_as, 1);
      EXPECT_EQ(weft_word_status(&second.word), 0);
    }
    EXPECT_EQ(weft_word_read_ff(&second.word, nullptr), 0);
    EXPECT_EQ(turns, 2);
    filled third;
    auto child = [] {};
    ASSERT_EQ(spawn_filler(third), 0);
    const weft_task_t newer = spawn(child);
    EXPECT_EQ(weft_word_read_ff(&third.word, nullptr), 0);
    join(newer);
  }
}

TEST_F(embed, a_third_task_ends_the_read_while_the_filler_waits) {
  for (const bool by_word : {false, true}) {
    std::atomic<bool> go{false};
    uint64_t gate = 0;
    ASSERT_EQ(weft_word_empty(&gate), 0);
    filled f;
    if (by_word) {
      f.waits_for = &gate;
    } else {
      f.go = &go;
    }
    auto third = [&] { EXPECT_EQ(weft_word_write_f(&f.word, 1), 0); };
    ASSERT_EQ(spawn_filler(f), 0);
    EXPECT_EQ(weft_word_status(&f.word), 0);
    const weft_task_t t = spawn(third);
    uint64_t got = 0;
    EXPECT_EQ(weft_word_read_fe(&f.word, &got), 0);
    EXPECT_EQ(got, 1u);
    go = true;
    EXPECT_EQ(weft_word_fill(&gate), 0);
    EXPECT_EQ(weft_word_read_ff(&f.word, &got), 0);
    EXPECT_EQ(got, 42u);
    join(t);
  }
}

TEST_F(embed, a_filler_may_come_from_outside_and_two_may_read_it) {
  filled f;
  std::atomic<bool> go{false};
  f.go = &go;
  std::atomic<int> read{0};
  std::thread outside([&] {
    ASSERT_EQ(spawn_filler(f), 0);
    go = true;
    uint64_t got = 0;
    EXPECT_EQ(weft_word_read_ff(&f.word, &got), 0);
    EXPECT_EQ(got, 42u);
    ++read;
  });
  EXPECT_TRUE(yield_until([&] { return go.load(); }));
  uint64_t got = 0;
  EXPECT_EQ(weft_word_read_ff(&f.word, &got), 0);
  EXPECT_EQ(got, 42u);
  EXPECT_TRUE(yield_until([&] { return read == 1; }));
  outside.join();
}

TEST_F(embed, a_task_for_an_object_knows_it_and_one_without_knows_none) {
  static std::atomic<int> right;
  right = 0;
  static uint64_t object;
  const auto looks = [](void* arg) -> void* {
    void* mine = &right;
    if (weft_task_origin(&mine) == &filled_by && mine == arg) ++right;
    weft_task_yield();
    if (weft_task_origin(nullptr) == &filled_by) ++right;
    return nullptr;
  };
  auto* const origin = const_cast<char*>(&filled_by);
  ASSERT_EQ(weft_task_spawn_for(looks, &object, origin, &object), 0);
  ASSERT_EQ(weft_task_spawn_for(looks, nullptr, origin, nullptr), 0);
  EXPECT_TRUE(yield_until([&] { return right == 4; }));
  auto joined = [] {
    void* mine = &right;
    EXPECT_NE(weft_task_origin(&mine), nullptr);
    EXPECT_EQ(mine, nullptr);
  };
  join(spawn(joined));
  static product of;
  const auto produces = [](void*) -> void* {
    void* mine = nullptr;
    EXPECT_NE(weft_task_origin(&mine), nullptr);
    EXPECT_EQ(mine, &of.word);
    EXPECT_EQ(weft_word_produce(&of.word, &of.producer, 1), 0);
    return nullptr;
  };
  const weft_spawn_t by_request = WEFT_SPAWN_INIT;
  for (const weft_spawn_t* how : {static_cast<const weft_spawn_t*>(nullptr), &by_request}) {
    ASSERT_EQ(weft_task_spawn_producer(produces, nullptr, how, &of.word, &of.producer), 0);
    EXPECT_EQ(weft_word_read_ff(&of.word, nullptr), 0);
  }
  auto* const odd = reinterpret_cast<char*>(&object) + 4;
  EXPECT_EQ(weft_task_spawn_for(looks, nullptr, origin, odd), -EINVAL);
  EXPECT_EQ(weft_task_spawn_for(nullptr, nullptr, origin, nullptr), -EINVAL);
  EXPECT_EQ(weft_task_spawn_filler(looks, nullptr, origin, nullptr), -EINVAL);
  EXPECT_EQ(weft_task_spawn_filler(looks, nullptr, origin, reinterpret_cast<uint64_t*>(odd)),
            -EINVAL);
  EXPECT_EQ(weft_task_spawn_filler(nullptr, nullptr, origin, &object), -EINVAL);
  EXPECT_EQ(weft_word_write_last(reinterpret_cast<uint64_t*>(odd), 1), -EINVAL);
  EXPECT_EQ(weft_word_status(&object), 1);
}

struct seen_waiters {
  const void *read, *written, *var, *awaited;
  int readers = 0, writers = 0, at_var = 0, unbegun = 0, others = 0;
  static void visit(const weft_word_waiter_t* w, void* arg) {
    auto& s = *static_cast<seen_waiters*>(arg);
    const bool begun = w->fn == nullptr && w->arg == nullptr && w->is_syncvar == 0;
    if (w->word == s.read && begun && w->record == s.read) {
      ++s.readers;
    } else if (w->word == s.written && begun && w->record == nullptr) {
      ++s.writers;
    } else if (w->word == s.var && w->is_syncvar != 0 && w->fn == nullptr) {
      ++s.at_var;
    } else if (w->word == s.awaited && w->fn == counts && w->arg == s.read &&
               w->record == nullptr && w->is_syncvar == 0) {
      ++s.unbegun;
    } else {
      ++s.others;
    }
  }
  static void* counts(void*) { return nullptr; }
};

TEST_F(embed, each_task_that_waits_at_a_word_is_visited_and_no_thread_is) {
  // On one line: one bucket has all of them.
  struct alignas(64) line {
    uint64_t read = 0, written = 0, awaited = 0;
    weft_syncvar_t var = WEFT_SYNCVAR_INIT_TO(0);
  } l;
  const auto look = [&] {
    seen_waiters s{&l.read, &l.written, &l.var, &l.awaited};
    EXPECT_EQ(weft_word_visit_waiters(seen_waiters::visit, &s), 0);
    return s;
  };
  EXPECT_EQ(weft_word_empty(&l.read), 0);
  EXPECT_EQ(weft_word_empty(&l.awaited), 0);
  EXPECT_EQ(weft_syncvar_empty(&l.var), 0);
  auto reads = [&] {
    EXPECT_EQ(weft_task_set_record(&l.read), 0);
    EXPECT_EQ(weft_word_read_ff(&l.read, nullptr), 0);
  };
  auto reads_until = [&] {
    EXPECT_EQ(weft_task_set_record(&l.read), 0);
    EXPECT_EQ(weft_word_read_ff_until(&l.read, nullptr, INT64_MAX - 1), 0);
  };
  auto writes = [&] { EXPECT_EQ(weft_word_write_ef(&l.written, 1), 0); };
  auto reads_var = [&] { EXPECT_EQ(weft_syncvar_read_ff(&l.var, nullptr), 0); };
  const weft_task_t tasks[] = {spawn(reads), spawn(reads), spawn(reads_until), spawn(writes),
                               spawn(reads_var)};
  const uint64_t* const first[] = {&l.awaited};
  weft_task_t unbegun = nullptr;
  ASSERT_EQ(weft_task_spawn_when(seen_waiters::counts, &l.read, nullptr, first, 1, &unbegun), 0);
  std::thread outside([&] { EXPECT_EQ(weft_word_read_ff(&l.read, nullptr), 0); });
  EXPECT_TRUE(yield_until([&] {
    const seen_waiters s = look();
    EXPECT_EQ(s.others, 0);
    return s.readers == 3 && s.writers == 1 && s.at_var == 1 && s.unbegun == 1;
  }));
  EXPECT_EQ(weft_word_write_f(&l.read, 3), 0);
  outside.join();
  EXPECT_EQ(weft_word_empty(&l.written), 0);
  EXPECT_EQ(weft_syncvar_write_ef(&l.var, 1), 0);
  EXPECT_EQ(weft_word_fill(&l.awaited), 0);
  for (const weft_task_t t : tasks) join(t);
  join(unbegun);
  const seen_waiters after = look();
  EXPECT_EQ(after.readers + after.writers + after.at_var + after.unbegun + after.others, 0);
  EXPECT_EQ(weft_word_fill(&l.read), 0);
  EXPECT_EQ(weft_word_visit_waiters(nullptr, nullptr), -EINVAL);
}

TEST_F(embed, bad_requests_change_nothing) {
  product p;
  auto* odd = reinterpret_cast<uint64_t*>(reinterpret_cast<char*>(&p.word) + 1);
  const weft_spawn_t first = with_flags(WEFT_SPAWN_WORK_FIRST);
  const weft_spawn_t nowhere = on_worker(weft_worker_count());
  EXPECT_EQ(weft_task_spawn_producer(nullptr, &p, nullptr, &p.word, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, nullptr, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, odd, &p.producer), -EINVAL);
  EXPECT_EQ(weft_task_spawn_producer(produce, &p, nullptr, &p.word, nullptr), -EINVAL);
  EXPECT_EQ(spawn_producer(p, &first), -EINVAL);
  EXPECT_EQ(spawn_producer(p, &nowhere), -ERANGE);
  EXPECT_EQ(weft_word_produce(nullptr, &p.producer, 1), -EINVAL);
  EXPECT_EQ(weft_word_produce(&p.word, nullptr, 1), -EINVAL);
  EXPECT_EQ(weft_word_disown(&p.word, nullptr), -EINVAL);
  EXPECT_EQ(weft_word_disown(nullptr, &p.producer), -EINVAL);
  EXPECT_EQ(weft_word_read_ff_noted(odd, nullptr, [](int) {}), -EINVAL);
  EXPECT_EQ(weft_word_read_ff_noted(&p.word, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_word_read_fe_noted(&p.word, nullptr, nullptr), -EINVAL);
  EXPECT_EQ(weft_word_write_ef_noted(&p.word, 1, nullptr), -EINVAL);
  EXPECT_EQ(weft_word_fill_ef_noted(&p.word, nullptr), -EINVAL);
  EXPECT_EQ(weft_word_read_fe_noted(nullptr, nullptr, [](int) {}), -EINVAL);
  EXPECT_EQ(weft_word_write_ef_noted(nullptr, 1, [](int) {}), -EINVAL);
  EXPECT_EQ(weft_word_fill_ef_noted(odd, [](int) {}), -EINVAL);
  EXPECT_EQ(weft_word_try_fill_ef(nullptr), -EINVAL);
  EXPECT_EQ(weft_word_status(&p.word), 1);
}

}  // namespace
}  // namespace weft::test
