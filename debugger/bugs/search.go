package bugs

import (
	"cmp"
	"context"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// A search is the work of one request.
type search struct {
	finder  *Finder
	folder  string
	view    view
	request Request
	limit   int

	home  *file // the site's; nil when it cannot be read
	query query // the code at the site; empty when there is none
	begin int   // where the query begins in home
	found Diagnosis
}

// run answers the request:
//
//	settle      the site's file, the code around its line, what went wrong
//	places      where to look closer: windows alike, and risks of the kind
//	weigh       how much each resembles the site
//	report      the best, each place once
func (s *search) run(ctx context.Context) (*Report, error) {
	if err := s.settle(ctx); err != nil {
		return nil, err
	}
	near, err := s.places(ctx)
	if err != nil {
		return nil, err
	}
	findings, err := s.weighAll(ctx, near)
	if err != nil {
		return nil, err
	}
	return s.report(findings), nil
}

// settle finds the site's code and decides what went wrong there.
func (s *search) settle(ctx context.Context) error {
	sc := scene{site: s.request.Site}
	if s.request.Site.File != "" {
		home, text, err := s.locate(ctx)
		if err != nil {
			return err
		}
		if s.home = home; home != nil {
			s.focus()
			sc.line = lineTokens(ctx, home.lang, textLine(text, s.request.Site.Line))
			sc.risks = s.risksNear()
		}
	}
	s.found = restrict(diagnose(sc), s.request.Class, sc.risks)
	return ctx.Err()
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

// queryTokens is how much code around the site is compared.
const queryTokens = 120

// focus takes the query out of the site's file: the function around the line, or
// as much of it as is compared.
func (s *search) focus() {
	codes := s.home.stream.codes
	if s.request.Site.Line <= 0 || len(codes) == 0 {
		return
	}
	at, _ := s.home.stream.tokensOf(s.request.Site.Line, s.request.Site.Line)
	at = min(at, len(codes)-1)
	begin, end := max(0, at-queryTokens/4), min(len(codes), at+queryTokens/4)
	if fn, ok := s.home.functionOf(at); ok {
		begin, end = around(int(fn.begin), int(fn.end), at)
	}
	s.begin = begin
	s.query = query{codes: codes[begin:end], names: s.home.stream.names[begin:end], focus: at - begin}
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
	line := int32(s.request.Site.Line) //nolint:gosec // lines of a file of limited size
	var near []risk
	for _, r := range s.home.risks {
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

// A place is a part of a file to look closer at.
type place struct {
	file   *file
	at     int   // the token in its middle
	risk   *risk // what a rule sees there, or nil
	shared int   // how many bands it shares with the query
}

// How many places are looked at closer.
const (
	maxAlike = 400
	maxRisky = 400
)

// places collects where to look closer.
func (s *search) places(ctx context.Context) ([]place, error) {
	var p *probe
	if len(s.query.codes) >= shingle {
		p = newProbe(s.query.codes)
	}
	parts := make([][]place, s.finder.config.Workers)
	group, ctx := errgroup.WithContext(ctx)
	for w := range parts {
		group.Go(func() error {
			for i := w; i < len(s.view.files) && ctx.Err() == nil; i += len(parts) {
				parts[w] = s.placesIn(parts[w], s.view.files[i], p)
			}
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return nil, err
	}
	return s.choose(slices.Concat(parts...)), nil
}

// placesIn appends the places of one file.
func (s *search) placesIn(to []place, f *file, p *probe) []place {
	if p != nil && f.lang.family == s.home.lang.family {
		for w := range len(f.sketch) / bands {
			if n := p.shared(f.sketch[w*bands : (w+1)*bands]); n > 1 {
				to = append(to, place{file: f, at: windowAt(w, len(f.stream.codes)) + windowTokens/2, shared: n})
			}
		}
	}
	for i := range f.risks {
		if s.plausible(f.risks[i].rule) > 0 {
			to = append(to, place{file: f, at: int(f.risks[i].at), risk: &f.risks[i]})
		}
	}
	return to
}

// plausible says how much a rule's finding counts, from 0 to 1.
func (s *search) plausible(r *rule) float64 {
	sure := float64(r.sure) / 100
	switch {
	case s.found.Kind != "":
		return s.found.Kind.affinity(r.kind) * sure
	case s.found.Class != "" && r.kind.Class() == s.found.Class:
		return sure
	default:
		return 0
	}
}

// choose keeps the places that promise most.
func (s *search) choose(all []place) []place {
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(
			cmp.Compare(b.shared, a.shared),
			cmp.Compare(s.promise(b), s.promise(a)),
			strings.Compare(a.file.path, b.file.path),
			cmp.Compare(a.at, b.at))
	})
	alike := min(maxAlike, len(all), countFunc(all, func(p place) bool { return p.shared > 0 }))
	risky := slices.DeleteFunc(slices.Clone(all), func(p place) bool { return p.risk == nil })
	return slices.Concat(all[:alike], risky[:min(maxRisky, len(risky))])
}

func (s *search) promise(p place) float64 {
	if p.risk == nil {
		return 0
	}
	return s.plausible(p.risk.rule)
}

func countFunc(places []place, is func(place) bool) int {
	n := 0
	for _, p := range places {
		if is(p) {
			n++
		}
	}
	return n
}

// locate finds the file of the site, and its text: in the tree by its path, or on
// the disk, or in the tree by the end of the path, since programs are built
// elsewhere. There may be none. It fails only as ctx ends.
func (s *search) locate(ctx context.Context) (*file, string, error) {
	if f := s.byPath(s.request.Site.File); f != nil {
		return f, s.text(f), nil
	}
	f, text, err := s.external(ctx)
	if err == nil || ctx.Err() != nil {
		return f, text, ctx.Err()
	}
	if f = s.bySuffix(path.Clean(filepath.ToSlash(s.request.Site.File))); f != nil {
		return f, s.text(f), nil
	}
	return nil, "", nil
}

// text is the text of a file of the tree; empty when it is gone since the tree
// was read.
func (s *search) text(f *file) string {
	text, err := s.read(f.path)
	if err != nil {
		return ""
	}
	return text
}

// byPath finds a file of the tree, by its absolute or relative path.
func (s *search) byPath(name string) *file {
	if filepath.IsAbs(name) {
		inner, err := filepath.Rel(s.folder, name)
		if err != nil {
			return nil
		}
		name = inner
	}
	name = path.Clean(filepath.ToSlash(name))
	i, found := slices.BinarySearchFunc(s.view.files, name, func(f *file, name string) int {
		return strings.Compare(f.path, name)
	})
	if !found {
		return nil
	}
	return s.view.files[i]
}

// bySuffix finds the file of the tree with the most folders of its path in
// common with name, counted from the end.
func (s *search) bySuffix(name string) *file {
	var best *file
	most := 0
	for _, f := range s.view.files {
		if n := commonFolders(f.path, name); n > most {
			best, most = f, n
		}
	}
	return best
}

// commonFolders is how many elements at the end of two paths are the same.
func commonFolders(a, b string) int {
	n := 0
	for a != "" && b != "" {
		i, j := strings.LastIndexByte(a, '/'), strings.LastIndexByte(b, '/')
		if a[i+1:] != b[j+1:] {
			break
		}
		n++
		a, b = a[:max(i, 0)], b[:max(j, 0)]
	}
	return n
}
