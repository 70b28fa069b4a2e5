package bugs

import (
	"cmp"
	"context"
	"slices"
)

// A search is the state of one request.
type search struct {
	finder  *Finder
	folder  string
	view    view
	request Request
	limit   int

	siteFile *file // nil if it cannot be read
	query    query // the code at the site; empty if there is none
	begin    int   // the token of siteFile at which the query begins
	found    Diagnosis
	names    *lexicon

	change *change // the hunk that is searched for; nil for a place
	guard  *guard  // what the hunk adds around calls; nil if nothing
}

// run answers the request:
//
//	prepare     find the site's file and the code around its line; diagnose
//	places      select similar windows and risks of the kind
//	weighAll    compare them with the site
//	report      the best ones, each place once
func (s *search) run(ctx context.Context) (*Report, error) {
	found, err := s.candidates(ctx)
	if err != nil {
		return nil, err
	}
	return s.report(found), nil
}

// candidates returns the best candidates.
func (s *search) candidates(ctx context.Context) ([]candidate, error) {
	all, err := s.compared(ctx)
	if err != nil {
		return nil, err
	}
	return s.best(all), nil
}

// compared returns all places that were compared, with their features.
func (s *search) compared(ctx context.Context) ([]candidate, error) {
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

// prepare finds the site's code and makes its diagnosis.
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

// sitePath returns the path of the site's file. It differs from that of siteFile
// if the site is a change.
func (s *search) sitePath() string {
	if s.change != nil {
		return s.change.File
	}
	return s.siteFile.path
}

// restrict changes a diagnosis to one of the requested class.
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

// focus sets the query: the function around the site's line, or the part of it
// that is compared.
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

// around returns the part of [begin:end) around at that is compared.
func around(begin, end, at int) (int, int) {
	if end-begin <= queryTokens {
		return begin, end
	}
	low := max(begin, min(at-queryTokens/2, end-queryTokens))
	return low, low + queryTokens
}

// risksNear returns the risks on and around the site's line, the nearest first.
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
