package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
)

// noticesFile is the name under which the texts of the licenses go with the program.
const noticesFile = "THIRD_PARTY_NOTICES"

// targets are the systems and architectures of a release; the modules in the program
// differ between them.
var targets = []string{"linux/amd64", "linux/arm64", "darwin/amd64", "darwin/arm64", "windows/amd64"}

// A Module is a module in the program, and the folder of its source.
type Module struct {
	Path, Version, Dir string
}

// Modules returns the modules whose packages are in the program of any target, and the
// standard library, by path.
func Modules(ctx context.Context) ([]Module, error) {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	all := map[string]Module{"std": {Path: "std", Version: strings.TrimPrefix(runtime.Version(), "go"), Dir: strings.TrimSpace(string(root))}}
	for _, target := range targets {
		if err := addModules(ctx, all, target); err != nil {
			return nil, err
		}
	}
	return slices.SortedFunc(maps.Values(all), func(a, b Module) int { return strings.Compare(a.Path, b.Path) }), nil
}

func addModules(ctx context.Context, all map[string]Module, target string) error {
	system, arch, _ := strings.Cut(target, "/")
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-json=Module", "github.com/triptych-mcp/triptych/cmd/triptych")
	cmd.Env = append(os.Environ(), "GOOS="+system, "GOARCH="+arch, "CGO_ENABLED=0")
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("listing the modules of %s: %w: %s", target, err, complaint.String())
	}
	for dec := json.NewDecoder(bytes.NewReader(out)); ; {
		var p struct {
			Module *struct {
				Module

				Main    bool
				Replace *Module
			}
		}
		err := dec.Decode(&p)
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if m := p.Module; m != nil && !m.Main {
			if m.Replace != nil {
				m.Module.Dir, m.Version = m.Replace.Dir, m.Replace.Version
			}
			all[m.Path] = m.Module
		}
	}
}

// licenseName matches the names of files with the terms of a module, and with what they
// want to be passed on.
var licenseName = regexp.MustCompile(`(?i)^(un)?licen[sc]e|^copying|^notice|^patents`)

// Licenses returns the texts of a module's licenses by the names of their files. It fails
// if there is none.
func Licenses(m Module) (map[string]string, error) {
	entries, err := os.ReadDir(m.Dir)
	if err != nil {
		return nil, err
	}
	texts := map[string]string{}
	for _, e := range entries {
		if !licenseName.MatchString(e.Name()) || !e.Type().IsRegular() || strings.HasSuffix(e.Name(), ".go") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(m.Dir, e.Name()))
		if err != nil {
			return nil, err
		}
		texts[e.Name()] = strings.TrimSpace(strings.ReplaceAll(string(text), "\r\n", "\n"))
	}
	if len(texts) == 0 {
		return nil, fmt.Errorf("%s %s has no license", m.Path, m.Version)
	}
	return texts, nil
}

// Notices returns the texts of the licenses of all modules in the program. Modules with
// the same text share it.
func Notices(ctx context.Context) ([]byte, error) {
	modules, err := Modules(ctx)
	if err != nil {
		return nil, err
	}
	users := map[string][]string{} // by text
	var order []string
	for _, m := range modules {
		texts, err := Licenses(m)
		if err != nil {
			return nil, err
		}
		for _, file := range slices.Sorted(maps.Keys(texts)) {
			text := texts[file]
			if users[text] == nil {
				order = append(order, text)
			}
			users[text] = append(users[text], m.Path+" "+m.Version)
		}
	}
	var b bytes.Buffer
	b.WriteString("triptych contains the following modules. Each text is that of the modules named above it.\n")
	for _, text := range order {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 78), strings.Join(users[text], "\n"), text)
	}
	return b.Bytes(), nil
}
