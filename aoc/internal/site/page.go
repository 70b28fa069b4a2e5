package site

import (
	"bytes"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	md "github.com/JohannesKaufmann/html-to-markdown/v2"
	"github.com/JohannesKaufmann/html-to-markdown/v2/converter"
)

// A Page is the page of a puzzle.
type Page struct {
	Title string // of the puzzle, as in "Historian Hysteria"
	Parts []Part // one, or two once the first is solved
}

// A Part is one half of a puzzle.
type Part struct {
	Markdown string // the text
	Answer   string // the user's accepted answer; "" if unsolved
	// Examples are the blocks of preformatted text, in order.
	Examples []string
	// ExampleAnswer is the answer to the example, as far as it can be recognized: the
	// last emphasized code of the part. It may be "".
	ExampleAnswer string
}

// parsePage parses the HTML of a puzzle's page. base is the address that relative
// links are resolved against.
func parsePage(text []byte, base string) (*Page, error) {
	root, err := html.Parse(bytes.NewReader(text))
	if err != nil {
		return nil, fmt.Errorf("the puzzle's page: %w", err)
	}
	page := &Page{}
	for article := range elements(root, atom.Article) {
		if !hasClass(article, "day-desc") {
			continue
		}
		part, err := parsePart(article, base)
		if err != nil {
			return nil, err
		}
		page.Parts = append(page.Parts, part)
		if page.Title == "" {
			page.Title = title(article)
		}
	}
	if len(page.Parts) == 0 {
		return nil, errors.New("the site's page has no puzzle")
	}
	answers := acceptedAnswers(root)
	for i := range min(len(answers), len(page.Parts)) {
		page.Parts[i].Answer = answers[i]
	}
	return page, nil
}

func parsePart(article *html.Node, base string) (Part, error) {
	text, err := md.ConvertNode(article, converter.WithDomain(base))
	if err != nil {
		return Part{}, fmt.Errorf("the puzzle's text: %w", err)
	}
	p := Part{Markdown: strings.TrimSpace(string(text)) + "\n"}
	for pre := range elements(article, atom.Pre) {
		p.Examples = append(p.Examples, textOf(pre))
	}
	for em := range elements(article, atom.Em) {
		if code := emphasizedCode(em); code != "" {
			p.ExampleAnswer = code
		}
	}
	return p, nil
}

// emphasizedCode returns the text of <code><em>x</em></code> or
// <em><code>x</code></em>, outside of preformatted text; "" for other emphasis.
func emphasizedCode(em *html.Node) string {
	inCode := em.Parent != nil && em.Parent.DataAtom == atom.Code
	if inCode && (em.Parent.Parent == nil || em.Parent.Parent.DataAtom == atom.Pre || textOf(em.Parent) != textOf(em)) {
		return ""
	}
	if !inCode {
		child := em.FirstChild
		if child == nil || child.NextSibling != nil || child.DataAtom != atom.Code {
			return ""
		}
	}
	return strings.TrimSpace(textOf(em))
}

// title returns the puzzle's title from a heading such as "--- Day 1: Title ---".
func title(article *html.Node) string {
	for h := range elements(article, atom.H2) {
		heading := strings.Trim(textOf(h), "- \n")
		if _, after, ok := strings.Cut(heading, ": "); ok {
			return after
		}
		return heading
	}
	return ""
}

// acceptedAnswers returns the answers in paragraphs such as
// "Your puzzle answer was <code>11</code>."
func acceptedAnswers(root *html.Node) []string {
	var answers []string
	for p := range elements(root, atom.P) {
		if !strings.HasPrefix(strings.TrimSpace(textOf(p)), "Your puzzle answer was") {
			continue
		}
		for code := range elements(p, atom.Code) {
			answers = append(answers, strings.TrimSpace(textOf(code)))
			break
		}
	}
	return answers
}

// elements yields the elements of a kind below a node, in document order.
func elements(root *html.Node, kind atom.Atom) func(yield func(*html.Node) bool) {
	return func(yield func(*html.Node) bool) {
		for n := range root.Descendants() {
			if n.Type == html.ElementNode && n.DataAtom == kind && !yield(n) {
				return
			}
		}
	}
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

func hasClass(n *html.Node, class string) bool {
	for _, a := range n.Attr {
		if a.Key == "class" {
			for name := range strings.FieldsSeq(a.Val) {
				if name == class {
					return true
				}
			}
		}
	}
	return false
}
