// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of Tokio: one worker by its scheduler for the current thread, several by that of many threads.
mod harness;

#[path = "../kernels/block_wake/tokio.rs"]
mod block_wake;
#[path = "../kernels/channel/tokio.rs"]
mod channel;
#[path = "../kernels/mutex/tokio.rs"]
mod mutex;
#[path = "../kernels/spawn_join/tokio.rs"]
mod spawn_join;
#[path = "../kernels/yield/tokio.rs"]
mod yielding;

fn main() {
    let mut report = harness::Report::new("tokio");
    let built = if report.workers == 1 {
        tokio::runtime::Builder::new_current_thread().build()
    } else {
        tokio::runtime::Builder::new_multi_thread().worker_threads(report.workers).build()
    };
    let runtime = built.unwrap_or_else(|error| harness::die(&error.to_string()));
    let kernel = report.kernel.clone();
    match kernel.as_str() {
        "block_wake" => block_wake::run(&mut report, &runtime),
        "yield" => yielding::run(&mut report, &runtime),
        "channel_64" => channel::run(&mut report, &runtime),
        name if name.starts_with("mutex") => mutex::run(&mut report, &runtime),
        name if name.starts_with("spawn_join") => spawn_join::run(&mut report, &runtime),
        _ => harness::die("this kernel is not written"),
    }
    report.finish()
}
