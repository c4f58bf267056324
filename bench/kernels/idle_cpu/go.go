// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of Go while its only goroutine sleeps.
package main

import (
	_ "embed"
	"sync"
	"sync/atomic"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("%cpu")
	config := harness.Parse(header)
	tasks := config.Get("warm_tasks")
	var group sync.WaitGroup
	ran := int64(0)
	group.Add(int(tasks))
	for i := int64(0); i < tasks; i++ {
		go func() {
			atomic.AddInt64(&ran, 1)
			group.Done()
		}()
	}
	group.Wait()
	r.Check("goroutines run", ran, tasks)
	time.Sleep(time.Duration(config.Get("settle_ms")) * time.Millisecond)
	before := harness.CPUSeconds()
	start := time.Now()
	time.Sleep(time.Duration(config.Get("watch_ms")) * time.Millisecond)
	r.Add(100 * (harness.CPUSeconds() - before) / (harness.Ns(start) * 1e-9))
	r.Finish()
}
