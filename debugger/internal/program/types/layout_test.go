package types_test

import (
	"path/filepath"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/debuggertest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbolstest"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
)

// members returns the members of the class all of layout.cc, by their names.
func members(t *testing.T) map[string]*types.Type {
	t.Helper()
	path := debuggertest.Compile(t, filepath.Join("testdata", "layout.cc"), nil, "g++", "-g", "-std=c++17")
	all, err := symbolstest.Open(t, path, symbols.Config{}).Type(t.Context(), "all")
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]*types.Type{}
	fields := all.Fields()
	for i := range fields {
		found[fields[i].Name] = fields[i].Type()
	}
	return found
}

// Types have the sizes that the compiler asserts, or that the System V ABI for AMD64 gives
// to scalars (figure 3.1), and are spelled as in the language.
func TestTypes(t *testing.T) {
	all := members(t)
	for name, want := range map[string]struct {
		spelled string
		kind    types.Kind // without typedefs and qualifiers
		size    int64
		after   uint64 // the offset behind one byte, which is the alignment
	}{
		"a": {"mixed", types.KindStruct, 24, 8}, "b": {"tight", types.KindStruct, 9, 1}, "c": {"line", types.KindStruct, 64, 64}, "d": {"either", types.KindUnion, 8, 4},
		"e": {"plain", types.KindEnum, 4, 4}, "f": {"scoped", types.KindEnum, 1, 1}, "g": {"space::inner", types.KindEnum, 4, 4}, "h": {"derived", types.KindStruct, 8, 4},
		"j": {"pointer", types.KindPointer, 8, 8}, "k": {"function", types.KindPointer, 8, 8}, "l": {"matrix", types.KindArray, 24, 4}, "m": {"member", types.KindMemberPointer, 8, 8},
		"o": {"bool", types.KindBool, 1, 1}, "p": {"char16_t", types.KindChar, 2, 2}, "q": {"long double", types.KindFloat, 16, 16},
		"r": {"int &", types.KindReference, 8, 8}, "s": {"int &&", types.KindRvalueReference, 8, 8},
	} {
		got := all[name]
		if got == nil {
			t.Fatalf("there is no member %s", name)
		}
		if got.String() != want.spelled || got.Strip().Kind != want.kind || got.ByteSize() != want.size || got.OffsetAfter(1) != want.after {
			t.Errorf("%s: %q of kind %d, %d bytes, at %d behind a byte; want %+v", name, got, got.Strip().Kind, got.ByteSize(), got.OffsetAfter(1), want)
		}
	}
	for name, want := range map[string]string{
		"j": "const volatile mixed *", "k": "int (*)(long, const char *)", "l": "int [2][3]", "m": "int derived::*", "n": "std::vector<std::string>",
	} {
		if got := all[name].Elem().String(); got != want {
			t.Errorf("the typedef of %s is %q, want %q", name, got, want)
		}
	}
}

// Members have the offsets that the compiler asserts. Bit-fields follow the short without a
// gap (System V ABI for AMD64, 3.1.2): its two bytes end before bit 144.
func TestMembers(t *testing.T) {
	all := members(t)
	fields := all["a"].Fields()
	want := []struct {
		name            string
		offset          int64
		start, bitsSize int64
	}{{"c", 0, 0, 0}, {"d", 8, 0, 0}, {"s", 16, 0, 0}, {"bits", -1, 144, 5}, {"more", -1, 149, 7}, {"text", 20, 0, 0}}
	if len(fields) != len(want) {
		t.Fatalf("%d members", len(fields))
	}
	for i, w := range want {
		f := &fields[i]
		if f.Name != w.name || w.offset >= 0 && f.Offset != w.offset || f.BitSize != w.bitsSize || f.BitSize > 0 && f.BitStart != w.start {
			t.Errorf("%+v, want %+v", f, w)
		}
	}
	of := all["h"].Fields()
	if len(of) != 2 || !of[0].Base || of[0].Type().String() != "base" || of[1].Name != "d" || of[1].Offset != 4 {
		t.Errorf("derived has %+v", of)
	}
	static := 0
	for _, f := range of[0].Type().Fields() {
		if f.Static {
			static++
		}
	}
	if static != 1 {
		t.Errorf("%d members of base are shared by all objects, want 1", static)
	}
}

// A value of an enumeration has its name, or those of its flags, as the language spells
// them; other values are numbers.
func TestEnumText(t *testing.T) {
	all := members(t)
	for _, tt := range []struct {
		member, want string
		value        uint64
	}{
		{"e", "TWO", 2}, {"e", "ONE | TWO", 3}, {"e", "NONE", 0}, {"e", "8", 8}, {"e", "9", 9},
		{"f", "scoped::minus", 0xff}, {"f", "scoped::zero", 0}, {"f", "-2", 0xfe}, {"g", "space::A", 7},
	} {
		if got := all[tt.member].EnumText(tt.value); got != tt.want {
			t.Errorf("%s %d: %q, want %q", all[tt.member], tt.value, got, tt.want)
		}
	}
	if !all["f"].Signed() || all["e"].Signed() || !all["l"].Strip().Elem().Signed() {
		t.Error("an enumeration has the wrong sign")
	}
}

// A pointer to a member is the offset of that member (Itanium C++ ABI, 2.3).
func TestMemberText(t *testing.T) {
	m := members(t)["m"].Strip()
	for offset, want := range map[int64]string{4: "&derived::d", -1: "NULL", 99: "99"} {
		if got := m.MemberText(offset); got != want {
			t.Errorf("%d: %q, want %q", offset, got, want)
		}
	}
}

// A class with a destructor is passed by reference (Itanium C++ ABI, 3.1.2.3), one with
// another constructor by value, since its copies need none.
func TestPassedByValue(t *testing.T) {
	all := members(t)
	for name, want := range map[string]bool{"a": true, "i": false, "n": false, "e": true, "j": true} {
		if got := all[name].PassedByValue(); got != want {
			t.Errorf("%s: %t", all[name], got)
		}
	}
}

// References are followed, and what they refer to is left as it is.
func TestReferred(t *testing.T) {
	all := members(t)
	for name, want := range map[string]string{"r": "int", "s": "int", "a": "mixed", "j": "pointer"} {
		if got := all[name].Referred().String(); got != want || all[name].IsReference() != (want == "int") {
			t.Errorf("%s: %s, is a reference: %t", name, got, all[name].IsReference())
		}
	}
	if p := all["k"].Strip().Elem().Parameters(); len(p) != 2 || p[0].String() != "long" || p[1].String() != "const char *" {
		t.Errorf("the function has the parameters %v", p)
	}
	if arg := all["n"].TemplateArg(0); arg == nil || arg.LibraryName() == "" || all["a"].LibraryName() != "" {
		t.Errorf("the vector has elements of %v", arg)
	}
}

// An array that is made has the size of its elements together, and rows of the dimensions
// that are left. What is not there is void.
func TestMadeTypes(t *testing.T) {
	l := members(t)["l"].Strip()
	if row := l.Row(l.Dimensions()[1:]); row.String() != "int [3]" || row.ByteSize() != 12 {
		t.Errorf("a row is %s of %d bytes", row, row.ByteSize())
	}
	if a := types.ArrayOf(types.Character, 5); a.String() != "char [5]" || a.ByteSize() != 5 || a.Elem() != types.Character {
		t.Errorf("%s of %d bytes", a, a.ByteSize())
	}
	if huge := types.ArrayOf(types.ArrayOf(types.Character, 1<<30), 1<<30); huge.ByteSize() != 0 {
		t.Errorf("an array without bounds has %d bytes", huge.ByteSize())
	}
	if void := (*types.Set)(nil).At(7); void != types.Void || void.String() != "void" || void.ByteSize() != 0 {
		t.Errorf("%s", void)
	}
}
