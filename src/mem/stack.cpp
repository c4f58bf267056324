// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The arena of stacks: chunks, slots, guards, depot; and the cold side of the caches.
#include "mem/stack.hpp"

#include <algorithm>
#include <bit>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <mutex>
#include <new>

#include "arch/fiber_notes.hpp"
#include "base/build.hpp"
#include "base/check.hpp"
#include "base/owned.hpp"
#include "mem/overflow.hpp"
#include "mem/raw.hpp"
#include "os/clock.hpp"
#include "os/memory.hpp"

namespace weft::rt {

namespace {

// For calls on top of the promise.
constexpr std::size_t least_reserve_bytes = std::size_t{32} << 10;
constexpr std::uint32_t first_chunk_slots = 64;
constexpr std::uint32_t largest_chunk_slots = 8192;
constexpr std::size_t largest_chunk_bytes = std::size_t{16} << 30;
constexpr std::size_t largest_promise = std::size_t{1} << 40;
constexpr std::size_t largest_guard = std::size_t{1} << 30;
constexpr std::uint32_t most_made_at_once = 16;

// Each guard by page protection costs two mappings, of which a process has 65,530 by default; half
// of them are left to the program (its threads, its files, its allocator).
constexpr std::uint32_t protect_budget = 16'384;

// Stacks on their way into the depot are looked at this often, after as many times at first.
constexpr std::uint32_t trim_interval = 16;

// Headers are spread over this many places in their pages. At the same offset in every page, the
// headers and top frames of all stacks would share two sets of a first-level cache.
constexpr std::uint32_t colours = std::clamp<std::size_t>(1024 / sizeof(stack), 1, 8);
static_assert(colours * sizeof(stack) <= 2048, "the top page holds the first frames too");

std::size_t round_up(std::size_t n, std::size_t unit) noexcept {
  return (n + unit - 1) / unit * unit;
}

std::byte* page_of(std::byte* p) noexcept {
  return p - reinterpret_cast<std::uintptr_t>(p) % os::page_bytes();
}

// What one page of the lowest page table covers: 2 MiB where pages are 4 KiB.
std::size_t table_span() noexcept { return os::page_bytes() * (os::page_bytes() / sizeof(void*)); }

std::uint64_t* canary_of(std::byte* low) noexcept {
  return reinterpret_cast<std::uint64_t*>(low) - canary_words;
}

// Gives back [from, to). Not asking first (mincore) whether anything is resident is half the price:
// the kernel finds empty page tables in 0.4 us a stack, mincore takes 0.8 us. On locked memory it
// fails and the pages stay, as their owner wanted.
void give_back(std::byte* from, std::byte* to) noexcept {
  if (from < to) os::discard(from, static_cast<std::size_t>(to - from));
}

// All but the page of the header. Nothing is on s.
void trim_whole(stack& s) noexcept {
  give_back(s.low, page_of(reinterpret_cast<std::byte*>(&s)));
  s.trimmed_uses.set(s.uses());
}

bool is_trimmed(const stack& s) noexcept { return s.trimmed_uses.get() == s.uses(); }

// What the frames of the calls below trim_stack() need; a sanitizer's own are larger.
constexpr std::ptrdiff_t own_frames_bytes = build::asan || build::tsan ? 4096 : 1024;

bool trim_due(const stack& s) noexcept {
  const std::uint32_t uses = s.uses();
  return uses <= trim_interval || uses - s.trimmed_uses.get() >= trim_interval;
}

}  // namespace

void trim_stack(stack& s, std::byte* sp) noexcept {
  auto* here = static_cast<std::byte*>(__builtin_frame_address(0));
  // NOLINTNEXTLINE(misc-include-cleaner): arch/context.hpp chooses the header that has it
  constexpr std::ptrdiff_t red_zone = arch::red_zone_bytes;
  std::byte* keep = sp - std::min(sp - s.low, red_zone);
  if (here >= s.low && here < s.high) {
    keep = std::min(keep, here - std::min(here - s.low, own_frames_bytes));
  }
  give_back(s.low, page_of(keep));
}

void look_at_park(stack& s, std::byte* sp) noexcept {
  constexpr std::uint32_t often = 1024;
  const std::uint32_t uses = s.uses();
  const bool has_canary = s.canary != nullptr;
  if (has_canary) check_canary(s);
  if (!has_canary || std::has_single_bit(uses) || uses % often == 0) trim_stack(s, sp);
  const std::uint32_t next = uses < often ? std::bit_ceil(uses + 1) : (uses / often + 1) * often;
  const std::uint32_t look_at = has_canary ? uses + 1 : next;
  s.look_at.set(look_at);
  s.to_look.set(look_at - uses - 1);  // as many also where the 32 bits of look_at wrap
}

// The words are about the stack, not of a flow on it: TSan knows no order between who made it and
// the task that looks.
__attribute__((no_sanitize("thread"))) void check_canary(const stack& s) noexcept {
  for (unsigned i = 0; i < canary_words; ++i) {
    if (s.canary[i] != canary_value) report_canary_damage(s, &s.canary[i]);
  }
}

// --- the pool -----------------------------------------------------------------------------------

int stack_pool::start(const stack_options& options) noexcept {
  WEFT_ASSERT(slot_bytes_ == 0);
  if (options.promised_bytes == 0 || options.guard_bytes == 0) return -EINVAL;
  if (options.promised_bytes > largest_promise || options.guard_bytes > largest_guard)
    return -EINVAL;
  const std::size_t page = os::page_bytes();
  options_ = options;
  options_.promised_bytes = round_up(options.promised_bytes, page);
  options_.guard_bytes = round_up(options.guard_bytes, page);
  const std::size_t reserve =
      round_up(std::max(options_.promised_bytes / 2, least_reserve_bytes), page);
  slot_bytes_ = options_.guard_bytes + options_.promised_bytes + reserve;
  if (slot_bytes_ >= table_span()) slot_bytes_ = round_up(slot_bytes_, table_span());
  next_chunk_slots_ = first_chunk_slots;

  chunks_ = static_cast<chunk*>(os::reserve(max_chunks * sizeof(chunk)));
  slot_range first;
  if (chunks_ != nullptr) first = claim(1);
  if (first.count == 0) {
    stop();
    return -ENOMEM;
  }
  // Its stack is made later, by who uses it.
  const guard_kind got = install_guard(first.first);
  first_guard_ = got;
  protected_.store_relaxed(
      0);  // own: nobody else is here; the same guard again needs no mapping more
  chunks_[0].taken = 0;
  if (options.guard != guard_kind::automatic && options.guard != got) {
    stop();
    return -ENOTSUP;
  }
  return 0;
}

void stack_pool::stop() noexcept {
  if (slot_bytes_ == 0) return;
  WEFT_CHECK(caches_ == nullptr, "the stacks are given back while a worker still caches some");
  const std::uint32_t count = chunk_count_.load_relaxed();  // own: nobody else is left
  for (std::uint32_t i = 0; i < count; ++i) release_chunk(chunks_[i]);
  if (chunks_ != nullptr) os::release(chunks_, max_chunks * sizeof(chunk));
  chunks_ = nullptr;
  chunk_count_.store_relaxed(0);                // own: nobody else is left
  made_.store_relaxed(0);                       // own: nobody else is left
  for (auto& n : guarded_) n.store_relaxed(0);  // own: nobody else is left
  protected_.store_relaxed(0);                  // own: nobody else is left
  in_dirty_.store_relaxed(0);                   // own: nobody else is left
  clean_ = nullptr;
  dirty_ = nullptr;
  in_depot_ = 0;
  slot_bytes_ = 0;
}

void stack_pool::release_chunk(const chunk& c) noexcept {
  for (std::uint32_t i = 0; i < c.taken; ++i) {
    auto* s = std::launder(reinterpret_cast<stack*>(header_of(c.slots + i * slot_bytes_, i)));
    notes::stack_gone(s->note);
    s->~stack();
  }
  os::release(c.base, c.bytes);
}

bool stack_pool::add_chunk() noexcept {
  const std::uint32_t count = chunk_count_.load_relaxed();  // own: under mutex_
  if (count == max_chunks) return false;
  const bool large = slot_bytes_ >= table_span();
  const auto most = static_cast<std::uint32_t>(
      std::clamp<std::size_t>(largest_chunk_bytes / slot_bytes_, 1, largest_chunk_slots));
  chunk c{};
  for (c.slot_count = std::min(next_chunk_slots_, most);; c.slot_count /= 2) {
    if (c.slot_count == 0) return false;
    // Large slots end mid-way in what one page table covers: then the top page of one stack and the
    // guard of the next need one page table, not two.
    c.bytes = c.slot_count * slot_bytes_ + (large ? table_span() : 0);
    c.base = static_cast<std::byte*>(os::reserve(c.bytes));
    if (c.base != nullptr) break;
  }
  os::no_huge_pages(c.base, c.bytes);
  c.slots = c.base;
  if (large) {
    const std::size_t middle = table_span() / 2;
    const std::size_t now = reinterpret_cast<std::uintptr_t>(c.base) % table_span();
    c.slots += (middle + table_span() - now) % table_span();
  }
  // Memory that is there before anyone touches it is locked memory (mlockall): reserving ahead then
  // costs memory, so chunks do not grow.
  unsigned char resident = 0;
  if (os::resident_pages(c.base, os::page_bytes(), &resident) == 0) {
    next_chunk_slots_ = std::min(next_chunk_slots_ * 2, largest_chunk_slots);
  }
  chunks_[count] = c;
  chunk_count_.store_release(count + 1);  // M1 -> F1
  return true;
}

stack_pool::slot_range stack_pool::claim_slots(std::uint32_t wanted) noexcept {
  std::uint32_t count = chunk_count_.load_relaxed();  // own: under mutex_
  if (count == 0 || chunks_[count - 1].taken == chunks_[count - 1].slot_count) {
    if (!add_chunk()) return {};
    ++count;
  }
  chunk& c = chunks_[count - 1];
  slot_range range;
  range.index = c.taken;
  range.count = std::min(wanted, c.slot_count - c.taken);
  range.first = c.slots + range.index * slot_bytes_;
  c.taken += range.count;
  return range;
}

stack_pool::slot_range stack_pool::claim(std::uint32_t wanted) noexcept {
  const std::scoped_lock lock(mutex_);
  return claim_slots(wanted);
}

stack_pool::batch stack_pool::claim_and_make(std::uint32_t wanted) noexcept {
  return make_all(claim(wanted));
}

// The calling worker touches each first, without the lock: a page fault and a system call each.
stack_pool::batch stack_pool::make_all(const slot_range& range) noexcept {
  batch made;
  for (std::uint32_t i = range.count; i-- > 0;) {
    stack* s = make_one(range.first + i * slot_bytes_, range.index + i);
    s->next.set(made.first);
    made.first = s;
    ++made.count;
  }
  made_.add_relaxed(made.count);  // count: statistics
  return made;
}

std::byte* stack_pool::header_of(std::byte* slot, std::uint32_t index) const noexcept {
  return slot + slot_bytes_ - (index % colours + 1) * sizeof(stack);
}

stack* stack_pool::make_one(std::byte* slot, std::uint32_t index) noexcept {
  std::byte* header = header_of(slot, index);
  notes::forget(header, header + sizeof(stack));  // find() and for_each() may have read zeros
  auto* s = ::new (header) stack;
  s->high = reinterpret_cast<std::byte*>(s);
  s->low = slot + options_.guard_bytes;
  s->inline_floor = s->low + options_.promised_bytes;
  s->guard = install_guard(slot);
  if (s->guard == guard_kind::canary) {
    std::uint64_t* words = canary_of(s->low);
    std::fill_n(words, canary_words, canary_value);
    s->canary = words;
  }
  guarded_[static_cast<std::size_t>(s->guard)].add_relaxed(1);  // count: for guard_text
  notes::stack_made(s->note, s->low, s->high);
  notes::forget(s, s + 1);  // written once: whoever runs on it or gives it back may read the bounds
  s->made.store_release(true);  // M2 -> F2
  return s;
}

guard_kind stack_pool::install_guard(std::byte* slot) noexcept {
  const guard_kind wanted = options_.guard;
  if (wanted == guard_kind::canary) return guard_kind::canary;
  if (wanted != guard_kind::mprotect && os::guard_install(slot, options_.guard_bytes)) {
    return guard_kind::madvise;
  }
  return protect_within_budget(slot) ? guard_kind::mprotect : guard_kind::canary;
}

bool stack_pool::protect_within_budget(std::byte* slot) noexcept {
  if (protected_.load_relaxed() >= protect_budget) return false;  // hint: decided by the next line
  if (protected_.add_relaxed(1) >= protect_budget) return false;  // count: who gets a number, may
  return os::protect(slot, options_.guard_bytes);
}

stack_pool::slot_range stack_pool::slot_of(const void* address) const noexcept {
  auto* p = static_cast<const std::byte*>(address);
  // The latest chunk is the largest. There are few: 8 for 10,000 stacks, 130 for a million.
  for (std::uint32_t i = chunk_count_.load_acquire(); i-- > 0;) {  // F1 <- M1
    const chunk& c = chunks_[i];
    if (p < c.slots || p >= c.slots + c.slot_count * slot_bytes_) continue;
    const auto index =
        static_cast<std::uint32_t>(static_cast<std::size_t>(p - c.slots) / slot_bytes_);
    return {c.slots + index * slot_bytes_, index, 1};
  }
  return {};
}

stack* stack_pool::find(const void* address) const noexcept {
  const slot_range slot = slot_of(address);
  if (slot.count == 0) return nullptr;
  auto* s = reinterpret_cast<stack*>(header_of(slot.first, slot.index));
  return s->made.load_acquire() ? s : nullptr;  // F2 <- M2
}

const stack* stack_pool::overrun(const void* address, const void* stack_pointer) const noexcept {
  const slot_range hit = slot_of(address);
  const slot_range from = slot_of(stack_pointer);
  if (from.count == 0 || hit.first != from.first + slot_bytes_) return nullptr;
  const auto offset = [](const slot_range& slot, const void* p) {
    return static_cast<std::size_t>(static_cast<const std::byte*>(p) - slot.first);
  };
  if (hit.index == 0 || offset(hit, address) >= options_.guard_bytes) return nullptr;
  if (offset(from, stack_pointer) < options_.guard_bytes) return nullptr;
  return reinterpret_cast<const stack*>(header_of(from.first, from.index));
}

const stack* stack_pool::header_of_slot(const chunk& c, std::uint32_t index) const noexcept {
  return reinterpret_cast<const stack*>(header_of(c.slots + index * slot_bytes_, index));
}

std::uint32_t stack_pool::taken_of(std::uint32_t chunk_index) const noexcept {
  const std::lock_guard hold(mutex_);
  return chunks_[chunk_index].taken;
}

bool stack_pool::in_guard(const stack& s, const void* address) const noexcept {
  const auto* p = static_cast<const std::byte*>(address);
  return p < s.low && p >= s.low - options_.guard_bytes;
}

bool stack_pool::is_near(const stack& s, const void* stack_pointer) const noexcept {
  const auto* p = static_cast<const std::byte*>(stack_pointer);
  return p <= s.high && p >= s.low - options_.guard_bytes - slot_bytes_;
}

// --- the depot ----------------------------------------------------------------------------------

std::uint32_t stack_pool::batch_size() const noexcept { return std::max(1U, options_.cached / 2); }

void stack_pool::push_depot(const batch& stacks, bool dirty) noexcept {
  stack*& list = dirty ? dirty_ : clean_;
  stacks.first->next_batch = list;
  stacks.first->batch_count = stacks.count;
  list = stacks.first;
  in_depot_ += stacks.count;
  if (dirty)
    in_dirty_.add_relaxed(stacks.count);  // hint: read without the lock, to decide on trimming
}

stack_pool::batch stack_pool::pop_depot(bool dirty) noexcept {
  stack*& list = dirty ? dirty_ : clean_;
  if (list == nullptr) return {};
  const batch taken{list, list->batch_count};
  list = list->next_batch;
  in_depot_ -= taken.count;
  if (dirty) in_dirty_.add_relaxed(0U - taken.count);  // hint: as in push_depot
  return taken;
}

stack_pool::batch stack_pool::take_used() noexcept {
  const std::scoped_lock lock(mutex_);
  const batch taken = pop_depot(true);  // first, because its pages are there already
  return taken.count > 0 ? taken : pop_depot(false);
}

stack_pool::batch stack_pool::take_batch() noexcept {
  const batch taken = take_used();
  if (taken.count > 0) return taken;
  return claim_and_make(std::min(batch_size(), most_made_at_once));
}

void stack_pool::give_batch(const batch& stacks) noexcept {
  const bool room = in_dirty_.load_relaxed() < dirty_limit;  // hint: one batch more or less
  bool dirty = false;
  for (stack* s = stacks.first; s != nullptr; s = s->next.get()) {
    if (is_trimmed(*s)) continue;
    if (!room || trim_due(*s)) {
      trim_whole(*s);
    } else {
      dirty = true;
    }
  }
  const std::int64_t now_ns = dirty ? os::monotonic_ns() : 0;
  const std::scoped_lock lock(mutex_);
  stacks.first->batch_since_ns = now_ns;
  push_depot(stacks, dirty);
}

void stack_pool::trim_idle(std::int64_t now_ns) noexcept {
  if (in_dirty_.load_relaxed() == 0) return;  // hint: the lock decides
  batch cold;
  {
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (!lock.owns_lock()) return;
    // If the latest is old enough, so are those below it.
    if (dirty_ == nullptr || now_ns - dirty_->batch_since_ns < idle_age_ns) return;
    cold = pop_depot(true);
  }
  for (stack* s = cold.first; s != nullptr; s = s->next.get()) {
    if (!is_trimmed(*s)) trim_whole(*s);
  }
  const std::scoped_lock lock(mutex_);
  push_depot(cold, false);
}

// --- what others ask ----------------------------------------------------------------------------

void stack_pool::enlist(stack_cache& cache) noexcept {
  const std::scoped_lock lock(mutex_);
  cache.next_cache_ = caches_;
  caches_ = &cache;
}

void stack_pool::delist(stack_cache& cache) noexcept {
  const std::scoped_lock lock(mutex_);
  stack_cache** link = &caches_;
  while (*link != &cache) link = &(*link)->next_cache_;
  *link = cache.next_cache_;
}

std::uint64_t stack_pool::live() const noexcept {
  const std::scoped_lock lock(mutex_);
  std::uint64_t idle = in_depot_;
  for (const stack_cache* c = caches_; c != nullptr; c = c->next_cache_) {
    idle += c->count_.load_relaxed();  // count: statistics
  }
  const std::uint64_t all = made();
  return all > idle ? all - idle : 0;
}

const char* stack_pool::guard_text() noexcept {
  const auto count = [this](guard_kind k) {
    return guarded_[static_cast<std::size_t>(k)].load_relaxed();  // count: statistics
  };
  const std::uint64_t by_madvise = count(guard_kind::madvise);
  const std::uint64_t by_mprotect = count(guard_kind::mprotect);
  const std::uint64_t by_canary = count(guard_kind::canary);
  const bool none = by_madvise + by_mprotect + by_canary == 0;
  const std::scoped_lock lock(mutex_);
  text_.clear();
  text_.size(options_.guard_bytes).add(" below each stack: ");
  const char* between = "";
  const auto add_if_used = [&](guard_kind k, std::uint64_t stacks, const char* how) {
    if (stacks == 0 && !(none && k == first_guard_)) return false;
    text_.add(between).add(how).add(" (stacks so far: ").decimal(stacks).add("), ");
    between = "; ";
    return true;
  };
  if (add_if_used(guard_kind::madvise, by_madvise, "guarded by MADV_GUARD_INSTALL"))
    text_.add("which needs no mapping");
  if (add_if_used(guard_kind::mprotect, by_mprotect, "guarded by mprotect"))
    text_.add(
        options_.guard == guard_kind::mprotect
            ? "as asked for"
            : "because MADV_GUARD_INSTALL is missing (Linux before 6.13) or the memory is locked");
  if (add_if_used(guard_kind::canary, by_canary, "canaries only"))
    text_.add(options_.guard == guard_kind::canary
                  ? "as asked for"
                  : "because the mappings for mprotect are used up");
  return text_.c_str();
}

// --- the caches' cold side ----------------------------------------------------------------------

void stack_cache::attach(stack_pool& pool) noexcept {
  WEFT_ASSERT(pool_.get() == nullptr);
  pool_.set(&pool);
  const std::uint32_t wanted = pool.options().cached;
  void* memory = wanted == 0 ? nullptr : raw_alloc(wanted * sizeof(owned<stack*>));
  // Without memory for the array every stack goes through the depot: slower, nothing else.
  stacks_.set(&one_);
  if (memory != nullptr) {
    auto* entries = static_cast<owned<stack*>*>(memory);
    for (std::uint32_t i = 0; i < wanted; ++i) ::new (entries + i) owned<stack*>();
    notes::forget(entries, entries + wanted);  // by whoever gives the worker its thread
    stacks_.set(entries);
    capacity_.set(wanted);
  }
  pool.enlist(*this);
}

void stack_cache::detach() noexcept {
  stack_pool* pool = pool_.get();
  if (pool == nullptr) return;
  if (reserved_count_.get() != 0) pool->give_batch(make_reserved());  // its thread never began
  while (count_.load_relaxed() > 0) give_oldest(pool->batch_size());  // own: the worker's
  pool->delist(*this);
  if (capacity_.get() != 0) raw_free(stacks_.get(), capacity_.get() * sizeof(owned<stack*>));
  stacks_.set(nullptr);
  capacity_.set(0);
  pool_.set(nullptr);
}

stack_pool::batch stack_cache::make_reserved() noexcept {
  const stack_pool::slot_range range{reserved_first_.get(), reserved_index_.get(),
                                     reserved_count_.get()};
  reserved_count_.set(0);
  return pool_.get()->make_all(range);
}

bool stack_cache::reserve() noexcept {
  if (count_.load_relaxed() > 0 || reserved_count_.get() != 0) return true;  // own: the worker's
  stack_pool& pool = *pool_.get();
  if (const stack_pool::batch used = pool.take_used(); used.count > 0) {
    keep(used, std::max(1U, capacity_.get()));
    return true;
  }
  const stack_pool::slot_range range = pool.claim(std::min(pool.batch_size(), most_made_at_once));
  reserved_first_.set(range.first);
  reserved_index_.set(range.index);
  reserved_count_.set(range.count);
  return range.count > 0;
}

// A batch into the empty cache, and what is more than `most` into the depot.
void stack_cache::keep(const stack_pool::batch& given, std::uint32_t most) noexcept {
  stack* rest = given.first;
  std::uint32_t n = 0;
  for (; rest != nullptr && n < most; ++n) {
    stacks_.get()[n].set(rest);
    rest = rest->next.get();
  }
  count_.store_relaxed(n);  // own: the worker's
  if (rest != nullptr) pool_.get()->give_batch({rest, given.count - n});
}

stack* stack_cache::refill() noexcept {
  const stack_pool::batch given =
      reserved_count_.get() != 0 ? make_reserved() : pool_.get()->take_batch();
  if (given.count == 0) return nullptr;
  keep({given.first->next.get(), given.count - 1}, capacity_.get());
  return given.first;
}

void stack_cache::overflow(stack* s) noexcept {
  if (capacity_.get() == 0) {
    s->next.set(nullptr);
    pool_.get()->give_batch({s, 1});
    return;
  }
  give_oldest(pool_.get()->batch_size());
  const std::uint32_t n = count_.load_relaxed();  // own: the worker's
  stacks_.get()[n].set(s);
  count_.store_relaxed(n + 1);  // own: the worker's
}

void stack_cache::give_oldest(std::uint32_t wanted) noexcept {
  const std::uint32_t n = count_.load_relaxed();  // own: the worker's
  const std::uint32_t given = std::min(wanted, n);
  owned<stack*>* entries = stacks_.get();
  stack_pool::batch out;
  for (std::uint32_t i = 0; i < given; ++i) {
    stack* s = entries[i].get();
    s->next.set(out.first);
    out.first = s;
    ++out.count;
  }
  for (std::uint32_t i = given; i < n; ++i) entries[i - given].set(entries[i].get());
  count_.store_relaxed(n - given);  // own: the worker's
  pool_.get()->give_batch(out);
}

void stack_cache::trim_idle() noexcept { trim_idle(os::monotonic_ns()); }

void stack_cache::trim_idle(std::int64_t now_ns) noexcept {
  if (now_ns - last_look_ns_.get() < stack_pool::idle_age_ns) return;
  last_look_ns_.set(now_ns);
  const std::uint32_t n = count_.load_relaxed();  // own: the worker's
  std::uint32_t at = next_visit_.get();
  for (std::uint32_t i = 0; i < std::min(n, idle_visits); ++i) {
    at = at + 1 < n ? at + 1 : 0;
    stack& s = *stacks_.get()[at].get();
    if (is_trimmed(s)) continue;
    if (s.visited_uses.get() == s.uses()) {
      trim_whole(s);
    } else {
      s.visited_uses.set(s.uses());
    }
  }
  next_visit_.set(at);
  pool_.get()->trim_idle(now_ns);
}

}  // namespace weft::rt
