// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The kernels of Rayon, run inside a pool of the wanted size.
mod harness;
mod placed_array;

#[path = "../kernels/fib/rayon.rs"]
mod fib;
#[path = "../kernels/loop_scal/rayon.rs"]
mod loop_scal;
#[path = "../kernels/nqueens/rayon.rs"]
mod nqueens;
#[path = "../kernels/skynet/rayon.rs"]
mod skynet;

fn main() {
    let mut report = harness::Report::new("rayon");
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(report.workers)
        .build()
        .unwrap_or_else(|error| harness::die(&error.to_string()));
    let kernel = report.kernel.clone();
    pool.install(|| match kernel.as_str() {
        "fib" => fib::run(&mut report),
        "nqueens" => nqueens::run(&mut report),
        "skynet" => skynet::run(&mut report),
        name if name.starts_with("loop_scal") => loop_scal::run(&mut report),
        _ => harness::die("this kernel is not written"),
    });
    report.finish()
}
