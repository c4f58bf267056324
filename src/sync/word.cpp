// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Full/empty bits: the short ways without waiters, and the ways through the word's group.
#include "sync/word.hpp"

#include "mem/raw.hpp"
#include "os/memory.hpp"
#include "os/process.hpp"
#include "sync/word_group.hpp"

namespace weft::rt {

void* word_env::reserve(std::size_t bytes) noexcept {
  void* p = os::reserve(bytes);
  // Once, with the first that succeeds. Who stood in a bucket does not exist in the child.
  if (p != nullptr && !os::at_fork_in_child(words_forget_all)) {
    os::release(p, bytes);
    p = nullptr;
  }
  return p;
}
void word_env::discard(void* p, std::size_t bytes) noexcept {
  const std::size_t page = os::page_bytes();
  // A table's page may be smaller than the system's; then its buckets stay in memory.
  if (reinterpret_cast<uintptr_t>(p) % page == 0) os::discard(p, bytes / page * page);
}
void* word_env::take(std::size_t bytes) noexcept { return raw_alloc(bytes); }
void word_env::give(void* p, std::size_t bytes) noexcept { raw_free(p, bytes); }
bool word_env::gone(uintptr_t line) noexcept {
  return !os::is_mapped(reinterpret_cast<void*>(line * line_bytes));
}

namespace {

class word_cell {
 public:
  explicit word_cell(const uint64_t* at) noexcept : at_(const_cast<uint64_t*>(at)) {}
  ~word_cell() {
    if (room_ != nullptr) word_env::give(room_, sizeof *room_);
  }
  word_cell(const word_cell&) = delete;
  word_cell& operator=(const word_cell&) = delete;

  uintptr_t key() const noexcept { return reinterpret_cast<uintptr_t>(at_); }
  words_table::held& held() noexcept { return held_; }
  void lock() noexcept {
    held_ = words.close(key());
    held_.spare = room_;
    room_ = nullptr;
  }
  void unlock() noexcept { words.open(held_); }  // last use of *this, if a waiter's stack holds it
  bool empty() const noexcept { return words.is_empty(held_, key()); }
  uint64_t value() const noexcept {
    return atomic_place(at_).load_relaxed();  // via: the bucket
  }
  void put(uint64_t value) noexcept {
    atomic_place(at_).store_release(value);  // V1 -> V2
  }
  bool set_empty() noexcept { return words.set_empty(held_, key()) == words_table::mark::done; }
  void set_full() noexcept { (void)words.set_full(held_, key()); }
  bool get_room() noexcept {
    room_ = words.spare_line();
    if (room_ == nullptr) return false;
    room_->next = nullptr;
    return true;
  }

 private:
  uint64_t* at_;
  words_table::held held_;
  words_table::more_line* room_ = nullptr;
};

constexpr const char* kind = "full/empty word";

uintptr_t address(const uint64_t* word) noexcept { return reinterpret_cast<uintptr_t>(word); }

WEFT_COLD int act(const uint64_t* word, word_want want, uint64_t& value, int64_t deadline_ns,
                  void* site) noexcept {
  word_cell c(word);
  return word_act(c, kind, word, want, value, deadline_ns, site);
}

// What a read gives: nothing where nothing is wanted. To the word itself neither: it may have another
// value by now.
WEFT_ALWAYS_INLINE void give(uint64_t value, const uint64_t* word, uint64_t* out) noexcept {
  if (out != nullptr && out != word) *out = value;
}

WEFT_COLD int empty_slow(uint64_t* word, const uint64_t* value, word_producer* p) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  return word_empties(c, value, p);
}

WEFT_COLD int fill_slow(uint64_t* word, const uint64_t* value, word_producer* p) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  return word_fills(c, value, p);
}

WEFT_COLD bool word_is_empty(const uint64_t* word) noexcept {
  word_cell c(word);
  c.lock();
  const bool empty = c.empty();
  c.unlock();
  return empty;
}

}  // namespace

bool word_is_full(const uint64_t* word) noexcept {
  uint64_t value = 0;
  if (words.read_full(address(word), [&] { return uint64_t{0}; }, value)) return true;
  return !word_is_empty(word);
}

int word_read_ff(const uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site) noexcept {
  uint64_t value = 0;
  const auto load_acquire = [&] { return atomic_place(word).load_acquire(); };  // V2 <- V1
  if (!words.read_full(address(word), load_acquire, value)) [[unlikely]] {
    // Who tries and then waits pays for one wait, not for two.
    if (deadline_ns == at_once && word_is_empty(word)) return -EBUSY;
    const int failed = act(word, word_want::read_ff, value, deadline_ns, site);
    if (failed != 0) return failed;
  }
  give(value, word, out);
  return 0;
}

int word_read_fe(uint64_t* word, uint64_t* out, int64_t deadline_ns, void* site) noexcept {
  if (!words.ready()) [[unlikely]]
    return -ENOMEM;
  words_table::held h = words.close(address(word));
  if (h.at->notes == nullptr && words.set_empty(h, address(word)) == words_table::mark::done)
      [[likely]] {
    const uint64_t value = atomic_place(word).load_relaxed();  // via: the bucket
    words.open(h);
    give(value, word, out);
    return 0;
  }
  words.open(h);
  uint64_t value = 0;
  const int failed = act(word, word_want::read_fe, value, deadline_ns, site);
  if (failed == 0) give(value, word, out);
  return failed;
}

int word_write_ef(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site) noexcept {
  if (!words.ready()) [[unlikely]]
    return -ENOMEM;
  words_table::held h = words.close(address(word));
  if (h.at->notes == nullptr && words.set_full(h, address(word)) == words_table::mark::done)
      [[likely]] {
    atomic_place(word).store_release(value);  // V1 -> V2
    words.open(h);
    return 0;
  }
  words.open(h);
  return act(word, word_want::write_ef, value, deadline_ns, site);
}

int word_write_ff(uint64_t* word, uint64_t value, int64_t deadline_ns, void* site) noexcept {
  return words.ready() ? act(word, word_want::write_ff, value, deadline_ns, site) : -ENOMEM;
}

int word_write_f(uint64_t* word, uint64_t value) noexcept {
  return fill_slow(word, &value, nullptr);
}

int word_fill(uint64_t* word) noexcept { return fill_slow(word, nullptr, nullptr); }

int word_empty(uint64_t* word) noexcept { return empty_slow(word, nullptr, nullptr); }

int word_purge_to(uint64_t* word, uint64_t value) noexcept {
  return empty_slow(word, &value, nullptr);
}

int word_set_producer(uint64_t* word, word_producer& p) noexcept {
  return empty_slow(word, nullptr, &p);
}

int word_produce(uint64_t* word, word_producer& p, uint64_t value) noexcept {
  return fill_slow(word, &value, &p);
}

int word_stand(uint64_t* word, word_waiter& n) noexcept {
  if (!words.ready()) return -ENOMEM;
  word_cell c(word);
  c.lock();
  if (c.empty() == (n.want == word_want::write_ef)) {
    c.unlock();
    return -EALREADY;
  }
  stand(c, find_group(c), n);
  c.unlock();
  return 0;
}

void word_leave(uint64_t* word, word_waiter& n) noexcept {
  word_cell c(word);
  c.lock();
  if (n.queued) leave(c, n);
  c.unlock();
}

void words_forget_tasks() noexcept {
  if (words.buckets() == 0) return;
  words.for_each([](words_table::held& h) {
    // A cell that is closed already, and no word's in particular.
    struct closed_cell {
      words_table::held& at;
      uintptr_t word;
      words_table::held& held() noexcept { return at; }
      uintptr_t key() const noexcept { return word; }
    };
    for (word_note* n = h.at->notes; n != nullptr;) {
      auto& g = static_cast<word_group&>(*n);
      closed_cell c{h, n->word};
      n = n->next;
      drop_producer(g);
      served calls;
      drop_tasks(g.readers, calls);
      drop_tasks(g.writers, calls);
      drop_tasks(g.turn, calls);
      settle_group(c, g);
      calls.forget();
    }
  });
}

void words_forget_all() noexcept { words.forget_all(); }

}  // namespace weft::rt
