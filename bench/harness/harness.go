// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Package harness is the frame of the Go benchmarks: the twin of report.hpp and memory.hpp.
package harness

import (
	"encoding/json"
	"fmt"
	"os"
	"regexp"
	"runtime"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Kernel is set by the linker: one source serves several kernels.
var Kernel string

// Report takes the samples of one process and prints them as one line.
type Report struct {
	Workers int
	Runs    int
	Quick   bool
	Data    string
	unit    string
	samples []float64
	wrong   bool
	note    string
	born    time.Time
}

// Slow kernels take fewer samples a process.
const enough = 2 * time.Second

// Die ends the program for a reason that is not a wrong answer.
func Die(why string) {
	fmt.Fprintf(os.Stderr, "bench_%s_go: %s\n", Kernel, why)
	os.Exit(2)
}

func parseCount(name, text string) int {
	value, err := strconv.Atoi(text)
	if err != nil || value < 1 || value > 1024 {
		Die(name + " takes a number from 1 to 1024, not '" + text + "'")
	}
	return value
}

// New reads the arguments and sets the number of processors that run goroutines.
func New(unit string) *Report {
	r := &Report{Workers: 1, Runs: 1, unit: unit, born: time.Now()}
	for i := 1; i < len(os.Args); i += 2 {
		name := os.Args[i]
		if i+1 == len(os.Args) {
			Die(name + " needs a value")
		}
		value := os.Args[i+1]
		switch {
		case name == "--workers":
			r.Workers = parseCount(name, value)
		case name == "--runs":
			r.Runs = parseCount(name, value)
		case name == "--scale" && (value == "quick" || value == "full"):
			r.Quick = value == "quick"
		case name == "--data":
			r.Data = value
		default:
			Die("unknown argument " + name + " " + value +
				"; known: --workers N --runs N --scale quick|full --data FILE")
		}
	}
	runtime.GOMAXPROCS(r.Workers)
	return r
}

// Add adds a sample.
func (r *Report) Add(sample float64) { r.samples = append(r.samples, sample) }

// Note adds a remark.
func (r *Report) Note(text string) {
	if r.note != "" {
		r.note += "; "
	}
	r.note += text
}

// Check compares an answer with the known one.
func (r *Report) Check(what string, got, expected int64) {
	if got == expected {
		return
	}
	if !r.wrong {
		r.Note(fmt.Sprintf("%s is %d, not %d", what, got, expected))
	}
	r.wrong = true
}

// Measure takes the samples in the main goroutine: the first always, after one that is not counted, more while there
// is time.
func (r *Report) Measure(body func() float64) {
	body()
	for len(r.samples) == 0 || (len(r.samples) < r.Runs && time.Since(r.born) < enough) {
		r.Add(body())
	}
}

// Finish prints the line and ends the process.
func (r *Report) Finish() {
	line := struct {
		Kernel  string    `json:"kernel"`
		Runtime string    `json:"runtime"`
		Workers int       `json:"workers"`
		Unit    string    `json:"unit"`
		Samples []float64 `json:"samples"`
		Ok      bool      `json:"ok"`
		Note    string    `json:"note"`
	}{Kernel, "go", r.Workers, r.unit, r.samples, !r.wrong, r.note}
	if err := json.NewEncoder(os.Stdout).Encode(line); err != nil {
		Die(err.Error())
	}
	if r.wrong {
		os.Exit(1)
	}
	os.Exit(0)
}

// Config gives the constants of a kernel's config.hpp, which the C++ sources include: sizes are
// written down once.
type Config struct{ values map[string]int64 }

var constant = regexp.MustCompile(`constexpr int64_t (\w+) = ([0-9']+);`)

// Parse reads the text of a config.hpp.
func Parse(header string) Config {
	c := Config{map[string]int64{}}
	for _, match := range constant.FindAllStringSubmatch(header, -1) {
		value, err := strconv.ParseInt(strings.ReplaceAll(match[2], "'", ""), 10, 64)
		if err != nil {
			Die("config.hpp: " + err.Error())
		}
		c.values[match[1]] = value
	}
	return c
}

// Get gives one constant.
func (c Config) Get(name string) int64 {
	value, found := c.values[name]
	if !found {
		Die("config.hpp has no " + name)
	}
	return value
}

// Size gives <name>_quick or <name>_full.
func (c Config) Size(r *Report, name string) int64 {
	if r.Quick {
		return c.Get(name + "_quick")
	}
	return c.Get(name + "_full")
}

// Ns is the time since start.
func Ns(start time.Time) float64 { return float64(time.Since(start).Nanoseconds()) }

// ResidentBytes is VmRSS + VmPTE.
func ResidentBytes() int64 {
	status, err := os.ReadFile("/proc/self/status")
	if err != nil {
		Die(err.Error())
	}
	total := int64(0)
	for _, line := range strings.Split(string(status), "\n") {
		fields := strings.Fields(line)
		if len(fields) == 3 && (fields[0] == "VmRSS:" || fields[0] == "VmPTE:") {
			kib, err := strconv.ParseInt(fields[1], 10, 64)
			if err != nil {
				Die(err.Error())
			}
			total += kib * 1024
		}
	}
	return total
}

// CPUSeconds is the processor time of the process so far.
func CPUSeconds() float64 {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		Die(err.Error())
	}
	return float64(usage.Utime.Sec+usage.Stime.Sec) + 1e-6*float64(usage.Utime.Usec+usage.Stime.Usec)
}
