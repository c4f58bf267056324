// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// A goroutine for each of 1,000 elements.
package main

import (
	_ "embed"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func scale(x []float64, a float64) {
	var group sync.WaitGroup
	group.Add(len(x))
	for i := range x {
		go func(at *float64) {
			*at *= a
			group.Done()
		}(&x[i])
	}
	group.Wait()
}

func scaleByAll(x []float64, a float64, workers int) {
	var group sync.WaitGroup
	group.Add(workers)
	for w := 0; w < workers; w++ {
		go func(share []float64) {
			scale(share, a)
			group.Done()
		}(x[len(x)*w/workers : len(x)*(w+1)/workers])
	}
	group.Wait()
}

func main() {
	r := harness.New("us")
	config := harness.Parse(header)
	rounds := config.Size(r, "rounds")
	x := make([]float64, config.Get("elements"))
	expected := make([]float64, len(x))
	factors := [2]float64{3.0, 1.0 / 3.0}
	r.Measure(func() float64 {
		for i := range x {
			x[i] = float64(i + 1)
			expected[i] = x[i]
		}
		ns, wrong := 0.0, int64(0)
		for n := int64(0); n < rounds; n++ {
			a := factors[n%2]
			start := time.Now()
			if harness.Kernel == "castello_fig11" {
				scale(x, a)
			} else {
				scaleByAll(x, a, r.Workers)
			}
			ns += harness.Ns(start)
			for i := range x {
				expected[i] *= a
				if x[i] != expected[i] {
					wrong++
				}
			}
		}
		r.Check("wrong elements", wrong, 0)
		return ns * 1e-3 / float64(rounds)
	})
	r.Finish()
}
