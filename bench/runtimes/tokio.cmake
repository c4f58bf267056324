# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Tokio, from its crate.
bench_crate(tokio "Tokio")
