// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Processor time of Go while many goroutines sleep.
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
	r := harness.New("ms")
	config := harness.Parse(header)
	count := config.Size(r, "sleepers")
	apart := config.Get("apart_ns")
	watch := time.Duration(config.Size(r, "watch_ms")) * time.Millisecond
	first := time.Now().Add(time.Duration(config.Size(r, "until_first_ms")) * time.Millisecond)
	var group sync.WaitGroup
	var asleep, up int64
	group.Add(int(count))
	for i := int64(0); i < count; i++ {
		go func() {
			at := first.Add(time.Duration(atomic.AddInt64(&asleep, 1) * apart))
			time.Sleep(time.Until(at))
			atomic.AddInt64(&up, 1)
			group.Done()
		}()
	}
	for atomic.LoadInt64(&asleep) < count {
		time.Sleep(time.Millisecond)
	}
	time.Sleep(time.Duration(config.Get("settle_ms")) * time.Millisecond)
	before := harness.CPUSeconds()
	time.Sleep(watch)
	r.Add(1e3 * (harness.CPUSeconds() - before))
	r.Check("goroutines up while watched", atomic.LoadInt64(&up), 0)
	group.Wait()
	r.Check("goroutines up in the end", up, count)
	r.Finish()
}
