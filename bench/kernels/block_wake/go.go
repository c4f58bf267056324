// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Two goroutines that wake each other through channels of one place.
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
	total := harness.Parse(header).Size(r, "turns")
	r.Measure(func() float64 {
		semaphores := [2]chan struct{}{make(chan struct{}, 1), make(chan struct{}, 1)}
		taken, outOfTurn := int64(0), int64(0) // written by the one whose turn it is
		var group sync.WaitGroup
		play := func(me int64) {
			for i := int64(0); i < total/2; i++ {
				<-semaphores[me]
				if taken%2 != me {
					outOfTurn++
				}
				taken++
				semaphores[1-me] <- struct{}{}
			}
			group.Done()
		}
		group.Add(2)
		start := time.Now()
		go play(0)
		go play(1)
		semaphores[0] <- struct{}{}
		group.Wait()
		sample := harness.Ns(start) / float64(total)
		r.Check("turns", taken, total)
		r.Check("turns out of turn", outOfTurn, 0)
		return sample
	})
	r.Finish()
}
