package xml_test

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// The share of documents in thousandths of a percent that must have the verdict of Xerces,
// and, if all programs refuse them, the line of xmllint or of Xerces.
const (
	verdictShare = 99_900
	lineShare    = 97_000
)

// TestRealSchemas compares schemas and documents that others wrote, unchanged and changed,
// with Xerces and xmllint.
func TestRealSchemas(t *testing.T) {
	clones := os.Getenv("SCHEMAS")
	if clones == "" {
		t.Skip("SCHEMAS does not name a folder with the clones of testdata/schemas.txt")
	}
	xmllint(t)
	w := &world{judge: startXerces(t), known: knownDifferences(t), letters: map[string]int{}}
	dir := t.TempDir()
	for _, p := range projects(t) {
		if !checkOut(t, clones, dir, p) {
			t.Logf("there is no clone of %s", p.name)
		}
	}
	w.tree = readTree(t, dir)
	w.lib = open(t, document.Config{Roots: []string{dir}, CacheBytes: 1 << 29, MaxMemory: 1 << 31})
	w.compareSchemas(t, number(t, "SCHEMAS_FILES", 10_000))
	w.compareDocuments(t, number(t, "SCHEMAS_DOCUMENTS", 1500), number(t, "SCHEMAS_MUTANTS", 8))
}

func number(t *testing.T, variable string, otherwise int) int {
	t.Helper()
	text := os.Getenv(variable)
	if text == "" {
		return otherwise
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		t.Fatal(err)
	}
	return n
}

// A world holds the programs that are compared.
type world struct {
	tree    *tree
	judge   *xerces
	lib     *document.Library
	known   map[string]string // differences by the end of a schema's path, and why
	letters map[string]int    // verdicts of ours, Xerces, xmllint
}

// explained reports whether a difference at a path is one that is known.
func (w *world) explained(path string) bool {
	for end := range w.known {
		if strings.HasSuffix(path, end) {
			return true
		}
	}
	return false
}

// compareSchemas asks xmllint only where ours refuses a schema: the goal is that what both
// others compile compiles here.
func (w *world) compareSchemas(t *testing.T, limit int) {
	paths := w.tree.complete(limit)
	counts := map[string]int{}
	for i, path := range paths {
		ours, theirs := compiles(t.Context(), w.lib, path), w.judge.judge("S", path)
		lint := verdict{none: true, message: "not asked"}
		if theirs.valid && !ours.valid {
			_, lint = lintDocuments(t.Context(), path, []string{os.DevNull})
		}
		key := ours.letter() + theirs.letter()
		counts[key]++
		if (i+1)%100 == 0 {
			t.Logf("%d of %d schemas (ours, Xerces): %v", i+1, len(paths), counts)
		}
		if key == "VV" || key == "II" {
			continue
		}
		name, _ := filepath.Rel(w.tree.dir, path)
		t.Logf("schema %s %s\n  ours    %v\n  Xerces  %v\n  xmllint %v", key, name, ours, theirs, lint)
		if !ours.valid && theirs.valid && lint.valid && !w.explained(path) {
			t.Errorf("%s is refused", name)
		}
	}
	t.Logf("%d schemas (ours, Xerces): %v", len(paths), counts)
}

// compareDocuments compares documents, and so many mutants of each.
func (w *world) compareDocuments(t *testing.T, limit, mutants int) {
	bySchema := map[string][]string{}
	for _, path := range evenly(w.documents(), limit) {
		bySchema[w.tree.schemaOf(path)] = append(bySchema[w.tree.schemaOf(path)], path)
	}
	var s shares
	for _, schema := range slices.Sorted(maps.Keys(bySchema)) {
		w.compareBy(t, &s, schema, w.variants(t, bySchema[schema], mutants))
	}
	t.Logf("documents (ours, Xerces, xmllint): %v", w.letters)
	t.Logf("%d of %d verdicts as Xerces, %d of %d first lines as xmllint or Xerces, %d lines as xmllint, %d as Xerces",
		s.agreed, s.judged, s.lines, s.invalid, s.asLint, s.asXerces)
	if s.agreed*100_000 < verdictShare*s.judged || s.lines*100_000 < lineShare*s.invalid {
		t.Error("that is less than the goal")
	}
}

// shares counts agreement.
type shares struct{ judged, agreed, invalid, lines, asLint, asXerces int }

// documents returns those that have a schema.
func (w *world) documents() []string {
	var all []string
	for _, path := range w.tree.documents {
		info, err := os.Stat(path)
		if err == nil && info.Size() < 300<<10 && w.tree.schemaOf(path) != "" {
			all = append(all, path)
		}
	}
	return all
}

// compareBy compares the verdicts on documents by one schema.
func (w *world) compareBy(t *testing.T, s *shares, schema string, paths []string) {
	if !compiles(t.Context(), w.lib, schema).valid || !w.judge.judge("S", schema).valid {
		return // compareSchemas reports it
	}
	lint, _ := lintDocuments(t.Context(), schema, paths)
	for _, path := range paths {
		ours, theirs := matches(t.Context(), w.lib, path, schema), w.judge.judge("D", path)
		key := ours.letter() + theirs.letter() + lint[path].letter()
		w.letters[key]++
		s.judged++
		same := ours.letter() == theirs.letter() || w.explained(schema)
		if same {
			s.agreed++
		}
		sameLine := true
		if key == "III" {
			s.invalid++
			ends := tagEnds(path, ours.line)
			asLint, asXerces := slices.Contains(ends, lint[path].line), slices.Contains(ends, theirs.line)
			sameLine = asLint || asXerces
			count(&s.lines, sameLine)
			count(&s.asLint, asLint)
			count(&s.asXerces, asXerces)
		}
		if !same || !sameLine {
			w.report(t, key, schema, path, ours, theirs, lint[path])
		}
	}
}

// tagEnds returns a line of a document, and those where start tags end that begin on it: the
// other programs name the end of a tag, we its begin.
func tagEnds(path string, line int) []int {
	lines := []int{line}
	text, err := os.ReadFile(path)
	if err != nil {
		return lines
	}
	for _, e := range spans(string(text)) {
		if 1+bytes.Count(text[:e.start], []byte("\n")) == line {
			lines = append(lines, 1+bytes.Count(text[:e.startEnd], []byte("\n")))
		}
	}
	return lines
}

func count(n *int, yes bool) {
	if yes {
		*n++
	}
}

// report logs a difference, and what the line of ours has.
func (w *world) report(t *testing.T, key, schema, path string, ours, theirs, lint verdict) {
	name, _ := filepath.Rel(w.tree.dir, path)
	schema, _ = filepath.Rel(w.tree.dir, schema)
	text, _ := os.ReadFile(path) // for the message only
	change := ""
	if at := bytes.LastIndex(text, []byte("<!-- change: ")); at >= 0 {
		change = string(text[at:])
	}
	t.Logf("document %s %s by %s %s\n  ours    %v\n  Xerces  %v\n  xmllint %v", key, name, schema, change, ours, theirs, lint)
}

var xsiLocation = regexp.MustCompile(`\s[\w-]+:(schemaLocation|noNamespaceSchemaLocation)\s*=\s*("[^"]*"|'[^']*')`)

// variants writes each document without the schemas that it names itself, and mutants of it
// beside it.
func (w *world) variants(t *testing.T, paths []string, mutants int) []string {
	var all []string
	for _, path := range paths {
		raw, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		text := xsiLocation.ReplaceAllString(string(raw), " ")
		all = append(all, save(t, filepath.Dir(path), filepath.Base(path)+".0", text))
		random := rand.New(rand.NewPCG(uint64(len(text)), 1))
		for n := range mutants {
			if changed := mutant(random, text); changed != "" {
				all = append(all, save(t, filepath.Dir(path), fmt.Sprintf("%s.%d", filepath.Base(path), n+1), changed))
			}
		}
	}
	return all
}

// A span is an element of a text: where its start tag and all of it begin and end.
type span struct {
	name                 string
	start, startEnd, end int
	attributes, children int
	parent               int // index of its parent; -1 for the root
}

// spans returns the elements of a text, nil if it cannot be read.
func spans(text string) []span {
	tokens := xml.NewDecoder(strings.NewReader(text))
	var all []span
	open := []int{-1}
	for {
		before := int(tokens.InputOffset())
		token, err := tokens.RawToken()
		if err != nil {
			if len(open) > 1 || !errors.Is(err, io.EOF) {
				return nil
			}
			return all
		}
		switch token := token.(type) {
		case xml.StartElement:
			top := open[len(open)-1]
			if top >= 0 {
				all[top].children++
			}
			name := token.Name.Local
			if token.Name.Space != "" {
				name = token.Name.Space + ":" + name
			}
			all = append(all, span{name: name, start: before, startEnd: int(tokens.InputOffset()), attributes: len(token.Attr), parent: top})
			open = append(open, len(all)-1)
		case xml.EndElement:
			if len(open) == 1 {
				return nil
			}
			all[open[len(open)-1]].end = int(tokens.InputOffset())
			open = open[:len(open)-1]
		}
	}
}

var plainAttribute = regexp.MustCompile(`\s([A-Za-z][\w.-]*)\s*=\s*"[^"<&]*"`)

// mutant changes one place of a document and says so in a comment at the end; "" where
// that place has nothing to change.
func mutant(random *rand.Rand, text string) string {
	all := spans(text)
	if len(all) < 2 {
		return ""
	}
	at := all[1+random.IntN(len(all)-1)]
	whole, tag := text[at.start:at.end], text[at.start:at.startEnd]
	rest := text[at.startEnd:at.end]
	place := func(by string) string { return text[:at.start] + by + text[at.end:] }
	kind, changed := "", ""
	switch random.IntN(9) {
	case 0:
		kind, changed = "remove", place("")
	case 1:
		kind, changed = "duplicate", place(whole+whole)
	case 2:
		if !strings.HasSuffix(tag, "/>") {
			kind, changed = "unknown child", place(tag+"<unknownChild/>"+rest)
		}
	case 3:
		kind, changed = "unknown attribute", place("<"+at.name+` unknownAttribute="1"`+tag[1+len(at.name):]+rest)
	case 4, 5:
		kind, changed = "attribute", place(changeAttribute(random, tag)+rest)
	case 6:
		kind, changed = "swap", swap(text, all, at)
	case 7:
		if at.children == 0 && !strings.HasSuffix(tag, "/>") {
			kind, changed = "value", place(tag+oddValues[random.IntN(len(oddValues))]+rest[strings.LastIndex(rest, "</"):])
		}
	case 8:
		if !strings.HasSuffix(tag, "/>") {
			kind, changed = "empty", place(tag+rest[strings.LastIndex(rest, "</"):])
		}
	}
	if changed == "" || changed == text {
		return ""
	}
	line := 1 + strings.Count(text[:at.start], "\n")
	return strings.TrimRight(changed, " \r\n\t") + fmt.Sprintf("\n<!-- change: %s of %s at line %d -->", kind, at.name, line)
}

var oddValues = []string{"", "0", "-1", "x", "1e400", "2024-02-30", "two words", "true", "P1D", "99999999999999999999", "  7 "}

// changeAttribute removes or changes an attribute of a start tag that declares no namespace.
func changeAttribute(random *rand.Rand, tag string) string {
	found := plainAttribute.FindAllStringSubmatchIndex(tag, -1)
	found = slices.DeleteFunc(found, func(m []int) bool { return tag[m[2]:m[3]] == "xmlns" })
	if len(found) == 0 {
		return tag
	}
	m := found[random.IntN(len(found))]
	if random.IntN(3) == 0 {
		return tag[:m[0]] + tag[m[1]:]
	}
	return tag[:m[3]] + `="` + oddValues[random.IntN(len(oddValues))] + `"` + tag[m[1]:]
}

// swap exchanges an element with the sibling after it; "" if it is the last one.
func swap(text string, all []span, at span) string {
	for _, next := range all {
		if next.parent == at.parent && next.start >= at.end {
			return text[:at.start] + text[next.start:next.end] + text[at.end:next.start] + text[at.start:at.end] + text[next.end:]
		}
	}
	return ""
}

// knownDifferences reads schemas about which we and Xerces differ for good reasons.
func knownDifferences(t *testing.T) map[string]string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", "differences.txt"))
	if err != nil {
		t.Fatal(err)
	}
	known := map[string]string{}
	for line := range strings.Lines(string(text)) {
		if end, why, ok := strings.Cut(strings.TrimSpace(line), " "); ok && !strings.HasPrefix(line, "#") {
			known[end] = strings.TrimSpace(why)
		}
	}
	return known
}
