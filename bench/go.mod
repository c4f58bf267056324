// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The Go side of the benchmarks; it needs the standard library only.
module weft/bench

go 1.19
