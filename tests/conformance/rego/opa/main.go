// SPDX-License-Identifier: Apache-2.0

// Writes the cases that come with OPA's Go module as JSON, for rego_suite:
// one folder for each of theirs.
// Usage: main SUITE OUT_FOLDER, SUITE being v1 or v0.
package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/open-policy-agent/opa/v1/test/cases"
)

func must(err error) {
	if err != nil {
		panic(err)
	}
}

func moduleFolder() string {
	out, err := exec.Command("go", "list", "-m", "-f", "{{.Dir}}",
		"github.com/open-policy-agent/opa").Output()
	must(err)
	return strings.TrimSpace(string(out))
}

func main() {
	root := filepath.Join(moduleFolder(), "v1/test/cases/testdata",
		os.Args[1])
	set, err := cases.Load(root)
	must(err)
	files := map[string]*cases.Set{}
	for _, one := range set.Cases {
		name, err := filepath.Rel(root, one.Filename)
		must(err)
		if files[name] == nil {
			files[name] = &cases.Set{}
		}
		files[name].Cases = append(files[name].Cases, one)
	}
	for name, file := range files {
		text, err := json.Marshal(file)
		must(err)
		path := filepath.Join(os.Args[2],
			strings.TrimSuffix(name, filepath.Ext(name))+".json")
		must(os.MkdirAll(filepath.Dir(path), 0o755))
		must(os.WriteFile(path, text, 0o644))
	}
}
