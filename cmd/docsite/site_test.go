package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The documents make a site: each has a page, and every link between them leads to a page
// and a heading of it.
func TestDocumentsMakeASite(t *testing.T) {
	to := t.TempDir()
	if err := build("../..", to); err != nil {
		t.Fatal(err)
	}
	address := regexp.MustCompile(`(?:href|src)="([^"#]+)`)
	pages := 0
	err := filepath.WalkDir(to, func(file string, d os.DirEntry, err error) error {
		if err != nil || filepath.Ext(file) != ".html" {
			return err
		}
		pages++
		text, err := os.ReadFile(file)
		for _, found := range address.FindAllStringSubmatch(string(text), -1) {
			if strings.Contains(found[1], "://") {
				continue
			}
			if _, err := os.Stat(filepath.Join(filepath.Dir(file), filepath.FromSlash(found[1]))); err != nil {
				t.Errorf("%s: %v", d.Name(), err)
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	docs, err := read("../..")
	if err != nil || pages != len(docs) || pages < 20 {
		t.Errorf("%d pages of %d documents: %v", pages, len(docs), err)
	}
}

func TestLinks(t *testing.T) {
	root := t.TempDir()
	for file, text := range map[string]string{
		"README.md":   "# Top\n\n[a](docs/a.md#two-words) [self](#top) [code](main.go) [out](https://example.com/x)\n",
		"docs/a.md":   "# A\n\n## Two words\n\n[up](../README.md) ![p](p.svg)\n",
		"main.go":     "package main\n",
		"docs/p.svg":  "<svg/>",
		"docs/bad.md": "[x](missing.md) [y](a.md#nothing)\n",
	} {
		if err := save(filepath.Join(root, filepath.FromSlash(file)), []byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	err := build(root, t.TempDir())
	if err == nil || !strings.Contains(err.Error(), "missing.md leads nowhere") || !strings.Contains(err.Error(), "a.md#nothing leads to no heading") {
		t.Errorf("bad links: %v", err)
	}
	if err := os.Remove(filepath.Join(root, "docs", "bad.md")); err != nil {
		t.Fatal(err)
	}
	to := t.TempDir()
	if err := build(root, to); err != nil {
		t.Fatal(err)
	}
	for file, wants := range map[string][]string{
		"index.html":  {`href="docs/a.html#two-words"`, `href="index.html#top"`, `href="` + repository + `main.go"`, `href="https://example.com/x"`, "<title>Top – Triptych</title>"},
		"docs/a.html": {`href="../index.html"`, `src="p.svg"`, `aria-current="page">A<`},
		"docs/p.svg":  {"<svg/>"},
	} {
		text, err := os.ReadFile(filepath.Join(to, filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range wants {
			if !strings.Contains(string(text), want) {
				t.Errorf("%s lacks %s: %s", file, want, text)
			}
		}
	}
}
