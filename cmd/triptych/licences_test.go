package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

var (
	licenceFile = regexp.MustCompile(`^(?i)(licen[sc]e|copying|notice|patents)(\.|$)`)
	// copyrightLine matches the lines by which files name their authors.
	copyrightLine = regexp.MustCompile(`(?m)^\W*(Copyright (\(c\)|©|[0-9]{4})|SPDX-License-Identifier:|Licensed to the Apache)`)
	foreignPath   = regexp.MustCompile("(?m)^\\| `([^`]+)` \\|")
)

// Every file with a licence of others is in the list of what is not ours.
func TestForeignFilesAreListed(t *testing.T) {
	decisions, err := os.ReadFile("../../docs/decisions.md")
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(decisions), "\n## What is not ours\n")
	if !ok {
		t.Fatal("docs/decisions.md has no list of what is not ours")
	}
	section, _, _ = strings.Cut(section, "\n## ")
	var listed []string
	for _, m := range foreignPath.FindAllStringSubmatch(section, -1) {
		listed = append(listed, m[1])
		if _, err := os.Stat(filepath.Join("../..", m[1])); err != nil {
			t.Errorf("docs/decisions.md lists %s: %v", m[1], err)
		}
	}
	isListed := func(path string) bool {
		for _, prefix := range listed {
			if path == prefix || strings.HasPrefix(path, prefix+"/") {
				return true
			}
		}
		return path == "LICENSE" // of the project
	}
	found := 0
	err = fs.WalkDir(os.DirFS("../.."), ".", func(path string, d fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case d.IsDir() && (strings.HasPrefix(d.Name(), ".git") || path == "bin" || d.Name() == "node_modules"):
			return fs.SkipDir
		case !d.Type().IsRegular():
			return nil
		}
		foreign := licenceFile.MatchString(d.Name())
		if !foreign {
			text, err := os.ReadFile(filepath.Join("../..", path))
			if err != nil {
				return err
			}
			head := text[:min(len(text), 4096)]
			foreign = bytes.IndexByte(head, 0) < 0 && copyrightLine.Match(head)
		}
		if foreign {
			found++
			if !isListed(path) {
				t.Errorf("%s has a licence of others, and docs/decisions.md does not list it", path)
			}
		}
		return nil
	})
	if err != nil || found < 3 {
		t.Errorf("%d files with a licence were found: %v", found, err)
	}
}
