// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one task of a parallel iterator per queen placed.
use crate::harness::{ns, Config, Report};
use rayon::prelude::*;
use std::time::Instant;

#[derive(Clone, Copy)]
struct Board {
    columns: u32,
    left: u32,
    right: u32,
    all: u32,
}

const MOST: usize = 16;

fn visit(me: Board) -> i64 {
    if me.columns == me.all {
        return 1;
    }
    let mut next = [me; MOST];
    let mut count = 0;
    let mut free = me.all & !(me.columns | me.left | me.right);
    while free != 0 {
        let queen = free & free.wrapping_neg();
        next[count] = Board {
            columns: me.columns | queen,
            left: (me.left | queen) << 1,
            right: (me.right | queen) >> 1,
            all: me.all,
        };
        count += 1;
        free &= free - 1;
    }
    next[..count].par_iter().with_max_len(1).map(|board| visit(*board)).sum()
}

pub fn run(r: &mut Report) {
    let config = Config::parse(include_str!("config.hpp"));
    let n = config.size(r, "n");
    let expected = config.size(r, "solutions");
    r.measure("s", |r| {
        let start = Instant::now();
        let solutions = visit(Board { columns: 0, left: 0, right: 0, all: (1 << n) - 1 });
        let sample = ns(start) * 1e-9;
        r.check("solutions", solutions, expected);
        sample
    });
}
