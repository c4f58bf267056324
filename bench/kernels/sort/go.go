// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Sorting a file of numbers with goroutines.
package main

import (
	"bytes"
	_ "embed"
	"fmt"
	"os"
	"sort"
	"strconv"
	"sync"
	"time"

	"weft/bench/harness"
)

//go:embed config.hpp
var header string

var sortCutoff, mergeCutoff int

func both(f, g func()) {
	var group sync.WaitGroup
	group.Add(1)
	go func() {
		f()
		group.Done()
	}()
	g()
	group.Wait()
}

func merge(x, y, out []uint32) {
	if len(x)+len(y) <= mergeCutoff {
		i, j, k := 0, 0, 0
		for i < len(x) && j < len(y) {
			if y[j] < x[i] {
				out[k] = y[j]
				j++
			} else {
				out[k] = x[i]
				i++
			}
			k++
		}
		copy(out[k:], x[i:])
		copy(out[k:], y[j:])
		return
	}
	if len(x) < len(y) {
		x, y = y, x
	}
	mx := len(x) / 2
	my := sort.Search(len(y), func(i int) bool { return y[i] >= x[mx] })
	both(func() { merge(x[:mx], y[:my], out[:mx+my]) },
		func() { merge(x[mx:], y[my:], out[mx+my:]) })
}

func mergeSort(a, b []uint32, intoB bool) {
	if len(a) <= sortCutoff {
		sortSlice(a)
		if intoB {
			copy(b, a)
		}
		return
	}
	half := len(a) / 2
	both(func() { mergeSort(a[:half], b[:half], !intoB) },
		func() { mergeSort(a[half:], b[half:], !intoB) })
	from, to := b, a
	if intoB {
		from, to = a, b
	}
	merge(from[:half], from[half:], to)
}

// The library's slices.Sort is as fast, but not in Go 1.19; its sort.Slice calls a function for each comparison.
func sortSlice(a []uint32) {
	for len(a) > 16 {
		// The middle one of three.
		mid, end := len(a)/2, len(a)-1
		if a[mid] < a[0] {
			a[mid], a[0] = a[0], a[mid]
		}
		if a[end] < a[mid] {
			a[end], a[mid] = a[mid], a[end]
		}
		if a[mid] < a[0] {
			a[mid], a[0] = a[0], a[mid]
		}
		pivot := a[mid]
		low, high := 0, end
		for low <= high {
			for a[low] < pivot {
				low++
			}
			for pivot < a[high] {
				high--
			}
			if low <= high {
				a[low], a[high] = a[high], a[low]
				low++
				high--
			}
		}
		sortSlice(a[:high+1])
		a = a[low:]
	}
	for i, value := range a {
		at := i
		for ; at > 0 && value < a[at-1]; at-- {
			a[at] = a[at-1]
		}
		a[at] = value
	}
}

func readNumbers(path string) []uint32 {
	text, err := os.ReadFile(path)
	if err != nil {
		harness.Die(err.Error())
	}
	lines := bytes.Split(bytes.TrimSuffix(text, []byte("\n")), []byte("\n"))
	numbers := make([]uint32, len(lines))
	for i, line := range lines {
		value, err := strconv.ParseUint(string(line), 10, 32)
		if err != nil {
			harness.Die(path + ": a line is not a number")
		}
		numbers[i] = uint32(value)
	}
	return numbers
}

func main() {
	r := harness.New("s")
	config := harness.Parse(header)
	sortCutoff = int(config.Get("sort_cutoff"))
	mergeCutoff = int(config.Get("merge_cutoff"))
	start := time.Now()
	numbers := readNumbers(r.Data)
	r.Note(fmt.Sprintf("reading took %.4g s", harness.Ns(start)*1e-9))
	r.Check("numbers in the file", int64(len(numbers)), config.Size(r, "numbers"))
	expected := append([]uint32(nil), numbers...)
	sortSlice(expected)
	r.Measure(func() float64 {
		sorted := append([]uint32(nil), numbers...)
		scratch := make([]uint32, len(sorted))
		start := time.Now()
		mergeSort(sorted, scratch, false)
		sample := harness.Ns(start) * 1e-9
		different := int64(0)
		for i := range sorted {
			if sorted[i] != expected[i] {
				different++
			}
		}
		r.Check("numbers out of place", different, 0)
		return sample
	})
	r.Finish()
}
