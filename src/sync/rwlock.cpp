// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The slow ways of the reader/writer lock.
#include "sync/rwlock.hpp"

#include "sync/passage.hpp"
#include "sync/wait.hpp"

namespace weft::rt {

void rwlock::let_readers_in(closed_queue& queue, wake_chain& in) noexcept {
  in.add_from(readers_);
  queue.word += in.count() * reader;
}

void rwlock::let_writer_in(closed_queue& queue, wake_chain& in) noexcept {
  in.add_from(writers_, 1);
  if (in.count() != 0) queue.word |= writing;
}

void rwlock::leave(closed_queue& queue, const wake_chain& in) noexcept {
  if (readers_.empty() && writers_.empty()) {
    queue.word &= ~queue_word::waiting;
  } else {
    queue.word |= queue_word::waiting;
  }
  queue.unlock();  // last use of *this
  in.wake();
}

bool rwlock::try_read_lock_slow() noexcept {
  closed_queue queue(word_);
  const bool enters = readers_may_enter(queue.word);
  if (enters) queue.word += reader;
  leave(queue, {});
  return enters;
}

bool rwlock::try_write_lock_slow() noexcept {
  closed_queue queue(word_);
  const bool enters = queue.word < writing;
  if (enters) queue.word |= writing;
  leave(queue, {});
  return enters;
}

int rwlock::read_lock_slow(int64_t deadline_ns, void* site) noexcept {
  wait w("rwlock, to read", this, site);
  return wait_to_pass(word_, readers_, w, deadline_ns, [this](uint64_t& word) {
    const bool enters = readers_may_enter(word);
    if (enters) word += reader;
    return enters;
  });
}

int rwlock::write_lock_slow(int64_t deadline_ns, void* site) noexcept {
  wait w("rwlock, to write", this, site);
  const int failed = wait_to_pass(word_, writers_, w, deadline_ns, [](uint64_t& word) {
    const bool enters = word < writing;
    if (enters) word |= writing;
    return enters;
  });
  if (failed == 0) return 0;
  // Readers that waited for this writer alone wait for nobody now.
  closed_queue queue(word_);
  wake_chain in;
  if (readers_may_enter(queue.word)) let_readers_in(queue, in);
  leave(queue, in);
  return failed;
}

int rwlock::read_unlock_slow() noexcept {
  closed_queue queue(word_);
  const bool held = queue.word >= reader;
  wake_chain in;
  if (held) {
    queue.word -= reader;
    if (queue.word < reader) {
      let_writer_in(queue, in);
      if (in.count() == 0) let_readers_in(queue, in);
    }
  }
  leave(queue, in);
  return held ? 0 : -EPERM;
}

int rwlock::write_unlock_slow() noexcept {
  closed_queue queue(word_);
  const bool held = (queue.word & writing) != 0;
  wake_chain in;
  if (held) {
    queue.word &= ~writing;
    let_readers_in(queue, in);
    if (in.count() == 0) let_writer_in(queue, in);
  }
  leave(queue, in);
  return held ? 0 : -EPERM;
}

}  // namespace weft::rt
