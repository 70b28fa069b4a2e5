package bugs

import (
	"cmp"
	"context"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"
)

// Limits of the places whose code is compared.
const (
	maxAlike = 400
	maxRisky = 400
)

// A place is a part of a file whose code is to be compared.
type place struct {
	file   *file
	at     int   // its middle token
	risk   *risk // found by a rule, or nil
	shared int   // number of bands that it shares with the query
	line   int   // line whose names it shares with the query; 0 for other places
	call   bool  // a call that a change guards is there
}

// places collects the places to compare.
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
	chosen := slices.Concat(s.choose(slices.Concat(parts...)), s.names.places())
	if s.change != nil {
		if s.guard = s.newGuard(); s.guard != nil {
			chosen = append(chosen, s.guard.places...)
		}
	}
	return chosen, nil
}

// placesIn appends the places in one file.
func (s *search) placesIn(to []place, f *file, p *probe) []place {
	if p != nil && f.lang.Family == s.siteFile.lang.Family {
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

// plausible returns the weight of a rule's matches, from 0 to 1. Only rules for
// the site's kind count and, if a signal stopped the program, rules for kinds
// that may cause it. If the request gives a class of bugs but no place, all rules of the
// class count.
func (s *search) plausible(r *rule) float64 {
	sure := r.certainty()
	switch {
	case s.found.Kind == "" && len(s.query.codes) == 0 && r.kind.Class() == s.found.Class:
		return sure
	case s.found.Kind != "" && r.kind == s.found.Kind:
		return sure
	case s.request.Site.Signal != "" && slices.Contains(rowOf(s.found.Kind).near, r.kind):
		return causeWeight * sure
	default:
		return 0
	}
}

// causeWeight is the weight of a risk that may be the cause of a signal.
const causeWeight = 0.7

// choose returns the most promising places.
func (s *search) choose(all []place) []place {
	slices.SortStableFunc(all, func(a, b place) int {
		return cmp.Or(
			cmp.Compare(b.shared, a.shared),
			cmp.Compare(s.priority(b), s.priority(a)),
			strings.Compare(a.file.path, b.file.path),
			cmp.Compare(a.at, b.at))
	})
	alike := min(maxAlike, len(all), countFunc(all, func(p place) bool { return p.shared > 0 }))
	risky := slices.DeleteFunc(slices.Clone(all), func(p place) bool { return p.risk == nil })
	return slices.Concat(all[:alike], risky[:min(maxRisky, len(risky))])
}

func (s *search) priority(p place) float64 {
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
