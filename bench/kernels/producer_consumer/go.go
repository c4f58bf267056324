// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Producers and consumers with a channel of one place between them.
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
	items := config.Size(r, "items")
	pairs := config.Get("pairs")
	sample := func() float64 {
		sums := make([]int64, 8*pairs) // a line each
		var group sync.WaitGroup
		group.Add(int(2 * pairs))
		start := time.Now()
		for p := int64(0); p < pairs; p++ {
			cell := make(chan int64, 1)
			go func() {
				for i := int64(1); i <= items; i++ {
					cell <- i
				}
				group.Done()
			}()
			sum := &sums[8*p]
			go func() {
				for i := int64(1); i <= items; i++ {
					*sum += <-cell
				}
				group.Done()
			}()
		}
		group.Wait()
		ns := harness.Ns(start) / float64(items*pairs)
		for p := int64(0); p < pairs; p++ {
			r.Check("sum", sums[8*p], items*(items+1)/2)
		}
		return ns
	}
	r.Measure(sample)
	r.Finish()
}
