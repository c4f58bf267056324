// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Philosophers that are goroutines, forks that are mutexes of Go.
package main

import (
	_ "embed"
	"runtime"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

type fork struct {
	mutex sync.Mutex
	user  int64
	used  int64
}

func main() {
	r := harness.New("ns/op")
	config := harness.Parse(header)
	count := config.Get("philosophers")
	meals := config.Size(r, "meals") / count
	r.Measure(func() float64 {
		forks := make([]fork, count)
		for i := range forks {
			forks[i].user = -1
		}
		var group sync.WaitGroup
		dine := func(who int64) {
			first, second := &forks[who], &forks[(who+1)%count]
			if who+1 == count {
				first, second = second, first
			}
			for i := int64(0); i < meals; i++ {
				first.mutex.Lock()
				second.mutex.Lock()
				for _, f := range [2]*fork{first, second} {
					if f.user == -1 {
						f.used++
					}
					f.user = who
				}
				for _, f := range [2]*fork{first, second} {
					if f.user != who {
						f.used = -1
					}
					f.user = -1
				}
				second.mutex.Unlock()
				first.mutex.Unlock()
				runtime.Gosched()
			}
			group.Done()
		}
		group.Add(int(count))
		start := time.Now()
		for i := int64(0); i < count; i++ {
			go dine(i)
		}
		group.Wait()
		sample := harness.Ns(start) / float64(meals*count)
		for i := range forks {
			r.Check("meals with a fork", forks[i].used, 2*meals)
		}
		return sample
	})
	r.Finish()
}
