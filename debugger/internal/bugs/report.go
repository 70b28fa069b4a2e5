package bugs

import (
	"cmp"
	"fmt"
	"strings"
)

// A Report is the answer to a request.
type Report struct {
	Diagnosis Diagnosis `json:"diagnosis" doc:"What went wrong at the site"`
	Findings  []Finding `json:"findings" doc:"Places that resemble the site, the most similar first"`
	More      int       `json:"more,omitempty" doc:"Other places that match the code"`
	Files     int       `json:"files" doc:"Source files that were searched"`
	Lines     int       `json:"lines" doc:"Lines in them"`
	LeftOut   int       `json:"left_out" doc:"Source files that are too large, binary, minified or not readable"`
	Complete  bool      `json:"complete" doc:"Whether all files were read; if not, the next search goes on"`
}

// A Finding is a place that resembles the site.
type Finding struct {
	File       string `json:"file" doc:"Path, relative to the search path"`
	Line       int    `json:"line"`
	Function   string `json:"function,omitempty" doc:"Function around it"`
	Kind       Kind   `json:"kind,omitempty" doc:"Sort of bug"`
	Title      string `json:"title" doc:"The sort of bug in words"`
	Confidence int    `json:"confidence" doc:"Per cent of such findings that are right"`
	Rule       string `json:"rule,omitempty" doc:"Rule that sees a risk there"`
	Reason     string `json:"reason" doc:"Why it was found"`
	Excerpt    string `json:"excerpt,omitempty" doc:"The lines around it; > marks the line itself"`
}

// report returns the report of candidates.
func (s *search) report(best []candidate) *Report {
	r := &Report{
		Diagnosis: s.found, Findings: make([]Finding, 0, len(best)),
		Files: len(s.view.files), Lines: s.view.lines, LeftOut: s.view.left, Complete: s.view.complete,
	}
	for _, c := range best {
		of := cmp.Or(c.search, s)
		r.Findings = append(r.Findings, of.finding(c, s.text(c.file)))
	}
	return r
}

func (s *search) finding(c candidate, text string) Finding {
	f := s.describe(c, text)
	f.Confidence, f.Reason = percent(s.confidence(c)), s.reason(c)
	return f
}

// counterpart returns the line near a candidate's line that corresponds to the site's: the
// one that has most of its tokens, the nearest of those. A rule's line stays.
func (s *search) counterpart(c candidate) int {
	if c.risk != nil || c.unguarded || s.siteFile == nil || len(s.query.codes) == 0 || c.file.lang.Family != s.siteFile.lang.Family {
		return c.line
	}
	site := s.lineBag(s.siteFile, s.request.Site.Line)
	best, most := c.line, max(fewCommon, site.common(s.lineBag(c.file, c.line)))
	for away := 1; away <= windowReach; away++ {
		for _, line := range [2]int{c.line - away, c.line + away} {
			if line < 1 || c.file.path == s.sitePath() && line == s.request.Site.Line {
				continue
			}
			if alike := site.common(s.lineBag(c.file, line)); alike > most {
				best, most = line, alike
			}
		}
	}
	return best
}

// fewCommon is the share of the site's line below which a line does not correspond to it.
const fewCommon = 0.3

// describe returns the finding for a candidate, without a reason.
func (s *search) describe(c candidate, text string) Finding {
	f := Finding{
		File: c.file.path, Line: c.line, Kind: s.found.Kind, Title: s.found.Title,
		Excerpt: excerpt(text, c.line),
	}
	if fn, ok := c.file.functionOf(c.file.stream.tokenOf(c.line)); ok {
		f.Function = fn.name
	}
	if c.risk != nil {
		f.Kind, f.Title, f.Rule = c.risk.rule.kind, c.risk.rule.kind.Title(), c.risk.rule.id
	}
	return f
}

// reasonNames limits the shared names that a reason lists.
const reasonNames = 4

// reason describes why a place was found: the risk that a rule found, that its
// structure is similar, and the names that it shares with the site, the rarest
// first.
func (s *search) reason(c candidate) string {
	var names []string
	for _, id := range s.names.rarest(c.file, c.line, reasonNames) {
		names = append(names, s.view.names.text(id))
	}
	var reasons []string
	switch {
	case c.risk != nil:
		reasons = append(reasons, c.risk.rule.because)
	case c.alike >= enoughAlike:
		reasons = append(reasons, "the code is similar")
	}
	if s.change != nil {
		reasons = append(reasons, s.reasonOfChange(c)...)
	}
	if c.names >= enoughNames && len(names) > 0 {
		reasons = append(reasons, "it shares the names "+strings.Join(names, ", "))
	}
	return strings.Join(reasons, "; ")
}

// Text returns the documented text form.
func (r *Report) Text() string {
	var text strings.Builder
	switch n := len(r.Findings); n {
	case 0:
		text.WriteString("No similar patterns found")
	case 1:
		text.WriteString("Found 1 similar pattern:")
	default:
		fmt.Fprintf(&text, "Found %d similar patterns:", n)
	}
	for i, f := range r.Findings {
		fmt.Fprintf(&text, "\n\n%d. %s:%d - %s\n   Similarity: %d%%", i+1, printable(f.File), f.Line, f.Title, f.Confidence)
	}
	if r.More > 0 {
		fmt.Fprintf(&text, "\n\n%d more places match", r.More)
	}
	if !r.Complete {
		fmt.Fprintf(&text, "\n\nOnly %d files were searched; search again to go on, or search a part of the folder", r.Files)
	}
	return text.String()
}

// printable returns a path as a single line that a terminal can show safely.
func printable(path string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7F {
			return '\uFFFD'
		}
		return r
	}, path)
}
