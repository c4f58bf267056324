// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Unbalanced Tree Search with one goroutine per node.
package main

import (
	_ "embed"
	"math"
	"math/bits"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

type digest [5]uint32

// Gives word t of the message's schedule, of which the last 16 are kept.
func extend(w *[16]uint32, t int) uint32 {
	next := bits.RotateLeft32(w[(t+13)&15]^w[(t+8)&15]^w[(t+2)&15]^w[t&15], 1)
	w[t&15] = next
	return next
}

// The same SHA-1 as in sha1.hpp: the library's uses instructions that the others do not. Compilers of C++ split the
// loop themselves.
func sha1(words []uint32) digest {
	var w [16]uint32
	copy(w[:], words)
	w[len(words)] = 0x80000000
	w[15] = uint32(len(words) * 32)
	a, b, c := uint32(0x67452301), uint32(0xEFCDAB89), uint32(0x98BADCFE)
	d, e := uint32(0x10325476), uint32(0xC3D2E1F0)
	for t := 0; t < 16; t++ {
		next := bits.RotateLeft32(a, 5) + ((b & c) | (^b & d)) + 0x5A827999 + e + w[t]
		e, d, c, b, a = d, c, bits.RotateLeft32(b, 30), a, next
	}
	for t := 16; t < 20; t++ {
		next := bits.RotateLeft32(a, 5) + ((b & c) | (^b & d)) + 0x5A827999 + e + extend(&w, t)
		e, d, c, b, a = d, c, bits.RotateLeft32(b, 30), a, next
	}
	for t := 20; t < 40; t++ {
		next := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + 0x6ED9EBA1 + e + extend(&w, t)
		e, d, c, b, a = d, c, bits.RotateLeft32(b, 30), a, next
	}
	for t := 40; t < 60; t++ {
		next := bits.RotateLeft32(a, 5) + ((b & c) | (b & d) | (c & d)) + 0x8F1BBCDC + e + extend(&w, t)
		e, d, c, b, a = d, c, bits.RotateLeft32(b, 30), a, next
	}
	for t := 60; t < 80; t++ {
		next := bits.RotateLeft32(a, 5) + (b ^ c ^ d) + 0xCA62C1D6 + e + extend(&w, t)
		e, d, c, b, a = d, c, bits.RotateLeft32(b, 30), a, next
	}
	return digest{a + 0x67452301, b + 0xEFCDAB89, c + 0x98BADCFE, d + 0x10325476, e + 0xC3D2E1F0}
}

type node struct {
	state digest
	depth int64
}

var (
	geometric    bool
	depth        int64
	rootChildren int64
	children     int64
	probability  float64
	logOfRest    float64 // of the geometric distribution; compilers of C++ know it
)

func childCount(n *node) int64 {
	random := float64(n.state[4]&0x7fffffff) / 2147483648.0
	if geometric {
		if n.depth >= depth {
			return 0
		}
		count := math.Floor(math.Log(1.0-random) / logOfRest)
		return int64(math.Min(count, 100))
	}
	if n.depth == 0 {
		return rootChildren
	}
	if random < probability {
		return children
	}
	return 0
}

func visit(me *node) int64 {
	count := childCount(me)
	if count == 0 {
		return 1
	}
	nodes := make([]node, count)
	below := make([]int64, count)
	var group sync.WaitGroup
	group.Add(int(count))
	for i := int64(0); i < count; i++ {
		s := &me.state
		nodes[i] = node{sha1([]uint32{s[0], s[1], s[2], s[3], s[4], uint32(i)}), me.depth + 1}
		go func(i int64) {
			below[i] = visit(&nodes[i])
			group.Done()
		}(i)
	}
	group.Wait()
	total := int64(1)
	for _, value := range below {
		total += value
	}
	return total
}

func main() {
	r := harness.New("s")
	config := harness.Parse(header)
	geometric = harness.Kernel == "uts_t1"
	depth = config.Size(r, "t1_depth")
	rootChildren = config.Size(r, "t3_root")
	probability = float64(config.Get("t3_per_million")) * 1e-6
	seed, nodes := config.Get("t3_seed"), config.Size(r, "t3_nodes")
	children = config.Get("t3_children")
	if geometric {
		seed, nodes = config.Get("t1_seed"), config.Size(r, "t1_nodes")
		children = config.Get("t1_children")
		logOfRest = math.Log(1.0 - 1.0/(1.0+float64(children)))
	}
	r.Measure(func() float64 {
		start := time.Now()
		root := node{sha1([]uint32{0, 0, 0, 0, uint32(seed)}), 0}
		got := visit(&root)
		sample := harness.Ns(start) * 1e-9
		r.Check("nodes", got, nodes)
		return sample
	})
	r.Finish()
}
