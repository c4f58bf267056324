// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// N-Queens with one goroutine per queen placed.
package main

import (
	_ "embed"
	"math/bits"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

const maxN = 16

type board struct{ columns, left, right, all uint32 }

func visit(me board) int64 {
	if me.columns == me.all {
		return 1
	}
	var found [maxN]int64
	var group sync.WaitGroup
	i := 0
	free := me.all &^ (me.columns | me.left | me.right)
	group.Add(bits.OnesCount32(free))
	for ; free != 0; free &= free - 1 {
		queen := free & -free
		next := board{me.columns | queen, (me.left | queen) << 1, (me.right | queen) >> 1, me.all}
		slot := &found[i]
		i++
		go func() {
			*slot = visit(next)
			group.Done()
		}()
	}
	group.Wait()
	total := int64(0)
	for _, value := range found[:i] {
		total += value
	}
	return total
}

func main() {
	r := harness.New("s")
	config := harness.Parse(header)
	n := config.Size(r, "n")
	r.Measure(func() float64 {
		start := time.Now()
		got := visit(board{all: 1<<uint(n) - 1})
		sample := harness.Ns(start) * 1e-9
		r.Check("solutions", got, config.Size(r, "solutions"))
		return sample
	})
	r.Finish()
}
