// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// One goroutine for each worker, each with a channel by which it is joined.
package main

import (
	_ "embed"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

type mark struct {
	round int64
	_     [7]int64 // a line each
}

func main() {
	r := harness.New("us")
	rounds := harness.Parse(header).Size(r, "rounds")
	workers := r.Workers
	marks := make([]mark, workers)
	done := make([]chan struct{}, workers)
	for i := range done {
		done[i] = make(chan struct{}, 1)
	}
	run := func(i int, round int64) {
		marks[i].round = round
		done[i] <- struct{}{}
	}
	r.Measure(func() float64 {
		us, wrong := 0.0, int64(0)
		for n := int64(1); n <= rounds; n++ {
			start := time.Now()
			for i := range done {
				go run(i, n)
			}
			made := harness.Ns(start)
			for i := range done {
				<-done[i]
			}
			all := harness.Ns(start)
			switch harness.Kernel {
			case "castello_fig8":
				us += made * 1e-3
			case "castello_fig9":
				us += (all - made) * 1e-3
			default:
				us += all * 1e-3
			}
			for i := range marks {
				if marks[i].round != n {
					wrong++
				}
			}
		}
		r.Check("units that did not run", wrong, 0)
		return us / float64(rounds)
	})
	r.Finish()
}
