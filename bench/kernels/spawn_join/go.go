// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Many spawns, then one wait for all, of goroutines.
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
	total := config.Size(r, "total")
	batch := config.Get(harness.Kernel)
	slots := make([]int64, batch)
	var group sync.WaitGroup
	run := func(i int64) {
		slots[i] = i + 1
		group.Done()
	}
	sample := func() float64 {
		ns := 0.0
		for done := int64(0); done < total; done += batch {
			start := time.Now()
			group.Add(int(batch))
			for i := int64(0); i < batch; i++ {
				go run(i)
			}
			group.Wait()
			ns += harness.Ns(start)
			sum := int64(0)
			for i := range slots {
				sum += slots[i]
				slots[i] = -1
			}
			r.Check("sum", sum, batch*(batch+1)/2)
		}
		return ns / float64(total)
	}
	r.Measure(sample)
	r.Finish()
}
