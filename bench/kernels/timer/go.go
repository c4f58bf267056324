// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Go's timers, armed by AfterFunc and Reset, cancelled by Stop.
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
	pairs := config.Size(r, "pairs")
	others := config.Get("others_armed")
	spread := config.Get("spread_ns")
	soonest := config.Get("soonest_ns")
	never := func() { harness.Die("a timer fired") }
	r.Measure(func() float64 {
		armed := make([]*time.Timer, others)
		for i := range armed {
			armed[i] = time.AfterFunc(time.Duration(soonest+int64(i)*spread), never)
		}
		one := time.AfterFunc(time.Duration(soonest), never)
		one.Stop()
		cancelled := int64(0)
		start := time.Now()
		for i := int64(0); i < pairs; i++ {
			one.Reset(time.Duration(soonest + i%others*spread))
			if one.Stop() {
				cancelled++
			}
		}
		ns := harness.Ns(start) / float64(pairs)
		for _, t := range armed {
			if t.Stop() {
				cancelled++
			}
		}
		r.Check("timers cancelled", cancelled, pairs+others)
		return ns
	})
	r.Finish()
}
