package looktools

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/session"
	"github.com/triptych-mcp/triptych/debugger/internal/session/inspect"
	"github.com/triptych-mcp/triptych/mcp/plain"
)

// A typeLayout describes where the members of a type are in its objects.
type typeLayout struct {
	Type    string       `json:"type"`
	Size    int64        `json:"size"`
	Members []typeMember `json:"members,omitempty"`
}

// A typeMember is a member, base class or enumerator of a type.
type typeMember struct {
	Offset int64  `json:"offset"`
	Size   int64  `json:"size"`
	Bits   string `json:"bits,omitempty" doc:"Of a bit-field: first bit, number of bits"`
	Name   string `json:"name,omitempty"`
	Type   string `json:"type,omitempty"`
	Value  string `json:"value,omitempty" doc:"Of an enumerator"` // hosts round a number of 64 bits
}

// maxMembers limits the members of a layout.
const maxMembers = 1000

// layoutOf returns the layout of a type. That of a pointer is the layout of what it points
// to.
func layoutOf(t *types.Type) typeLayout {
	plainType := t.Strip()
	if plainType.Kind == types.KindPointer || plainType.Referred() != plainType {
		if to := plainType.Elem().Strip(); len(to.Fields()) > 0 {
			t, plainType = plainType.Elem(), to
		}
	}
	l := typeLayout{Type: t.String(), Size: t.ByteSize()}
	fields := plainType.Fields()
	for i := range fields {
		f := &fields[i]
		if f.Static || len(l.Members) == maxMembers {
			continue
		}
		m := typeMember{Offset: f.Offset, Size: f.Type().ByteSize(), Name: f.Name, Type: f.Type().String()}
		if f.Base {
			m.Name = ""
		}
		if f.BitSize > 0 {
			m.Offset, m.Bits = f.BitStart/8, fmt.Sprintf("%d:%d", f.BitStart, f.BitSize)
		}
		l.Members = append(l.Members, m)
	}
	for _, e := range plainType.Enumerators() {
		if len(l.Members) < maxMembers {
			l.Members = append(l.Members, typeMember{Size: l.Size, Name: e.Name, Value: strconv.FormatInt(e.Value, 10)})
		}
	}
	return l
}

// Text returns a line for each member: offset, size, name and type.
func (l typeLayout) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "type %s, %d bytes", plain.Line(l.Type), l.Size)
	for _, m := range l.Members {
		switch {
		case m.Value != "":
			fmt.Fprintf(&b, "\n  %s = %s", plain.Line(m.Name), m.Value)
		case m.Bits != "":
			fmt.Fprintf(&b, "\n  %5d %5s  %s: %s (bits %s)", m.Offset, "", plain.Line(m.Name), plain.Line(m.Type), m.Bits)
		default:
			fmt.Fprintf(&b, "\n  %5d %5d  %s: %s", m.Offset, m.Size, plain.Line(m.Name), plain.Line(m.Type))
		}
	}
	return b.String()
}

// tags are the words that C has before the names of some types.
var tags = []string{"struct ", "union ", "enum ", "class "}

// typeNamed returns the type that a text names, and false if it names none.
func typeNamed(ctx context.Context, s *session.Session, name string, thread, frame int) (*types.Type, bool, error) {
	scope, err := s.Inspector.Scope(thread, frame)
	if err != nil {
		return nil, false, inspect.WrapError(err)
	}
	name = strings.TrimSpace(name)
	for _, tag := range tags {
		name = strings.TrimPrefix(name, tag)
	}
	t, err := scope.Type(ctx, name)
	if errors.Is(err, symbols.ErrNotFound) {
		return nil, false, nil
	}
	return t, err == nil, err
}
