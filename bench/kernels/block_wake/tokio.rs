// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two tasks of Tokio that wake each other by Notify, its semaphore of one place.
use crate::harness::{ns, Config, Report};
use std::sync::atomic::{AtomicI64, Ordering::Relaxed};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::Notify;

pub fn run(r: &mut Report, runtime: &Runtime) {
    let total = Config::parse(include_str!("config.hpp")).size(r, "turns");
    r.measure("ns/op", |r| {
        let semaphores = Arc::new([Notify::new(), Notify::new()]);
        let taken = Arc::new(AtomicI64::new(0)); // written by the one whose turn it is
        let play = |me: usize| {
            let (semaphores, taken) = (semaphores.clone(), taken.clone());
            async move {
                let mut out_of_turn = 0;
                for _ in 0..total / 2 {
                    semaphores[me].notified().await;
                    let turn = taken.load(Relaxed);
                    out_of_turn += i64::from(turn % 2 != me as i64);
                    taken.store(turn + 1, Relaxed);
                    semaphores[1 - me].notify_one();
                }
                out_of_turn
            }
        };
        let start = Instant::now();
        let out_of_turn = runtime.block_on(async {
            let (a, b) = (tokio::spawn(play(0)), tokio::spawn(play(1)));
            semaphores[0].notify_one();
            a.await.unwrap_or(-1) + b.await.unwrap_or(-1)
        });
        let sample = ns(start) / total as f64;
        r.check("turns", taken.load(Relaxed), total);
        r.check("turns out of turn", out_of_turn, 0);
        sample
    });
}
