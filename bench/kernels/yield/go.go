// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two goroutines that yield to each other on one processor.
package main

import (
	_ "embed"
	"runtime"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("ns/op")
	total := harness.Parse(header).Size(r, "yields")
	sample := func() float64 {
		var group sync.WaitGroup
		last, switches := int64(-1), int64(0) // one processor, and no preemption point between uses
		play := func(me int64) {
			for i := int64(0); i < total/2; i++ {
				last = me
				runtime.Gosched()
				if last != me {
					switches++
				}
			}
			group.Done()
		}
		group.Add(2)
		start := time.Now()
		go play(0)
		go play(1)
		group.Wait()
		ns := harness.Ns(start) / float64(total)
		if switches < total*9/10 {
			r.Check("switches of at least nine in ten yields", switches, total)
		}
		return ns
	}
	r.Measure(sample)
	r.Finish()
}
