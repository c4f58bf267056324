// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The cheapest loop, by parallel iterators over blocks, of which each worker gets one.
use crate::harness::{die, ns, Config, Report};
use crate::placed_array::placed_array;
use rayon::prelude::*;
use std::time::{Duration, Instant};

pub fn run(r: &mut Report) {
    let length = match r.kernel.as_str() {
        "loop_scal_1k" => 1_000,
        "loop_scal_10k" => 10_000,
        "loop_scal_1m" => 1_000_000,
        _ => die("this length is not known"),
    };
    let config = Config::parse(include_str!("config.hpp"));
    let loops = config.size(r, "total") / length;
    let longest = Duration::from_millis(config.get("longest_sample_ms") as u64);
    let look_every = config.get("look_every");
    let x = &*placed_array(length as usize, 0, 1.0);
    let y = placed_array(length as usize, 1, 0.0);
    let block = (length as usize).div_ceil(r.workers);
    r.measure("ns/op", |r| {
        let start = Instant::now();
        let mut n = 0;
        while n < loops && (n % look_every != 0 || start.elapsed() < longest) {
            n += 1;
            let a = n as f64;
            y.par_chunks_mut(block).zip(x.par_chunks(block)).for_each(|(y, x)| {
                for (to, from) in y.iter_mut().zip(x) {
                    *to = a * *from;
                }
            });
            std::hint::black_box(&mut *y);
        }
        let sample = ns(start) / n as f64;
        let wrong = y.iter().filter(|v| **v != n as f64).count();
        r.check("wrong elements", wrong, 0);
        sample
    });
}
