// SPDX-License-Identifier: Apache-2.0

// Times mvdan.cc/sh over the texts of bench-shell: each many times in this process, the
// best of several rounds, by the processor's clock.
// Usage: sh-bench TEXTS
package main

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"mvdan.cc/sh/v3/syntax"
)

const rounds = 15

func cpuMicroseconds() float64 {
	var used syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &used)
	return float64(used.Utime.Nano()+used.Stime.Nano()) / 1e3
}

func main() {
	names, _ := filepath.Glob(os.Args[1] + "/*")
	for _, name := range names {
		bytes, err := os.ReadFile(name)
		if err != nil {
			panic(err)
		}
		text := string(bytes)
		repeats := 2000
		if len(text) > 1000 {
			repeats = 50
		}
		best := -1.0
		for round := 0; round < rounds; round++ {
			start := cpuMicroseconds()
			for i := 0; i < repeats; i++ {
				parser := syntax.NewParser(syntax.Variant(syntax.LangBash))
				if _, err := parser.Parse(strings.NewReader(text), ""); err != nil {
					panic(err)
				}
			}
			spent := (cpuMicroseconds() - start) / float64(repeats)
			if best < 0 || spent < best {
				best = spent
			}
		}
		fmt.Printf("%-42s %9d bytes %11.1f us %7.1f ns/byte\n",
			filepath.Base(name)[2:]+": mvdan.cc/sh", len(text), best, best*1000/float64(len(text)))
	}
}
