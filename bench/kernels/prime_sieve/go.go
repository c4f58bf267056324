// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The prime sieve with goroutines and channels.
package main

import (
	_ "embed"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func sieve(limit int64) int64 {
	source := make(chan int64)
	go func() {
		for number := int64(2); number <= limit; number++ {
			source <- number
		}
		close(source)
	}()
	sum := int64(0)
	in := source
	for {
		prime, open := <-in
		if !open {
			return sum
		}
		sum += prime
		out := make(chan int64)
		go func(in <-chan int64, out chan<- int64, prime int64) {
			for number := range in {
				if number%prime != 0 {
					out <- number
				}
			}
			close(out)
		}(in, out, prime)
		in = out
	}
}

func main() {
	r := harness.New("s")
	config := harness.Parse(header)
	limit := config.Size(r, "limit")
	r.Measure(func() float64 {
		start := time.Now()
		sum := sieve(limit)
		sample := time.Since(start).Seconds()
		r.Check("sum of the primes", sum, config.Size(r, "sum"))
		return sample
	})
	r.Finish()
}
