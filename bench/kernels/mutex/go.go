// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A counter under a mutex of Go.
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
	total := config.Size(r, "locks")
	threads := config.Get(harness.Kernel)
	r.Measure(func() float64 {
		var mutex sync.Mutex
		var group sync.WaitGroup
		counted := int64(0)
		group.Add(int(threads))
		start := time.Now()
		for t := int64(0); t < threads; t++ {
			go func() {
				for i := int64(0); i < total/threads; i++ {
					mutex.Lock()
					counted++
					mutex.Unlock()
				}
				group.Done()
			}()
		}
		group.Wait()
		sample := harness.Ns(start) / float64(total)
		r.Check("count", counted, total)
		return sample
	})
	r.Finish()
}
