// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A goroutine that sleeps again and again.
package main

import (
	_ "embed"
	"sort"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("us")
	config := harness.Parse(header)
	sleeps := config.Size(r, "sleeps")
	nap := time.Duration(config.Get("sleep_ns"))
	r.Measure(func() float64 {
		late := make([]float64, 0, sleeps)
		early := int64(0)
		for i := int64(0); i < sleeps; i++ {
			start := time.Now()
			time.Sleep(nap)
			by := harness.Ns(start) - float64(nap)
			if by < 0 {
				early++
			}
			late = append(late, by*1e-3)
		}
		r.Check("sleeps that ended early", early, 0)
		sort.Float64s(late)
		return late[len(late)/2]
	})
	r.Finish()
}
