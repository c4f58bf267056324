// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Fibonacci without a cut-off, one goroutine per spawn.
package main

import (
	_ "embed"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func fib(n int64) int64 {
	if n < 2 {
		return n
	}
	child := make(chan int64, 1)
	go func() { child <- fib(n - 1) }()
	b := fib(n - 2)
	return <-child + b
}

func value(n int64) int64 {
	a, b := int64(0), int64(1)
	for ; n > 0; n-- {
		a, b = b, a+b
	}
	return a
}

func main() {
	r := harness.New("ns/op")
	n := harness.Parse(header).Size(r, "n")
	r.Measure(func() float64 {
		start := time.Now()
		result := fib(n)
		sample := harness.Ns(start) / float64(value(n+1)-1)
		r.Check("fib", result, value(n))
		return sample
	})
	r.Finish()
}
