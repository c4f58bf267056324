// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Skynet with goroutines and channels.
package main

import (
	_ "embed"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

var children int64

func addUp(first, leaves int64, result chan<- int64) {
	if leaves == 1 {
		result <- first
		return
	}
	part := leaves / children
	values := make(chan int64, children)
	for i := int64(0); i < children; i++ {
		go addUp(first+i*part, part, values)
	}
	sum := int64(0)
	for i := int64(0); i < children; i++ {
		sum += <-values
	}
	result <- sum
}

func main() {
	r := harness.New("s")
	config := harness.Parse(header)
	children = config.Get("children")
	leaves := config.Size(r, "leaves")
	r.Measure(func() float64 {
		start := time.Now()
		result := make(chan int64, 1)
		addUp(0, leaves, result)
		sum := <-result
		sample := harness.Ns(start) * 1e-9
		r.Check("sum", sum, leaves*(leaves-1)/2)
		return sample
	})
	r.Finish()
}
