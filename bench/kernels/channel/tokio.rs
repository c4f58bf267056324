// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers through a bounded channel of Tokio; it has none without a buffer.
use crate::harness::{ns, Config, Report};
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::mpsc;

pub fn run(r: &mut Report, runtime: &Runtime) {
    let config = Config::parse(include_str!("config.hpp"));
    let count = config.size(r, "values");
    let capacity = config.get(&r.kernel) as usize;
    r.measure("ns/op", |r| {
        let start = Instant::now();
        let sum: i64 = runtime.block_on(async {
            let (sender, mut receiver) = mpsc::channel(capacity);
            tokio::spawn(async move {
                for i in 1..=count {
                    if sender.send(i).await.is_err() {
                        return;
                    }
                }
            });
            let adding = tokio::spawn(async move {
                let mut sum = 0;
                while let Some(value) = receiver.recv().await {
                    sum += value;
                }
                sum
            });
            adding.await.unwrap_or(0)
        });
        let sample = ns(start) / count as f64;
        r.check("sum", sum, count * (count + 1) / 2);
        sample
    });
}
