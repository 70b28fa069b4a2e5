package types

import (
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
)

// MemberText returns the member that a pointer to member refers to. The
// pointer is the member's offset, or -1 for none.
func (t *Type) MemberText(v int64) string {
	if v == -1 {
		return "NULL"
	}
	owner := t.Set.At(t.owner)
	for _, f := range owner.Fields() {
		if !f.Static && f.Offset == v && f.Name != "" {
			return "&" + owner.String() + "::" + f.Name
		}
	}
	return strconv.FormatInt(v, 10)
}

// EnumText returns the name of an enumeration's value, or of its flags, joined
// by |.
func (t *Type) EnumText(v uint64) string {
	size := min(max(t.Size, 1), 8) * 8
	mask := ^uint64(0) >> (64 - size)
	var names []string
	rest := v & mask
	for _, e := range t.Enumerators() {
		bits := uint64(e.Value) & mask
		if bits == v&mask {
			return t.enumerator(e.Name)
		}
		if bits != 0 && bits&(bits-1) == 0 && rest&bits != 0 {
			names, rest = append(names, t.enumerator(e.Name)), rest&^bits
		}
	}
	if rest == 0 && len(names) > 1 {
		return strings.Join(names, " | ")
	}
	shift := 64 - size
	return strconv.FormatInt(int64(v<<shift)>>shift, 10)
}

// enumerator spells an enumerator's name as the language does.
func (t *Type) enumerator(name string) string {
	switch {
	case t.Lang == lang.C || t.name == "":
		return name
	case t.scoped || t.Lang == lang.Rust:
		return t.name + "::" + name
	}
	if i := strings.LastIndex(t.name, "::"); i >= 0 { // a plain enumeration puts its names beside itself
		return t.name[:i+2] + name
	}
	return name
}
