// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Address space: reserving it, guarding it, giving its pages back.
//
// Every address and size is a multiple of page_bytes(), except where said. No call changes errno.
#pragma once

#include <cstddef>

namespace weft::rt::os {

[[nodiscard]] std::size_t page_bytes() noexcept;

// Zeroed, readable, writable, private memory that costs nothing until it is touched. bytes is
// rounded up to a page by the kernel. nullptr: no address space, or no more mappings.
[[nodiscard]] void* reserve(std::size_t bytes) noexcept;

// Unmaps. May split a mapping in two, which can fail for lack of mappings: false, nothing changed.
bool release(void* p, std::size_t bytes) noexcept;

// Gives the pages back; they read as zero afterwards. Guards stay. False on locked memory: the
// pages and what they hold stay.
bool discard(void* p, std::size_t bytes) noexcept;

// Keeps the kernel from backing this range with huge pages (a stack must cost the pages it uses).
// Does nothing where the kernel has none.
void no_huge_pages(void* p, std::size_t bytes) noexcept;

// A guard without a mapping of its own: an access faults as SIGSEGV, what the range held is gone.
// False: the system cannot (it has no such guards, or the memory is locked); nothing changed. That
// is found out by looking, once if memory can be had, because some emulators report success and do
// nothing.
[[nodiscard]] bool guard_install(void* p, std::size_t bytes) noexcept;
// Makes the range usable again, zeroed; false as above.
bool guard_remove(void* p, std::size_t bytes) noexcept;

// A guard by page protection: costs up to two mappings. False: the mappings are used up.
[[nodiscard]] bool protect(void* p, std::size_t bytes) noexcept;
// Makes the range readable and writable again; false as above.
[[nodiscard]] bool unprotect(void* p, std::size_t bytes) noexcept;

// How many pages of the range are in memory; vec receives one byte for each page, its lowest bit
// set when the page is. vec has bytes / page_bytes() elements. On failure (not mapped) 0, vec all
// zero.
std::size_t resident_pages(const void* p, std::size_t bytes, unsigned char* vec) noexcept;

// Whether there is memory at an address, in use or not; false: unmapped. Any address.
[[nodiscard]] bool is_mapped(const void* p) noexcept;

}  // namespace weft::rt::os
