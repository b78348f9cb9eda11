// SPDX-License-Identifier: Apache-2.0

// OPA as bench/rego/run drives it: orders and answers as bench/rego/worker.c
// has them.  Prepared queries, inputs parsed to OPA's terms beforehand.
package main

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"sort"
	"strings"
	"sync"
	"time"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/storage"
	"github.com/open-policy-agent/opa/v1/storage/inmem"
	"github.com/open-policy-agent/opa/v1/util"
)

type unitOrder struct {
	Policy, Data, Entry string
	Inputs              []string
}

type order struct {
	Do                        string
	Units                     []unitOrder
	Count, Batch, Threads, Ms int
	JSON                      bool
}

type unit struct {
	file, text string
	query      string
	prepared   rego.PreparedEvalQuery
	texts      [][]byte
	inputs     []ast.Value
}

var ctx = context.Background()

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func read(path string) []byte {
	text, err := os.ReadFile(path)
	must(err)
	return text
}

func parse(text []byte) ast.Value {
	value, err := ast.ValueFromReader(bytes.NewReader(text))
	must(err)
	return value
}

func compile(u *unit, store storage.Store) rego.PreparedEvalQuery {
	prepared, err := rego.New(rego.Query(u.query), rego.Store(store),
		rego.Module(u.file, u.text)).PrepareForEval(ctx)
	must(err)
	return prepared
}

func loadUnit(o unitOrder) *unit {
	u := &unit{file: o.Policy, text: string(read(o.Policy)),
		query: "data." + o.Entry}
	store := inmem.New()
	if o.Data != "" {
		var data map[string]any
		must(util.UnmarshalJSON(read(o.Data), &data))
		store = inmem.NewFromObjectWithOpts(data,
			inmem.OptRoundTripOnWrite(false))
	}
	u.prepared = compile(u, store)
	for _, path := range o.Inputs {
		text := read(path)
		u.texts = append(u.texts, text)
		u.inputs = append(u.inputs, parse(text))
	}
	return u
}

func evaluate(u *unit, input ast.Value) any {
	rs, err := u.prepared.Eval(ctx, rego.EvalParsedInput(input))
	must(err)
	if len(rs) == 0 {
		return nil
	}
	return rs[0].Expressions[0].Value
}

func pass(units []*unit, asText bool) int {
	count := 0
	for _, u := range units {
		for i, input := range u.inputs {
			if asText {
				input = parse(u.texts[i])
			}
			evaluate(u, input)
			count++
		}
	}
	return count
}

func rss() int {
	for _, line := range strings.Split(
		string(read("/proc/self/status")), "\n") {
		kb := 0
		if n, _ := fmt.Sscanf(line, "VmHWM: %d kB", &kb); n == 1 {
			return kb
		}
	}
	return 0
}

func p50(samples []float64) map[string]any {
	sort.Float64s(samples)
	return map[string]any{"p50": samples[len(samples)/2]}
}

func threads(units []*unit, count, ms int) map[string]any {
	runtime.GOMAXPROCS(count)
	defer runtime.GOMAXPROCS(runtime.NumCPU())
	start := time.Now()
	end := start.Add(time.Duration(ms) * time.Millisecond)
	totals := make([]int, count)
	var all sync.WaitGroup
	for i := range totals {
		all.Add(1)
		go func() {
			defer all.Done()
			for time.Now().Before(end) {
				totals[i] += pass(units, false)
			}
		}()
	}
	all.Wait()
	sum := 0
	for _, n := range totals {
		sum += n
	}
	return map[string]any{"per_second": float64(sum) /
		time.Since(start).Seconds()}
}

func obey(o order, units *[]*unit) map[string]any {
	start := time.Now()
	samples := make([]float64, o.Count)
	switch o.Do {
	case "load":
		*units = nil
		for _, one := range o.Units {
			*units = append(*units, loadUnit(one))
		}
		return map[string]any{"ns": time.Since(start).Nanoseconds(),
			"rss_kb": rss()}
	case "answer":
		answers := []any{}
		for _, u := range *units {
			for _, input := range u.inputs {
				answers = append(answers, evaluate(u, input))
			}
		}
		return map[string]any{"answers": answers}
	case "run":
		for i := range samples {
			start = time.Now()
			n := 0
			for j := 0; j < o.Batch; j++ {
				n += pass(*units, o.JSON)
			}
			samples[i] = float64(time.Since(start).Nanoseconds()) /
				float64(n)
		}
		return p50(samples)
	case "threads":
		return threads(*units, o.Threads, o.Ms)
	case "compile":
		for i := range samples {
			start = time.Now()
			for _, u := range *units {
				compile(u, inmem.New())
			}
			samples[i] = float64(time.Since(start).Nanoseconds())
		}
		return p50(samples)
	}
	return map[string]any{"rss_kb": rss()}
}

func main() {
	var units []*unit
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var o order
		must(json.Unmarshal(in.Bytes(), &o))
		text, err := json.Marshal(obey(o, &units))
		must(err)
		fmt.Println(string(text))
	}
}
