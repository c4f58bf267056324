// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tasks of Tokio that yield to each other on one worker.
use crate::harness::{ns, Config, Report};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;

pub fn run(r: &mut Report, runtime: &Runtime) {
    let total = Config::parse(include_str!("config.hpp")).size(r, "yields");
    let mut percent = 0.0;
    r.measure("ns/op", |r| {
        let last = Arc::new(AtomicI64::new(-1));
        let play = |me: i64| {
            let last = last.clone();
            async move {
                let mut switched = 0;
                for _ in 0..total / 2 {
                    last.store(me, Relaxed);
                    tokio::task::yield_now().await;
                    switched += i64::from(last.load(Relaxed) != me);
                }
                switched
            }
        };
        let start = Instant::now();
        let switches = runtime.block_on(async {
            let (a, b) = (tokio::spawn(play(0)), tokio::spawn(play(1)));
            a.await.unwrap_or(0) + b.await.unwrap_or(0)
        });
        let sample = ns(start) / total as f64;
        r.check("some yields switched", switches > 0, true);
        percent = 100.0 * switches as f64 / total as f64;
        sample
    });
    r.note(&format!("{percent:.4} % of the yields switched"));
}
