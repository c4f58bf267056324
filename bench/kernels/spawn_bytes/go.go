// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a goroutine that is spawned and not yet started.
package main

import (
	_ "embed"
	"runtime/debug"
	"sync"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

func main() {
	r := harness.New("bytes/task")
	count := harness.Parse(header).Size(r, "tasks")
	debug.SetGCPercent(-1) // a collection would start goroutines in the middle
	var group sync.WaitGroup
	var gate sync.Mutex
	started := int64(0)
	// Go takes the processor from the spawner every 10 ms; a goroutine that starts then blocks on
	// the gate, so that its memory is not reused for a later one.
	gate.Lock()
	run := func() {
		gate.Lock()
		started++
		gate.Unlock()
		group.Done()
	}
	group.Add(int(count))
	before := harness.ResidentBytes()
	for i := int64(0); i < count; i++ {
		go run()
	}
	after := harness.ResidentBytes()
	gate.Unlock()
	group.Wait()
	r.Check("goroutines run", started, count)
	r.Add(float64(after-before) / float64(count))
	r.Note("some may have started: Go preempts the spawner")
	r.Finish()
}
