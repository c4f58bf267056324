// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet by a parallel iterator over the children of each node.
use crate::harness::{ns, Config, Report};
use rayon::prelude::*;
use std::time::Instant;

fn visit(first: i64, leaves: i64, children: i64) -> i64 {
    if leaves == 1 {
        return first;
    }
    let part = leaves / children;
    (0..children as usize)
        .into_par_iter()
        .with_max_len(1)
        .map(|i| visit(first + i as i64 * part, part, children))
        .sum()
}

pub fn run(r: &mut Report) {
    let config = Config::parse(include_str!("config.hpp"));
    let leaves = config.size(r, "leaves");
    let children = config.get("children");
    r.measure("s", |r| {
        let start = Instant::now();
        let sum = visit(0, leaves, children);
        let sample = ns(start) * 1e-9;
        r.check("sum", sum, leaves * (leaves - 1) / 2);
        sample
    });
}
