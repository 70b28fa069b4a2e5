package editors

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// A shared file, such as AGENTS.md, has one block of rules between two marks. Each
// rule begins with a mark of its own. Everything outside of the block belongs to
// others.
const (
	beginMark = "<!-- triptych:begin -->\n"
	endMark   = "<!-- triptych:end -->\n"
	anyMark   = "<!-- triptych:"
)

// The mark of a rule is a line with its name between these.
const (
	ruleMark    = "<!-- triptych:rule "
	ruleMarkEnd = " -->"
)

// ErrMarks is returned for a text with marks of this program.
var ErrMarks = errors.New("the text has marks of triptych (" + anyMark + "…), which would end its block")

// A Section is a rule in a block.
type Section struct {
	Name ruleset.Name
	Text string // as it is written, with the line before it that says when it applies
}

// Block is a shared file, divided at its marks.
type Block struct {
	Before, After string    // the bytes of others
	Sections      []Section // in the order of the file
	Stray         string    // text in the block that belongs to no rule
	Text          string    // the block with its marks, lines ending with \n
	Found         bool
}

// SplitBlock finds the block of a shared file. The bytes of others are as they are in
// the file; the lines of the block end with \n.
func SplitBlock(data []byte) (Block, error) {
	text, hasBOM := strings.CutPrefix(string(data), byteOrderMark)
	b, err := splitBlock(text)
	if hasBOM {
		b.Before = byteOrderMark + b.Before
	}
	return b, err
}

func splitBlock(text string) (Block, error) {
	fenced := fencedLines(text)
	begin, bodyAt := findMark(text, 0, beginMark, fenced)
	if begin < 0 {
		if line := markLine(text, 0, len(text), fenced); line > 0 {
			return Block{}, fmt.Errorf("line %d: a mark of triptych without a line %s before it", line, strings.TrimSpace(beginMark))
		}
		return Block{Before: text}, nil
	}
	beginLine := 1 + strings.Count(text[:begin], "\n")
	end, after := findMark(text, bodyAt, endMark, nil)
	if end < 0 {
		err := fmt.Errorf("line %d: the block of triptych that begins there has no end: the line %s is missing behind it", beginLine, strings.TrimSpace(endMark))
		if line := markLine(text, 0, begin, fenced); line > 0 {
			err = fmt.Errorf("%w; line %d has a mark before it", err, line)
		}
		return Block{}, err
	}
	if again, _ := findMark(text[:end], bodyAt, beginMark, nil); again >= 0 {
		return Block{}, fmt.Errorf("line %d: the block of triptych that begins at line %d begins there again before it ends", 1+strings.Count(text[:again], "\n"), beginLine)
	}
	b := Block{Before: text[:begin], After: text[after:], Found: true}
	for _, outside := range [][2]int{{0, begin}, {after, len(text)}} {
		if line := markLine(text, outside[0], outside[1], fenced); line > 0 {
			return Block{}, fmt.Errorf("line %d: a mark of triptych outside of the block, lines %d to %d", line, beginLine, 1+strings.Count(text[:end], "\n"))
		}
	}
	b.Before = strings.TrimSuffix(strings.TrimSuffix(b.Before, "\n"), "\r")
	inside := strings.ReplaceAll(text[bodyAt:end], "\r\n", "\n")
	b.Text = beginMark + inside + endMark
	return b, b.split(inside)
}

// findMark returns where the line of a mark behind a place begins and where the next line
// does, -1 if there is none outside of fences that have a whole block.
func findMark(text string, from int, mark string, fenced [][2]int) (at, next int) {
	bare := strings.TrimSuffix(mark, "\n")
	for at := from; at < len(text); {
		line, _ := cutLine(text[at:])
		if strings.TrimRight(line, "\r\n") == bare && !within(fenced, at) {
			return at, at + len(line)
		}
		at += len(line)
	}
	return -1, -1
}

// markLine returns the number of the first line between two places that begins with a
// mark, 0 if there is none.
func markLine(text string, from, to int, fenced [][2]int) int {
	for at := from; at < to; {
		line, _ := cutLine(text[at:])
		if strings.HasPrefix(strings.TrimLeft(line, " \t"), anyMark) && !within(fenced, at) {
			return 1 + strings.Count(text[:at], "\n")
		}
		at += len(line)
	}
	return 0
}

func within(ranges [][2]int, at int) bool {
	return slices.ContainsFunc(ranges, func(r [2]int) bool { return r[0] < at && at < r[1] })
}

// fencedLines returns the ranges of a Markdown text between fences that hold as many begin
// marks as end marks, and indented lines likewise: a person shows a block there. A fence that
// is not closed, or that is closed by one in a block, is none.
func fencedLines(text string) (ranges [][2]int) {
	if !strings.Contains(text, anyMark) {
		return nil
	}
	ranges = indentedMarks(text)
	open, fence := -1, ""
	for at := 0; at < len(text); {
		line, _ := cutLine(text[at:])
		mark := fenceOf(line)
		switch {
		case mark == "":
		case open < 0:
			open, fence = at, mark
		case mark[0] == fence[0] && len(mark) >= len(fence) && strings.TrimSpace(line) == mark:
			inside := text[open:at]
			if strings.Count(inside, beginMark[:len(beginMark)-1]) == strings.Count(inside, endMark[:len(endMark)-1]) {
				ranges = append(ranges, [2]int{open, at})
			}
			open = -1
		}
		at += len(line)
	}
	return ranges
}

// indentedMarks returns the ranges of lines with marks that are indented as code, if they
// hold as many begin marks as end marks.
func indentedMarks(text string) (ranges [][2]int) {
	begins, ends := 0, 0
	for at := 0; at < len(text); {
		line, _ := cutLine(text[at:])
		bare := strings.TrimLeft(line, " \t")
		if isCode := strings.HasPrefix(line, "    ") || strings.HasPrefix(line, "\t"); isCode && strings.HasPrefix(bare, anyMark) {
			ranges = append(ranges, [2]int{at - 1, at + len(line)})
			switch strings.TrimRight(bare, "\r\n") {
			case strings.TrimSpace(beginMark):
				begins++
			case strings.TrimSpace(endMark):
				ends++
			}
		}
		at += len(line)
	}
	if begins != ends {
		return nil
	}
	return ranges
}

// fenceOf returns the characters of a line that opens or closes code, "" for any other.
func fenceOf(line string) string {
	text := strings.TrimLeft(line, " ")
	if len(line)-len(text) > 3 {
		return ""
	}
	for _, c := range []string{"`", "~"} {
		if rest := strings.TrimLeft(text, c); len(text)-len(rest) >= 3 {
			return text[:len(text)-len(rest)]
		}
	}
	return ""
}

// split divides the text between the marks into sections.
func (b *Block) split(text string) error {
	name, from, to := nextRule(text, 0)
	if from < 0 {
		b.Stray = strings.TrimSpace(text)
		return nil
	}
	b.Stray = strings.TrimSpace(text[:from])
	for from >= 0 {
		parsed, err := ruleset.ParseName(name)
		if err != nil {
			return err
		}
		begin := to
		name, from, to = nextRule(text, begin)
		end := from
		if from < 0 {
			end = len(text)
		}
		b.Sections = append(b.Sections, Section{Name: parsed, Text: strings.TrimSuffix(text[begin:end], "\n")})
	}
	return nil
}

// nextRule returns the name in the first mark of a rule at or behind a place, where the
// line of the mark begins, -1 if there is none, and where the next line does.
func nextRule(text string, at int) (name string, from, to int) {
	for {
		i := strings.Index(text[at:], ruleMark)
		if i < 0 {
			return "", -1, -1
		}
		from = at + i
		line, _ := cutLine(text[from:])
		to = from + len(line)
		word, isLine := strings.CutSuffix(line, "\n")
		word, isMark := strings.CutSuffix(strings.TrimSuffix(word, "\r"), ruleMarkEnd)
		name = strings.TrimPrefix(word, ruleMark)
		if isLine && isMark && (from == 0 || text[from-1] == '\n') && strings.Trim(name, nameBytes) == "" && name != "" {
			return name, from, to
		}
		at = to
	}
}

// nameBytes are the bytes of names of rulesets.
const nameBytes = "abcdefghijklmnopqrstuvwxyz0123456789_"

// blockText returns the block of sections with its marks.
func blockText(sections []Section) string {
	var b strings.Builder
	b.WriteString(beginMark)
	for _, s := range sections {
		b.WriteString(ruleMark + string(s.Name) + ruleMarkEnd + "\n" + endLine(s.Text) + "\n")
	}
	b.WriteString(endMark)
	return b.String()
}

// Retain returns a shared file with the rules of parts as a block on disk has them, in
// their places there. Rules of the file that the block does not have are placed between
// those that it has, by name: layers and orders of the others are not known.
func (f File) Retain(disk Block, parts []Part) (File, error) {
	fresh, err := SplitBlock(f.Content)
	if err != nil || len(fresh.Sections) == 0 {
		return f, err
	}
	revs := map[ruleset.Name]Part{}
	for _, part := range slices.Concat(f.Parts, parts) {
		revs[part.Name] = part
	}
	kept := slices.DeleteFunc(slices.Clone(disk.Sections), func(s Section) bool { return revs[s.Name] == Part{} })
	at := 0 // behind the rule of fresh that was placed last
	for _, s := range fresh.Sections {
		known := slices.IndexFunc(kept, func(k Section) bool { return k.Name == s.Name })
		if known < 0 {
			for at < len(kept) && kept[at].Name < s.Name && !fresh.has(kept[at].Name) {
				at++
			}
			kept, known = slices.Insert(kept, at, s), at
		}
		kept[known], at = s, known+1
	}
	f.Content, f.Parts = []byte(blockText(kept)), nil
	for _, s := range kept {
		f.Parts = append(f.Parts, revs[s.Name])
	}
	return f, nil
}

func (b Block) has(name ruleset.Name) bool {
	return slices.ContainsFunc(b.Sections, func(s Section) bool { return s.Name == name })
}

// Join returns the bytes of the file with another block. The lines of the block end
// like the other lines of the file. An empty block takes its marks along.
func (b Block) Join(block string) []byte {
	if block == "" {
		return []byte(b.Before + b.After)
	}
	newline := "\n"
	if strings.Contains(b.Before+b.After, "\r\n") {
		newline = "\r\n"
		block = strings.ReplaceAll(block, "\n", newline)
	}
	if strings.Trim(b.Before, byteOrderMark) != "" {
		block = newline + block
	}
	return []byte(b.Before + block + b.After)
}

// lead returns the line before a rule in a shared file that says when the rule
// applies, "" for a rule that always does.
func lead(r Rule) string {
	switch r.Activation {
	case Glob:
		return "For files that match `" + strings.Join(r.Globs, "`, `") + "`:\n\n"
	case Auto:
		if d := oneLine(r.Description); d != "" {
			return "When this applies: " + d + "\n\n"
		}
	}
	return ""
}

// section returns a rule as a section. In a nested file its globs are said by the
// folder.
func section(r Rule, nested bool) Section {
	text := r.Body
	if !nested {
		text = lead(r) + text
	}
	return Section{Name: r.Name, Text: text}
}

// Merge returns base with the text of a section.
func (s Section) Merge(base Rule) Rule {
	body := s.Text
	if l := lead(base); l != "" {
		body = strings.TrimPrefix(body, l)
	}
	if !sameEnd(endLine(body), strings.ReplaceAll(base.Body, "\r\n", "\n")) {
		base.Body = endLine(body)
	}
	return base
}

// folderOf returns the folder that a rule's globs are all below, "" if there is none:
// of the glob src/api/** it is src/api.
func folderOf(globs []string) string {
	if len(globs) != 1 {
		return ""
	}
	dir, ok := strings.CutSuffix(strings.TrimPrefix(globs[0], "./"), "/**")
	if !ok {
		dir, ok = strings.CutSuffix(strings.TrimPrefix(globs[0], "./"), "/**/*")
	}
	if !ok || dir == "" || strings.ContainsAny(dir, `*?[]{}\`) || strings.HasPrefix(dir, "/") || strings.Contains("/"+dir+"/", "/../") {
		return ""
	}
	return dir
}
