package looktools

import (
	"context"
	"strconv"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// findNames searches the names of a kind.
func findNames(ctx context.Context, s *session.Session, args findArgs) (found, error) {
	want, err := NameFilter(args.Pattern)
	if err != nil {
		return found{}, err
	}
	p := page{from: int(args.from())}
	var shown []symbols.Name
	err = s.Inspector.Program.Names(ctx, want, func(n symbols.Name) {
		if string(n.Kind) == args.Kind && p.has() {
			shown = append(shown, n)
		}
	})
	answer := found{Found: []finding{}}
	for _, n := range shown {
		f := finding{Name: n.Name, Module: n.Image}
		if n.Addr != 0 {
			f.Address = plain.Hex(n.Addr)
		}
		if n.Kind == symbols.KindFunction {
			f.File, f.Line, _ = s.Inspector.Program.Line(n.Addr)
		}
		answer.Found = append(answer.Found, f)
	}
	answer.Total, answer.Next = p.total, p.next()
	return answer, err
}

// findModules lists the files that are mapped as programs and libraries.
func findModules(s *session.Session, args findArgs) (found, error) {
	want, err := NameFilter(args.Pattern)
	if err != nil {
		return found{}, err
	}
	p := page{from: int(args.from())}
	answer := found{Found: []finding{}}
	for _, im := range s.Inspector.Program.Images() {
		if want(im.Path) && p.has() {
			f := finding{Address: plain.Hex(im.Start), End: plain.Hex(im.End), Module: im.Path, BuildID: im.BuildID}
			if im.Unread != nil {
				f.Unread = im.Unread.Error()
			}
			answer.Found = append(answer.Found, f)
		}
	}
	answer.Total, answer.Next = p.total, p.next()
	return answer, nil
}

// A page counts results, of which it has those from a number on.
type page struct{ from, total int }

// has counts a result, and reports whether it is in the page.
func (p *page) has() bool {
	p.total++
	return p.total > p.from && p.total <= p.from+maxFound
}

// next returns the number of the first result behind the page, "" if there is none.
func (p *page) next() string {
	if p.total <= p.from+maxFound {
		return ""
	}
	return strconv.Itoa(p.from + maxFound)
}
