// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The table of empty words against a set of addresses, through growing, shrinking and gone memory.
#include "lockfree/word_table.hpp"

#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <sys/mman.h>
#include <vector>

namespace weft::rt {
namespace {

std::set<uintptr_t> gone_lines;
std::set<void*> lines_out;  // lines taken and not given back

template <uint64_t HashBits>
struct test_env {
  static uint64_t hash(uintptr_t line) noexcept {
    const uint64_t mixed = line * 0x9E37'79B9'7F4A'7C15;
    return (mixed >> 40 ^ mixed >> 20) & HashBits;
  }
  static void pause(unsigned) noexcept {}
  static bool prepare() noexcept { return true; }
  static void* reserve(std::size_t bytes) noexcept {
    void* p = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                   MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    return p == MAP_FAILED ? nullptr : p;
  }
  static void discard(void* p, std::size_t bytes) noexcept { madvise(p, bytes, MADV_DONTNEED); }
  static void* take(std::size_t bytes) noexcept {
    return *lines_out.insert(std::malloc(bytes)).first;
  }
  static void give(void* p, std::size_t) noexcept {
    lines_out.erase(p);
    std::free(p);
  }
  static bool gone(uintptr_t line) noexcept { return gone_lines.count(line) != 0; }
  static constexpr uint64_t first_buckets = 4;
  static constexpr uint64_t crowded_buckets = 16;
  static constexpr uint64_t most_buckets = 1u << 20;
  static constexpr uint64_t least_buckets = 4;
  static constexpr uint32_t crowd = 64;
};
using spread_env = test_env<UINT32_MAX>;
using clustered_env = test_env<0xf000>;  // sixteen hashes: entries go outside

// The table, and what it must say.
template <class Env>
struct checked_table {
  using table_type = word_table<Env>;
  using mark = typename table_type::mark;
  table_type table;
  std::set<uintptr_t> empty;

  checked_table() { EXPECT_TRUE(table.ready()); }

  void set_empty(uintptr_t word) {
    for (typename table_type::more_line* spare = nullptr;;) {
      typename table_type::held h = table.close(word);
      h.spare = spare;
      const mark m = table.set_empty(h, word);
      table.open(h);
      if (m != mark::no_room) {
        EXPECT_EQ(m == mark::done, empty.insert(word).second);
        return;
      }
      ASSERT_EQ(spare, nullptr) << "there was room already";
      spare = table.spare_line();
      spare->next = nullptr;
    }
  }
  void set_full(uintptr_t word) {
    typename table_type::held h = table.close(word);
    const mark m = table.set_full(h, word);
    table.open(h);
    EXPECT_EQ(m == mark::done, empty.erase(word) == 1);
  }
  bool says_empty(uintptr_t word) {
    typename table_type::held h = table.close(word);
    const bool is = table.is_empty(h, word);
    table.open(h);
    return is;
  }
  bool read_full(uintptr_t word) {
    uint64_t value = 0;
    return table.read_full(word, [] { return uint64_t{7}; }, value) && value == 7;
  }
  ~checked_table() {
    while (!empty.empty()) set_full(*empty.begin());
    EXPECT_TRUE(lines_out.empty());
  }
};

template <class Env>
class word_table_test : public testing::Test {};
using envs = testing::Types<spread_env, clustered_env>;
TYPED_TEST_SUITE(word_table_test, envs);

TYPED_TEST(word_table_test, says_what_a_set_says) {
  checked_table<TypeParam> t;
  uint64_t state = 88172645463325252u;
  this->RecordProperty("seed", "88172645463325252");
  const int steps = 60'000;
  for (int i = 0; i < steps; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    // In the first half more are emptied than filled, later the other way round.
    const uintptr_t word = 8 * (state % 3000) + (state >> 40 & 7) * 8192 * 8;
    const bool empties = (state >> 50 & 7) < (i < steps / 2 ? 6u : 1u);
    if (empties) {
      t.set_empty(word);
    } else {
      t.set_full(word);
    }
    ASSERT_EQ(t.says_empty(word), t.empty.count(word) == 1);
    ASSERT_EQ(t.says_empty(word ^ 8), t.empty.count(word ^ 8) == 1);
    ASSERT_FALSE(t.read_full(word) && t.empty.count(word) == 1);
  }
  for (const uintptr_t word : t.empty) ASSERT_TRUE(t.says_empty(word));
}

TEST(word_table, reads_full_words_without_a_lock_beside_empty_ones) {
  checked_table<spread_env> t;
  for (uintptr_t i = 0; i < 1000; ++i) t.set_empty(i * 128);
  int seen = 0;
  for (uintptr_t i = 0; i < 1000; ++i) {
    EXPECT_FALSE(t.read_full(i * 128));
    if (t.read_full(i * 128 + 8)) ++seen;
    if (t.read_full(i * 128 + 64)) ++seen;
  }
  EXPECT_GT(seen, 1200);  // the rest share a bucket with entries outside
}

TEST(word_table, grows_and_shrinks_with_what_is_empty) {
  checked_table<spread_env> t;
  const uintptr_t count = 100'000;
  for (uintptr_t i = 0; i < count; ++i) t.set_empty(i * 64);
  const uint64_t grown = t.table.buckets();
  EXPECT_GE(grown, count / 8);
  EXPECT_LE(t.table.bytes(), count * 24) << "a lone empty word takes too much";
  RecordProperty("bytes", static_cast<int>(t.table.bytes() / count));
  for (uintptr_t i = 0; i < count; ++i) t.set_full(i * 64);
  EXPECT_LE(t.table.buckets(), grown / 8);
}

TEST(word_table, words_of_a_line_share_an_entry) {
  checked_table<spread_env> t;
  const uintptr_t count = 100'000;
  for (uintptr_t i = 0; i < count; ++i) t.set_empty(i * 8);
  EXPECT_LE(t.table.bytes(), count * 4);
}

TEST(word_table, drops_entries_of_gone_memory_rather_than_grow) {
  word_table<spread_env> t;
  ASSERT_TRUE(t.ready());
  uint64_t buckets_after_two = 0;
  for (uintptr_t round = 1; round <= 20; ++round) {
    for (uintptr_t i = 0; i < 10'000; ++i) {
      const uintptr_t word = (round * 10'000 + i) * 64;
      auto h = t.close(word);
      if (t.set_empty(h, word) == word_table<spread_env>::mark::no_room) {
        t.open(h);
        auto* spare = t.spare_line();
        spare->next = nullptr;
        h = t.close(word);
        h.spare = spare;
        ASSERT_EQ(t.set_empty(h, word), word_table<spread_env>::mark::done);
      }
      t.open(h);
    }
    for (uintptr_t i = 0; i < 10'000; ++i) gone_lines.insert(round * 10'000 + i);
    if (round == 2) buckets_after_two = t.buckets();
  }
  gone_lines.clear();
  EXPECT_LE(t.buckets(), 3 * buckets_after_two) << "20 times the memory, all but the last gone";
  for (uintptr_t i = 0; i < 10'000; ++i) {
    const uintptr_t word = (20 * 10'000 + i) * 64;
    auto h = t.close(word);
    ASSERT_TRUE(t.is_empty(h, word));
    t.open(h);
  }
  t.for_each(
      [](word_table<spread_env>::held& h) {  // lines that hold what is gone, for the next test
        while (h.at->more != nullptr) {
          auto* m = h.at->more;
          h.at->more = m->next;
          spread_env::give(m, sizeof *m);
        }
      });
}

TEST(word_table, notes_follow_their_words) {
  checked_table<spread_env> t;
  word_note notes[500];
  for (uintptr_t i = 0; i < 500; ++i) {
    const uintptr_t word = i * 72 * 8;
    auto h = t.table.close(word);
    notes[i].word = word;
    t.table.add_note(h, notes[i]);
    t.table.open(h);
  }
  EXPECT_GT(t.table.buckets(), 50u) << "many waiters in few buckets";
  for (word_note& note : notes) {
    auto h = t.table.close(note.word);
    ASSERT_EQ(t.table.find_note(h, note.word), &note);
    t.table.remove_note(h, note, note.word);
    t.table.open(h);
  }
}

TEST(word_table, notes_stand_in_the_order_in_which_they_came) {
  checked_table<spread_env> t;
  auto h = t.table.close(0);
  word_note notes[4];
  const auto add = [&](unsigned i) {
    notes[i].word = 8 * uintptr_t{i};
    t.table.add_note(h, notes[i]);
  };
  const auto order = [&] {
    std::vector<uintptr_t> words;
    h.at->notes.for_each([&](const word_note& n) { words.push_back(n.word / 8); });
    return words;
  };
  using words = std::vector<uintptr_t>;
  for (const unsigned i : {2u, 0u, 1u}) add(i);
  EXPECT_EQ(order(), (words{2, 0, 1}));
  t.table.remove_note(h, notes[0], notes[0].word);
  EXPECT_EQ(order(), (words{2, 1}));
  add(3);
  t.table.remove_note(h, notes[2], notes[2].word);
  EXPECT_EQ(order(), (words{1, 3}));
  word_note other[2] = {notes[1], notes[3]};
  h.at->notes.replace(notes[3], other[1]);
  h.at->notes.replace(notes[1], other[0]);
  EXPECT_EQ(t.table.find_note(h, 8), &other[0]);
  EXPECT_EQ(t.table.find_note(h, 24), &other[1]);
  t.table.remove_note(h, other[1], other[1].word);
  word_note last = other[0];
  h.at->notes.replace(other[0], last);
  EXPECT_EQ(order(), words{1});
  t.table.remove_note(h, last, last.word);
  EXPECT_TRUE(h.at->notes.empty());
  t.table.reopen(h);
}

// Lines that share a bucket, in which words of two lines share a bit of its state.
TEST(word_table, says_of_each_word_whether_somebody_waits_there) {
  checked_table<clustered_env> t;
  uint64_t state = 88172645463325252u;
  RecordProperty("seed", "88172645463325252");
  std::map<uintptr_t, word_note> noted;
  for (int i = 0; i < 20'000; ++i) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    const uintptr_t word = 8 * (state % 128);
    auto h = t.table.close(word);
    const auto at = noted.find(word);
    ASSERT_EQ(t.table.find_note(h, word), at != noted.end() ? &at->second : nullptr);
    if (at != noted.end()) {
      t.table.remove_note(h, at->second, word);
      noted.erase(at);
    } else if (noted.size() < 12) {
      noted[word].word = word;
      t.table.add_note(h, noted[word]);
    }
    for (uintptr_t any = 0; any < 64 && h.at->notes.empty(); any += 8)
      ASSERT_FALSE(t.table.may_be_noted(h, any)) << "nobody waits anywhere";
    t.table.open(h);
  }
  for (auto& [word, note] : noted) {
    auto h = t.table.close(word);
    t.table.remove_note(h, note, note.word);
    EXPECT_EQ(t.table.find_note(h, word), nullptr);
    t.table.open(h);
  }
}

TEST(word_table, forgets_all_in_a_child) {
  checked_table<spread_env> t;
  for (uintptr_t i = 0; i < 1000; ++i) t.set_empty(i * 64);
  for (const uintptr_t word : t.empty) {
    auto h = t.table.close(word);  // as if a thread of the parent stood inside
    (void)h;
    break;
  }
  t.table.forget_all();
  for (void* line : lines_out) std::free(line);  // in a child they would be lost
  lines_out.clear();
  t.empty.clear();
  ASSERT_TRUE(t.table.ready());
  for (uintptr_t i = 0; i < 1000; ++i) EXPECT_FALSE(t.says_empty(i * 64));
}

}  // namespace
}  // namespace weft::rt
