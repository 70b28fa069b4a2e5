package main

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"
	"html/template"
	"io/fs"
	"net/url"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/text"
)

//go:embed page.html
var pageText string

var page = template.Must(template.New("").Parse(pageText))

// repository is the address of files that are no pages.
const repository = "https://github.com/triptych-mcp/triptych/blob/main/"

// first are the pages at the top of the list, in the order in which people read.
var first = []string{
	"README.md", "docs/README.md", "docs/start.md", "docs/install.md", "docs/team.md", "docs/console.md", "docs/hosts.md", "docs/browsers.md", "docs/editors.md", "docs/troubleshooting.md",
	"docs/backup.md", "UPGRADING.md", "docs/operations.md",
}

// A document is a Markdown file on its way to a page.
type document struct {
	File  string // slash-separated, from the root of the repository
	Title string
	tree  ast.Node
	text  []byte
	ids   map[string]bool // of its headings
}

// Page returns the address of the page, from the root of the site.
func (d *document) Page() string {
	if d.File == "README.md" {
		return "index.html"
	}
	return strings.TrimSuffix(d.File, ".md") + ".html"
}

var markdown = goldmark.New(
	goldmark.WithExtensions(extension.GFM), goldmark.WithParserOptions(parser.WithAutoHeadingID()),
)

// build writes the site of the repository at root into a folder.
func build(root, to string) error {
	docs, err := read(root)
	if err != nil {
		return err
	}
	var wrong []error
	for _, d := range docs {
		wrong = append(wrong, d.link(root, docs)...)
	}
	if err := errors.Join(wrong...); err != nil {
		return err
	}
	for _, d := range docs {
		if err := d.write(to, docs); err != nil {
			return err
		}
	}
	return copyPictures(root, to)
}

// read parses the documents, in the order of the list of pages.
func read(root string) ([]*document, error) {
	var files []string
	for _, pattern := range []string{"*.md", "docs/*.md"} {
		found, err := fs.Glob(os.DirFS(root), pattern)
		if err != nil {
			return nil, err
		}
		files = append(files, found...)
	}
	rank := func(file string) int {
		if i := slices.Index(first, file); i >= 0 {
			return i
		}
		return len(first)
	}
	slices.SortStableFunc(files, func(a, b string) int { return rank(a) - rank(b) })
	docs := make([]*document, len(files))
	for i, file := range files {
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err != nil {
			return nil, err
		}
		docs[i] = parse(file, content)
	}
	return docs, nil
}

// parse parses a document and collects its headings.
func parse(file string, content []byte) *document {
	d := &document{File: file, text: content, ids: map[string]bool{}, Title: strings.TrimSuffix(path.Base(file), ".md")}
	d.tree = markdown.Parser().Parse(text.NewReader(content))
	_ = ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if h, ok := n.(*ast.Heading); ok && entering {
			if id, ok := h.AttributeString("id"); ok {
				if name, ok := id.([]byte); ok {
					d.ids[string(name)] = true
				}
			}
			if h.Level == 1 {
				d.Title = plain(h, content)
			}
		}
		return ast.WalkContinue, nil
	})
	return d
}

// plain returns the text of a node.
func plain(n ast.Node, content []byte) string {
	var out strings.Builder
	_ = ast.Walk(n, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the function never fails
		if t, ok := n.(*ast.Text); ok && entering {
			out.Write(t.Segment.Value(content))
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// link makes the links of a document those of the site, and returns those that lead
// nowhere.
func (d *document) link(root string, docs []*document) (wrong []error) {
	_ = ast.Walk(d.tree, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // errors are collected
		l, ok := n.(*ast.Link)
		if !ok || !entering {
			return ast.WalkContinue, nil
		}
		to, err := d.resolve(root, string(l.Destination), docs)
		if err != nil {
			wrong = append(wrong, fmt.Errorf("%s: %w", d.File, err))
		}
		l.Destination = []byte(to)
		return ast.WalkContinue, nil
	})
	return wrong
}

// resolve returns the address in the site for a link of a document.
func (d *document) resolve(root, link string, docs []*document) (string, error) {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" {
		return link, err
	}
	target := d
	if u.Path != "" {
		file := path.Join(path.Dir(d.File), u.Path)
		i := slices.IndexFunc(docs, func(other *document) bool { return other.File == file })
		if i < 0 {
			if _, err := os.Stat(filepath.Join(root, filepath.FromSlash(file))); err != nil {
				return link, fmt.Errorf("the link %s leads nowhere", link)
			}
			if isPicture(file) {
				return link, nil
			}
			return repository + file, nil
		}
		target = docs[i]
	}
	if u.Fragment != "" && !target.ids[u.Fragment] {
		return link, fmt.Errorf("the link %s leads to no heading", link)
	}
	address := relative(d.Page(), target.Page())
	if u.Fragment != "" {
		address += "#" + u.Fragment
	}
	return address, nil
}

// relative returns the address of a page as seen from another.
func relative(from, to string) string {
	back, err := filepath.Rel(filepath.FromSlash(path.Dir(from)), filepath.FromSlash(to))
	if err != nil {
		return to // both are relative, so there is a way
	}
	return filepath.ToSlash(back)
}

// isPicture reports whether a file is shown in pages.
func isPicture(file string) bool { return slices.Contains([]string{".svg", ".png"}, path.Ext(file)) }

// An entry is a line of the list of pages.
type entry struct {
	Title, Address string
	Here           bool
}

// write writes the page of a document.
func (d *document) write(to string, docs []*document) error {
	var body, out bytes.Buffer
	if err := markdown.Renderer().Render(&body, d.text, d.tree); err != nil {
		return err
	}
	entries := make([]entry, len(docs))
	for i, other := range docs {
		entries[i] = entry{Title: other.Title, Address: relative(d.Page(), other.Page()), Here: other == d}
	}
	err := page.Execute(&out, map[string]any{
		"Title": d.Title, "Pages": entries, "Body": template.HTML(body.String()), //nolint:gosec // goldmark leaves raw HTML out
	})
	if err != nil {
		return err
	}
	return save(filepath.Join(to, filepath.FromSlash(d.Page())), out.Bytes())
}

func save(file string, content []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	return os.WriteFile(file, content, 0o644)
}

// copyPictures copies the pictures of docs/ beside the pages.
func copyPictures(root, to string) error {
	files, err := fs.Glob(os.DirFS(root), "docs/*.*")
	if err != nil {
		return err
	}
	for _, file := range files {
		if !isPicture(file) {
			continue
		}
		content, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(file)))
		if err == nil {
			err = save(filepath.Join(to, filepath.FromSlash(file)), content)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
