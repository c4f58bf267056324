// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The thread ring with goroutines and channels.
package main

import (
	_ "embed"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("ns/op")
	config := harness.Parse(header)
	size := config.Get("ring_size")
	hops := config.Size(r, "hops")
	r.Measure(func() float64 {
		start := time.Now()
		answer := int64(-1)
		var group sync.WaitGroup
		group.Add(int(size))
		first := make(chan int64)
		in := first
		for i := int64(0); i < size; i++ {
			out := make(chan int64)
			if i == size-1 {
				out = first
			}
			go func(number int64, in <-chan int64, out chan<- int64) {
				defer group.Done()
				last := false
				for token := range in {
					if token > 0 {
						out <- token - 1
						continue
					}
					if token < 0 {
						if !last {
							out <- token
						}
						return
					}
					answer = number // the end goes round once: this one sends it and gets it last
					last = true
					out <- -1
				}
			}(i, in, out)
			in = out
		}
		first <- hops
		group.Wait()
		sample := harness.Ns(start) / float64(hops)
		r.Check("the last goroutine", answer, hops%size)
		return sample
	})
	r.Finish()
}
