// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// An array whose place is given, so that all programs of a kernel have it alike: the twin of placed_array.hpp.
use crate::harness::die;
use std::alloc::{alloc, handle_alloc_error, Layout};
use std::mem::size_of;

extern "C" {
    fn madvise(memory: *mut u8, bytes: usize, advice: i32) -> i32;
}

// number: of the array in its kernel. It lasts as long as the process.
pub fn placed_array(size: usize, number: usize, value: f64) -> &'static mut [f64] {
    const HUGE_PAGE: usize = 2 << 20;
    const APART: usize = 4096 / 8 + 64;
    const MADV_HUGEPAGE: i32 = 14;
    let whole = (number * APART + size * size_of::<f64>()).next_multiple_of(HUGE_PAGE);
    let layout = Layout::from_size_align(whole, HUGE_PAGE).unwrap_or_else(|why| die(&why.to_string()));
    // SAFETY: the memory is of this size, is given to nobody else, and is written before it is read.
    unsafe {
        let memory = alloc(layout);
        if memory.is_null() {
            handle_alloc_error(layout);
        }
        madvise(memory, whole, MADV_HUGEPAGE); // that the system has none left or gives none is no error
        let first = memory.add(number * APART).cast::<f64>();
        for i in 0..size {
            first.add(i).write(value);
        }
        std::slice::from_raw_parts_mut(first, size)
    }
}
