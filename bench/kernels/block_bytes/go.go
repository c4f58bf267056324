// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Memory of a goroutine that waits on a channel.
package main

import (
	_ "embed"
	"fmt"
	"runtime"
	"strings"
	"sync"
	"sync/atomic"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

//go:noinline
func goDeep() byte {
	var frame [32768]byte
	for i := 0; i < len(frame); i += 1024 {
		frame[i] = 1
	}
	return frame[len(frame)-1024]
}

func bytesWhileBlocked(r *harness.Report, count int64, deep bool) int64 {
	var group sync.WaitGroup
	var blocking, woken int64
	gate := make(chan struct{})
	group.Add(int(count))
	for i := int64(0); i < count; i++ {
		go func() {
			if deep {
				goDeep()
			}
			atomic.AddInt64(&blocking, 1)
			<-gate
			if deep {
				goDeep()
			}
			atomic.AddInt64(&woken, 1)
			group.Done()
		}()
	}
	for atomic.LoadInt64(&blocking) < count {
		runtime.Gosched()
	}
	bytes := harness.ResidentBytes()
	close(gate)
	group.Wait()
	r.Check("goroutines woken", woken, count)
	return bytes
}

func main() {
	r := harness.New("bytes/task")
	config := harness.Parse(header)
	warm := strings.HasSuffix(harness.Kernel, "_warm")
	count := config.Get(strings.TrimSuffix(harness.Kernel, "_warm"))
	if r.Quick {
		count /= config.Get("quick_divisor")
	}
	before := harness.ResidentBytes()
	if warm {
		bytesWhileBlocked(r, count, true)
	}
	blocked := bytesWhileBlocked(r, count, false)
	r.Add(float64(blocked-before) / float64(count))
	r.Note(fmt.Sprintf("%d blocked at once", count))
	r.Finish()
}
