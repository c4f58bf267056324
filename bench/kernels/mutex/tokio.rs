// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter under a mutex of Tokio.
use crate::harness::{ns, Config, Report};
use std::sync::Arc;
use std::time::Instant;
use tokio::runtime::Runtime;
use tokio::sync::Mutex;

pub fn run(r: &mut Report, runtime: &Runtime) {
    let config = Config::parse(include_str!("config.hpp"));
    let total = config.size(r, "locks");
    let threads = config.get(&r.kernel);
    r.measure("ns/op", |r| {
        let counter = Arc::new(Mutex::new(0));
        let start = Instant::now();
        let counted: i64 = runtime.block_on(async {
            let count = |counter: Arc<Mutex<i64>>| async move {
                for _ in 0..total / threads {
                    *counter.lock().await += 1;
                }
            };
            let tasks: Vec<_> =
                (0..threads).map(|_| tokio::spawn(count(counter.clone()))).collect();
            for task in tasks {
                let _ = task.await;
            }
            *counter.lock().await
        });
        let sample = ns(start) / total as f64;
        r.check("count", counted, total);
        sample
    });
}
