// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one join of Rayon per spawn.
use crate::harness::{ns, Config, Report};
use std::time::Instant;

fn fib(n: i64) -> i64 {
    if n < 2 {
        return n;
    }
    let (a, b) = rayon::join(|| fib(n - 1), || fib(n - 2));
    a + b
}

fn value(n: i64) -> i64 {
    let (mut a, mut b) = (0, 1);
    for _ in 0..n {
        (a, b) = (b, a + b);
    }
    a
}

pub fn run(r: &mut Report) {
    let n = Config::parse(include_str!("config.hpp")).size(r, "n");
    r.measure("ns/op", |r| {
        let start = Instant::now();
        let result = fib(n);
        let sample = ns(start) / (value(n + 1) - 1) as f64;
        r.check("fib", result, value(n));
        sample
    });
}
