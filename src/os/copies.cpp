// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Finds the other copies of this library by their ELF notes.
//
// Orders
//   K1 <> K1   each copy raises its own flag, then reads the others': of two that start at once at
//              least one sees the other, perhaps both do
#include "os/copies.hpp"

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <elf.h>
#include <link.h>

#include "base/atomic.hpp"
#include "os/process.hpp"

namespace weft::rt::os {

// Other versions of this library read it: it only ever grows at its end.
struct copy_record {
  std::uint32_t version = 1;
  atomic<std::uint32_t> runs{0};
};

}  // namespace weft::rt::os

extern "C" {
// `used`: the note below mentions it by name, and link-time optimisation does not look in there.
__attribute__((visibility("hidden"), used)) constinit weft::rt::os::copy_record weft_copy_record;
}

// One note of type 1, name "Weft": the distance from itself to the record, in 8 bytes.
asm(".pushsection .note.weft, \"a\", %note\n"
    ".balign 4\n"
    ".long 5, 8, 1\n"
    ".asciz \"Weft\"\n"
    ".balign 4\n"
    "1: .quad weft_copy_record - 1b\n"
    ".popsection\n");

namespace weft::rt::os {

namespace {

constexpr char note_name[] = "Weft";
constexpr std::size_t note_unit = 4;

std::size_t padded(std::size_t bytes) noexcept {
  return (bytes + note_unit - 1) / note_unit * note_unit;
}

// The record of a copy whose note lies in this segment; nullptr: there is none.
copy_record* record_in(const char* at, std::size_t bytes) noexcept {
  while (bytes >= sizeof(ElfW(Nhdr))) {
    ElfW(Nhdr) head;
    std::memcpy(&head, at, sizeof head);
    const std::size_t name_bytes = padded(head.n_namesz);
    const std::size_t whole = sizeof head + name_bytes + padded(head.n_descsz);
    if (whole > bytes) return nullptr;
    const char* const name = at + sizeof head;
    if (head.n_type == 1 && head.n_namesz == sizeof note_name && head.n_descsz == 8 &&
        std::memcmp(name, note_name, sizeof note_name) == 0) {
      std::int64_t distance = 0;
      std::memcpy(&distance, name + name_bytes, sizeof distance);
      return reinterpret_cast<copy_record*>(reinterpret_cast<std::uintptr_t>(name) + name_bytes +
                                            static_cast<std::uintptr_t>(distance));
    }
    at += whole;
    bytes -= whole;
  }
  return nullptr;
}

// Ends the walk at an object with another copy that runs, and leaves its name in *found.
int look_into(dl_phdr_info* object, std::size_t, void* found) noexcept {
  for (std::size_t i = 0; i < object->dlpi_phnum; ++i) {
    const ElfW(Phdr)& segment = object->dlpi_phdr[i];
    // Notes that need 8 bytes of alignment are laid out otherwise, and not ours.
    if (segment.p_type != PT_NOTE || segment.p_align > note_unit) continue;
    copy_record* const record = record_in(
        reinterpret_cast<const char*>(object->dlpi_addr + segment.p_vaddr), segment.p_memsz);
    if (record == nullptr || record == &weft_copy_record) continue;
    if (record->runs.load_seq_cst() == 0) continue;  // K1 <> K1
    *static_cast<const char**>(found) = object->dlpi_name != nullptr ? object->dlpi_name : "";
    return 1;
  }
  return 0;
}

}  // namespace

const char* claim_process() noexcept {
  const char* found = nullptr;
  weft_copy_record.runs.store_seq_cst(1);  // K1 <> K1
  {
    const unforked scope;  // glibc leaves the lock of this walk as it is in a child
    (void)::dl_iterate_phdr(look_into, &found);
  }
  if (found != nullptr) release_process();
  return found;
}

void release_process() noexcept { weft_copy_record.runs.store_seq_cst(0); }  // K1 <> K1

}  // namespace weft::rt::os
