// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// The pair on the nearest thing that Go has: receive from and send to channels of one place.
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
	rounds := config.Size(r, "rounds")
	words := config.Get("words")
	sample := func() float64 {
		cells := make([]chan int64, words)
		for i := range cells {
			cells[i] = make(chan int64, 1)
			cells[i] <- int64(i)
		}
		start := time.Now()
		for round := int64(0); round < rounds; round++ {
			for _, cell := range cells {
				cell <- 1 + <-cell
			}
		}
		ns := harness.Ns(start) / float64(rounds*words)
		sum := int64(0)
		for _, cell := range cells {
			sum += <-cell
		}
		r.Check("sum", sum, words*(words-1)/2+rounds*words)
		return ns
	}
	r.Measure(sample)
	r.Finish()
}
