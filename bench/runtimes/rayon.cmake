# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Rayon, from its crate.
bench_crate(rayon "Rayon")
