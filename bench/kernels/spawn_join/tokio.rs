// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then as many joins in the order of the spawns, of Tokio's tasks.
use crate::harness::{die, ns, Config, Report};
use std::time::Instant;
use tokio::runtime::Runtime;

pub fn run(r: &mut Report, runtime: &Runtime) {
    let config = Config::parse(include_str!("config.hpp"));
    let total = config.size(r, "total");
    let batch = config.get(&r.kernel);
    r.measure("ns/op", |r| {
        let (time, wrong) = runtime.block_on(async {
            let mine = tokio::spawn(async move {
                let (mut time, mut wrong) = (0.0, 0);
                let mut tasks = Vec::with_capacity(batch as usize);
                for _ in 0..total / batch {
                    let start = Instant::now();
                    for i in 0..batch {
                        tasks.push(tokio::spawn(async move { i + 1 }));
                    }
                    let mut sum = 0;
                    for task in tasks.drain(..) {
                        sum += task.await.unwrap_or(0);
                    }
                    time += ns(start);
                    wrong += i64::from(sum != batch * (batch + 1) / 2);
                }
                (time, wrong)
            });
            mine.await.unwrap_or_else(|error| die(&error.to_string()))
        });
        r.check("wrong sums", wrong, 0);
        time / total as f64
    });
}
