package bugs

import (
	"cmp"
	"context"
	"slices"
)

// A search is the work of one request.
type search struct {
	finder  *Finder
	folder  string
	view    view
	request Request
	limit   int

	siteFile *file // the site's; nil when it cannot be read
	query    query // the code at the site; empty when there is none
	begin    int   // where the query begins in home
	found    Diagnosis
	names    *lexicon

	change *change // the hunk that is searched for; nil for a place
}

// run answers the request:
//
//	settle      the site's file, the code around its line, what went wrong
//	places      where to look closer: windows alike, and risks of the kind
//	weigh       how much each resembles the site
//	report      the best, each place once
func (s *search) run(ctx context.Context) (*Report, error) {
	found, err := s.candidates(ctx)
	if err != nil {
		return nil, err
	}
	return s.report(found), nil
}

// candidates returns the best places.
func (s *search) candidates(ctx context.Context) ([]candidate, error) {
	if err := s.prepare(ctx); err != nil {
		return nil, err
	}
	s.names = s.newLexicon()
	if err := s.scan(ctx, s.names); err != nil {
		return nil, err
	}
	near, err := s.places(ctx)
	if err != nil {
		return nil, err
	}
	return s.weighAll(ctx, near)
}

// prepare finds the site's code and decides what went wrong there.
func (s *search) prepare(ctx context.Context) error {
	if s.change != nil {
		return s.prepareChange(ctx)
	}
	sc := evidence{site: s.request.Site}
	if s.request.Site.File != "" {
		home, text, err := s.locate(ctx)
		if err != nil {
			return err
		}
		if s.siteFile = home; home != nil {
			s.focus()
			sc.line = lineTokens(ctx, home.lang, textLine(text, s.request.Site.Line))
			sc.risks = s.risksNear()
		}
	}
	s.found = restrict(diagnose(sc), s.request.Class, sc.risks)
	return ctx.Err()
}

// sitePath returns the path of the site's file, which is not that of home if the site is
// a change.
func (s *search) sitePath() string {
	if s.change != nil {
		return s.change.File
	}
	return s.siteFile.path
}

// restrict changes a diagnosis to one of the class that was asked for.
func restrict(d Diagnosis, class Class, risks []risk) Diagnosis {
	if class == "" || d.Class == class {
		return d
	}
	for _, r := range risks {
		if r.rule.kind.Class() == class {
			return describe(r.rule.kind, r.rule.because)
		}
	}
	return Diagnosis{Class: class, Title: Kind("").Title(), Reason: "bugs of this class were asked for"}
}

// queryTokens is the number of tokens around the site that are compared.
const queryTokens = 120

// focus takes the query out of the site's file: the function around the line, or
// as much of it as is compared.
func (s *search) focus() {
	codes := s.siteFile.stream.codes
	if s.request.Site.Line <= 0 || len(codes) == 0 {
		return
	}
	at := s.siteFile.stream.tokenOf(s.request.Site.Line)
	at = min(at, len(codes)-1)
	begin, end := max(0, at-queryTokens/4), min(len(codes), at+queryTokens/4)
	if fn, ok := s.siteFile.functionOf(at); ok {
		begin, end = around(int(fn.begin), int(fn.end), at)
	}
	s.begin = begin
	s.query = query{codes: codes[begin:end], names: s.siteFile.stream.names[begin:end], focus: at - begin}
}

// around is the part of [begin:end) around at that is compared.
func around(begin, end, at int) (int, int) {
	if end-begin <= queryTokens {
		return begin, end
	}
	low := max(begin, min(at-queryTokens/2, end-queryTokens))
	return low, low + queryTokens
}

// risksNear are the risks on the site's line, and around it, the nearest first.
func (s *search) risksNear() []risk {
	line := int32(s.request.Site.Line)
	var near []risk
	for _, r := range s.siteFile.risks {
		if distance(int(r.line), int(line)) <= 2 {
			near = append(near, r)
		}
	}
	slices.SortStableFunc(near, func(a, b risk) int {
		return cmp.Or(
			cmp.Compare(distance(int(a.line), int(line)), distance(int(b.line), int(line))),
			cmp.Compare(b.rule.sure, a.rule.sure))
	})
	return near
}
