package dap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/go-dap"

	"github.com/triptych-mcp/triptych/debugger/internal/program/core"
)

// sourceOf describes a file of the debug information to the client.
func (c *client) sourceOf(file string) *dap.Source {
	path := c.toClient(file)
	if path == file {
		path = c.s.Target.SourcePath(file)
	}
	there, known := c.sources[path]
	if !known {
		_, err := os.Stat(path)
		there = err == nil
		c.sources[path] = there
	}
	s := &dap.Source{Name: filepath.Base(path), Path: path}
	if !there && len(c.config.SourceMap) == 0 {
		s.PresentationHint = "deemphasize"
	}
	return s
}

// toClient replaces the folder of a path by that of the client.
func (c *client) toClient(path string) string {
	return replaceFolder(path, c.config.SourceMap, func(ours, theirs string) (string, string) { return ours, theirs })
}

// toDebuggee replaces the folder of a client's path by that of the debug
// information. Editors open links as they are, compilers record where they
// lead.
func (c *client) toDebuggee(path string) string {
	if inside, ok := strings.CutPrefix(path, fmt.Sprintf("/proc/%d/root", c.s.Target.ProcessID())); ok {
		path = inside // as sourceOf has it
	}
	mapped := replaceFolder(path, c.config.SourceMap, func(ours, theirs string) (string, string) { return theirs, ours })
	if mapped != path {
		return mapped
	}
	if has, err := c.s.Inspector.Program.HasFile(c.s.Inspector.Life, path); has || err != nil {
		return path
	}
	if real, err := filepath.EvalSymlinks(path); err == nil {
		return real
	}
	return path
}

// replaceFolder replaces the longest folder of a path that a map has.
func replaceFolder(path string, folders map[string]string, pair func(ours, theirs string) (from, to string)) string {
	best, replaced := -1, path
	for ours, theirs := range folders {
		from, to := pair(ours, theirs)
		from, to = strings.TrimRight(from, "/"), strings.TrimRight(to, "/")
		rest, ok := strings.CutPrefix(path, from)
		if ok && (rest == "" || rest[0] == '/') && len(from) > best {
			best, replaced = len(from), to+rest
		}
	}
	return replaced
}

// toClientLine converts a line, from 1, to a line of the client.
func (c *client) toClientLine(line int) int {
	if !c.arguments.LinesStartAt1 && line > 0 {
		return line - 1
	}
	return line
}

func (c *client) fromClientLine(line int) int {
	if !c.arguments.LinesStartAt1 {
		return line + 1
	}
	return line
}

// maxSource bounds the size of a source file.
const maxSource = 4 << 20

// source returns a source file of the program, and no other files.
func (l *looks) source(ctx context.Context, args dap.SourceArguments) (any, error) {
	if args.Source == nil || args.Source.Path == "" {
		return nil, errors.New("the source has no path")
	}
	path := l.client.toDebuggee(args.Source.Path)
	if has, err := l.client.s.Inspector.Program.HasFile(ctx, path); err != nil || !has {
		return nil, errors.Join(err, fmt.Errorf("the program was made of no file %s that is known", path))
	}
	f, err := core.OpenRegular(l.client.s.Target.SourcePath(path))
	if err != nil {
		return nil, err
	}
	defer func() { _ = f.Close() }() // only read
	text, err := io.ReadAll(io.LimitReader(f, maxSource))
	return dap.SourceResponseBody{Content: strings.ToValidUTF8(string(text), "\uFFFD")}, err
}

// modules lists the program and its libraries.
func (l *looks) modules(_ context.Context, args dap.ModulesArguments) (any, error) {
	if args.StartModule < 0 || args.ModuleCount < 0 {
		return nil, errors.New("startModule and moduleCount must not be negative")
	}
	executable := l.client.s.Target.Executable()
	all := []dap.Module{}
	for _, im := range l.client.s.Inspector.Program.Images() {
		m := dap.Module{
			Id: im.Path, Name: filepath.Base(im.Path), Path: im.Path, IsUserCode: im.Path == executable, Version: im.BuildID,
			AddressRange: fmt.Sprintf("%#x-%#x", im.Start, im.End),
		}
		all = append(all, m)
	}
	slices.SortStableFunc(all, func(a, b dap.Module) int { return boolOrder(b.IsUserCode) - boolOrder(a.IsUserCode) })
	total := len(all)
	all = all[min(args.StartModule, total):]
	if args.ModuleCount > 0 {
		all = all[:min(args.ModuleCount, len(all))]
	}
	return dap.ModulesResponseBody{Modules: all, TotalModules: total}, nil
}

// boolOrder puts true after false.
func boolOrder(b bool) int {
	if b {
		return 1
	}
	return 0
}
