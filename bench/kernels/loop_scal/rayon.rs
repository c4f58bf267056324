// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by parallel iterators over blocks, of which each worker gets one.
use crate::harness::{die, ns, Config, Report};
use rayon::prelude::*;
use std::time::Instant;

pub fn run(r: &mut Report) {
    let length = match r.kernel.as_str() {
        "loop_scal_1k" => 1_000,
        "loop_scal_10k" => 10_000,
        "loop_scal_1m" => 1_000_000,
        _ => die("this length is not known"),
    };
    let loops = Config::parse(include_str!("config.hpp")).size(r, "total") / length;
    let x = vec![1.0f64; length as usize];
    let mut y = vec![0.0f64; length as usize];
    let block = (length as usize).div_ceil(r.workers);
    r.measure("ns/op", |r| {
        let start = Instant::now();
        for n in 1..=loops {
            let a = n as f64;
            y.par_chunks_mut(block).zip(x.par_chunks(block)).for_each(|(y, x)| {
                for (to, from) in y.iter_mut().zip(x) {
                    *to = a * *from;
                }
            });
            std::hint::black_box(&mut y);
        }
        let sample = ns(start) / loops as f64;
        let wrong = y.iter().filter(|v| **v != loops as f64).count();
        r.check("wrong elements", wrong, 0);
        sample
    });
}
