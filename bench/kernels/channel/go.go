// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Numbers through a channel of Go: a send and a receive each.
package main

import (
	_ "embed"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("ns/op")
	config := harness.Parse(header)
	count := config.Size(r, "values")
	capacity := config.Get(harness.Kernel)
	r.Measure(func() float64 {
		c := make(chan int64, capacity)
		start := time.Now()
		go func() {
			for i := int64(1); i <= count; i++ {
				c <- i
			}
		}()
		sum := int64(0)
		for i := int64(0); i < count; i++ {
			sum += <-c
		}
		sample := harness.Ns(start) / float64(count)
		r.Check("sum", sum, count*(count+1)/2)
		return sample
	})
	r.Finish()
}
