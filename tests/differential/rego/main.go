// SPDX-License-Identifier: Apache-2.0

// Evaluates data.p, or "query", of each line {"module", "other", "input"} with OPA;
// answers as eval.c gives them.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"sort"
	"strings"
	"testing/fstest"

	"github.com/open-policy-agent/opa/v1/ast"
	"github.com/open-policy-agent/opa/v1/compile"
	"github.com/open-policy-agent/opa/v1/rego"
	"github.com/open-policy-agent/opa/v1/topdown"
)

type test struct {
	Module string `json:"module"`
	Other  string `json:"other"`
	Input  any    `json:"input"`
	Query  string `json:"query"`
}

// All that is wrong with a query, in the order of the texts.
func texts(refused ast.Errors) string {
	lines := []string{}
	for _, one := range refused {
		lines = append(lines, one.Error())
	}
	sort.Strings(lines)
	return "refused " + strings.Join(lines, "\n")
}

func solutions(rs rego.ResultSet) string {
	shown := []any{}
	for _, one := range rs {
		values := []any{}
		for _, expression := range one.Expressions {
			values = append(values, expression.Value)
		}
		shown = append(shown, map[string]any{
			"expressions": values, "bindings": one.Bindings})
	}
	text, _ := json.Marshal(shown)
	return string(text)
}

func answer(t test) string {
	ctx := context.Background()
	query := t.Query
	if query == "" {
		query = "data.p"
	}
	rs, err := rego.New(
		rego.Query(query), rego.Module("m.rego", t.Module),
		rego.Module("o.rego", t.Other),
		rego.Input(t.Input)).Eval(ctx)
	var fault *topdown.Error
	if errors.As(err, &fault) {
		return "error " + fault.Code
	}
	var refused ast.Errors
	if errors.As(err, &refused) && t.Query != "" {
		return texts(refused)
	}
	if errors.As(err, &refused) {
		return "refused " + refused[0].Code + ": " + refused[0].Message
	}
	if err != nil {
		return "refused " + err.Error()
	}
	if t.Query != "" {
		return solutions(rs)
	}
	text, _ := json.Marshal(rs[0].Expressions[0].Value)
	return string(text)
}

// The case with the plan that OPA makes of it, when it makes one.
func withPlan(t test) map[string]any {
	all := map[string]any{"module": t.Module, "other": t.Other,
		"input": t.Input}
	files := fstest.MapFS{
		"m.rego": {Data: []byte(t.Module)},
		"o.rego": {Data: []byte(t.Other)},
	}
	compiler := compile.New().WithFS(files).WithPaths("m.rego", "o.rego").
		WithTarget(compile.TargetPlan).WithEntrypoints("p")
	if compiler.Build(context.Background()) == nil {
		all["plan"] = json.RawMessage(compiler.Bundle().PlanModules[0].Raw)
	}
	return all
}

func main() {
	plans := len(os.Args) > 1 && os.Args[1] == "plan"
	in := bufio.NewScanner(os.Stdin)
	in.Buffer(nil, 1<<24)
	for in.Scan() {
		var t test
		if err := json.Unmarshal(in.Bytes(), &t); err != nil {
			panic(err)
		}
		var out any = answer(t)
		if plans {
			out = withPlan(t)
		}
		text, _ := json.Marshal(out)
		fmt.Println(string(text))
	}
}
