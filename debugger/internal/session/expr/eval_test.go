package expr_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/program/dwarfregs"
	"github.com/triptych-mcp/triptych/debugger/internal/program/lang"
	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
	"github.com/triptych-mcp/triptych/debugger/internal/program/types"
	"github.com/triptych-mcp/triptych/debugger/internal/program/values"
	"github.com/triptych-mcp/triptych/debugger/internal/session/expr"
)

// A scope of no program: registers, two functions and memory that holds the
// low byte of each address.
type scope struct{ lang lang.Lang }

func (s scope) Language() lang.Lang { return s.lang }

func (scope) Variable(_ context.Context, name string) (values.Object, error) {
	return values.Object{}, fmt.Errorf("variable %s: %w", name, symbols.ErrNotFound)
}

func (scope) Symbol(_ context.Context, name string) (addr uint64, data bool, err error) {
	switch name {
	case "main", "app::start":
		return 0x401000, false, nil
	case "environ": // at its address are the bytes 0x21, 0x22, …
		return 0x4321, true, nil
	}
	return 0, false, symbols.ErrNotFound
}

func (scope) Type(context.Context, string) (*types.Type, error) { return nil, symbols.ErrNotFound }

var errNoRegister = errors.New("no such register")

func (scope) Vector(string) (values.Object, bool, error) { return values.Object{}, false, nil }

func (scope) Register(name string) (uint64, int, error) {
	switch name {
	case "rip":
		return 0x401004, 8, nil
	case "eax":
		return 0xffffffff, 4, nil
	}
	return 0, 0, errNoRegister
}

func (scope) At(t *types.Type, addr uint64) values.Object {
	return values.ObjectAt(symbols.New(symbols.Config{}), t, addr, lowBytes{}, dwarfregs.Registers{})
}

type lowBytes struct{}

func (lowBytes) ReadMemory(addr uint64, p []byte) error {
	if addr < 0x1000 {
		return fmt.Errorf("cannot read %#x", addr)
	}
	for i := range p {
		p[i] = byte(addr) + byte(i)
	}
	return nil
}

// castIt says how to read data without debug information.
const castIt = "the type of this data is not known, as it has no debug information; a cast such as (long)name reads it"

// The rules are C's (C17, 6.3.1, 6.4.4, 6.5); types as each language writes
// them.
func TestEval(t *testing.T) {
	for _, tt := range []struct {
		lang lang.Lang
		text string
		want string
	}{
		{lang.C, "42", "int 42"},
		{lang.C, "(long double)1 / 3", "long double 0.33333333333333333334"}, // as strtold reads it back, and gdb computes it
		{lang.C, "1 + (long double)1e-19", "long double 1.0000000000000000001"},
		{lang.C, "-(long double)9007199254740993", "long double -9.007199254740993e+15"},
		{lang.C, "(long double)18446744073709551615u + 1", "long double 1.8446744073709551616e+19"},
		{lang.C, "(unsigned long)(long double)18446744073709551615u", "unsigned long 18446744073709551615"},
		{lang.C, "(double)((long double)1 / 3)", "double 0.3333333333333333"},
		{lang.C, "(long double)1 / 3 > 1.0 / 3", "int 1"},
		{lang.C, "(long double)1 / 0", "long double +Inf"},
		{lang.C, "(_Float128)1 / 3", "_Float128 0.3333333333333333333333333333333333"},
		{lang.C, "*(_Float128 *)0x4321 * 1", "_Float128 3.1812529992990502906288646313730965e-1219"}, // computed by gcc
		{lang.C, "2147483648", "long 2147483648"},
		{lang.C, "0x80000000", "unsigned int 2147483648"},
		{lang.C, "0xffffffffffffffff", "unsigned long 18446744073709551615"},
		{lang.C, "017 + 0b101", "int 20"},
		{lang.C, "1u - 2", "unsigned int 4294967295"},
		{lang.C, "1ul - 2", "unsigned long 18446744073709551615"},
		{lang.C, "2147483647 + 1", "int -2147483648"},
		{lang.C, "1 + 2 * 3 - 4 / 2 % 2", "int 7"},
		{lang.C, "-7 / 2", "int -3"},
		{lang.C, "-7 % 3", "int -1"},
		{lang.C, "1 << 31 >> 31", "int -1"},
		{lang.C, "1 << 64", "int 0"},
		{lang.C, "~0 & 0xf0 | 3 ^ 1", "int 242"},
		{lang.C, "1.5 + 1", "double 2.5"},
		{lang.C, "(float)0.1", "float 0.1"},
		{lang.C, "1 / 4.0", "double 0.25"},
		{lang.C, "(char)200", "char -56 '\\310'"},
		{lang.C, "(unsigned char)-1", "unsigned char 255 '\\377'"},
		{lang.C, "(unsigned long int)3.99", "unsigned long int 3"},
		{lang.C, "'a' + 1", "int 98"},
		{lang.C, `'\n'`, "char 10 '\\n'"},
		{lang.C, `"a\tb"`, `string "a\tb"`},
		{lang.C, "3 > 2", "int 1"},
		{lang.C, "-1 < 1u", "int 0"},
		{lang.C, "1 == 1 && !0 || 1 / 0", "int 1"},
		{lang.C, "0 && 1 / 0", "int 0"},
		{lang.C, "(1 + 2) * 3", "int 9"},
		{lang.C, "(int)(1 + 2)", "int 3"},
		{lang.C, "$rip", "unsigned long 0x401004"},
		{lang.C, "$RIP & 0xfff", "unsigned long 0x4"},
		{lang.C, "$eax == -1", "int 1"},
		{lang.C, "main", "code * 0x401000"},
		{lang.C, "&main", "code * 0x401000"},
		{lang.C, "$rip - (long)&main", "unsigned long 0x4"},
		{lang.C, "app::start == main", "int 1"},
		{lang.C, "environ", "data without debug information <" + castIt + ">"},
		{lang.C, "&environ", "void * 0x4321"},
		{lang.C, "(short)environ", "short 8737"},
		{lang.C, "(char **)environ == (char **)0x2827262524232221", "int 1"},
		{lang.C, "*(short *)&environ", "short 8737"},
		{lang.C, "*(unsigned char *)0x4321", "unsigned char 33 '!'"},
		{lang.C, "*(short *)0x4321", "short 8737"},
		{lang.C, "((unsigned char *)0x4321)[3]", "unsigned char 36 '$'"},
		{lang.C, "*((unsigned short *)0x4320 + 1)", "unsigned short 8994"},
		{lang.C, "(long *)16 - (long *)0", "long 2"},
		{lang.C, "(long *)16 + 2", "long * 0x20"},
		{lang.C, "2 + (char **)16", "char ** 0x20"},
		{lang.C, "(void *)16 == NULL", "int 0"},
		{lang.C, "&*(int *)0x5000", "int * 0x5000"},
		{lang.C, "1 ? 2 : 1 / 0", "int 2"},
		{lang.C, "0 ? 1 / 0 : 3", "int 3"},
		{lang.C, "0 ? 1 : 0 ? 2 : 3", "int 3"},
		{lang.C, "1 ? 0 ? 1 : 2 : 3", "int 2"},
		{lang.C, "1 || 0 ? 2 + 3 : 4", "int 5"},
		{lang.C, "(0.0 ? 1 : 2) * 3", "int 6"},
		{lang.C, "main?app::start:0", "code * 0x401000"},
		{lang.C, "*(1 ? (short *)0x4321 : (short *)0)", "short 8737"},
		{lang.C, `"abc" == "abc"`, "int 1"},
		{lang.C, `"abc" < "abd" && "ab" < "abc" && "B" <= "a"`, "int 1"},
		{lang.C, `"abc" != "abc\x00"`, "int 1"},
		{lang.C, `(char *)0 == "abc"`, "int 0"},
		{lang.C, `"" != (char *)0`, "int 1"},
		{lang.C, `(char *)0x41424344 == "DEF"`, "int 0"},
		{lang.C, `(unsigned char *)0x10fd == "\xfd\xfe\xff"`, "int 1"},
		{lang.C, "sizeof(int)", "unsigned long 4"},
		{lang.C, "sizeof 1.5 + 1", "unsigned long 9"},
		{lang.C, "sizeof(long) * 2", "unsigned long 16"},
		{lang.C, "sizeof (1) + 1", "unsigned long 5"},
		{lang.C, "sizeof *(short *)0", "unsigned long 2"},
		{lang.Go, `len("größe")`, "int 7"},
		{lang.CPlusPlus, "3 > 2", "bool true"},
		{lang.CPlusPlus, "true + true", "int 2"},
		{lang.Go, "1 << 40", "int 1099511627776"},
		{lang.Go, "uint8(300)", "uint8 44"},
		{lang.Go, "nil == nil", "bool true"},
		{lang.Rust, "300 as u8", "u8 44"},
		{lang.Rust, "-1 as i64 as u32", "u32 4294967295"},
		{lang.Rust, "-1 as u8", "u8 255"},
		{lang.Rust, "*(0x4321 as *const u8)", "u8 33"},
		{lang.Rust, "3 * 4 == 12", "bool true"},
	} {
		e, err := expr.Parse(tt.text)
		if err != nil {
			t.Errorf("%s: %v", tt.text, err)
			continue
		}
		v, err := e.Eval(t.Context(), scope{tt.lang})
		if got := v.Type() + " " + v.Text(values.DefaultLimits); err != nil || got != tt.want {
			t.Errorf("%s in %v: got %s, %v, want %s", tt.text, tt.lang, got, err, tt.want)
		}
	}
}

// What cannot be evaluated says why.
func TestEvalErrors(t *testing.T) {
	for text, want := range map[string]string{
		"1 / 0":           "division by zero",
		"1 % (2 - 2)":     "division by zero",
		"nothing":         "nothing: ",
		"$nope":           "no such register",
		"*5":              "a int is no pointer; a cast such as (long *)5 makes it one",
		"*(void *)5":      "a pointer to void cannot be followed",
		"(nope *)5":       "type nope: ",
		"&5":              "only what is in memory has an address",
		"5 .x":            "a int has no members",
		"5[1]":            "a int has no elements",
		`"a" == 1`:        "a int is no text",
		`"a" + 1`:         "a string is no number",
		`(char *)0 < "a"`: "a null pointer is no text",
		`(char *)8 == ""`: "cannot read 0x8",
		`(int *)8 == "a"`: "a int * is no text",
		`"a"[0]`:          "a string has no elements",
		"((char *)5)[.5]": "a double is no whole number",
		"1.5 % 2":         "% cannot be applied to a double",
		"1 << -1":         "a shift by -1 bits",
		"1.5 << 1":        "<< needs whole numbers",
		"-(char *)5":      "- cannot be applied to a char *",
		"(char *)5 * 2":   "* cannot be applied to a char * and a int",
		"*(long *)16 + 1": "cannot read 0x10",
		"1 / 0 ? 1 : 2":   "division by zero",
		`"a" ? 1 : 2`:     "a string is no number",
		"1 ? nothing : 2": "nothing: ",
		"environ + 1":     castIt,
		"*environ":        castIt,
		"environ.x":       "has no members",
		"sizeof environ":  castIt,
	} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Errorf("%s: %v", text, err)
			continue
		}
		if _, err = e.Eval(t.Context(), scope{lang.C}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", text, err, want)
		}
	}
}

func TestSyntaxErrors(t *testing.T) {
	for text, want := range map[string]string{
		"":                                    "unexpected end at character 1",
		"a ==":                                "unexpected end at character 5",
		"a = 1":                               "unexpected '=' at character 3",
		"a ? b":                               `expected ":" at character 6`,
		"a ? : b":                             `unexpected ":" at character 5`,
		"a : b":                               `unexpected ":" at character 3`,
		strings.Repeat("1?", 100):             "nested more than 64 deep",
		strings.Repeat("1?2:", 100) + "3":     "nested more than 64 deep",
		"a b":                                 `unexpected "b" at character 3`,
		"(a":                                  `expected ")" at character 3`,
		"a[1":                                 `expected "]" at character 4`,
		"a.":                                  "unexpected end at character 3",
		"a.f(1)":                              "functions of the program cannot be called at character 3",
		"f(1)":                                "functions of the program cannot be called at character 1",
		"0x":                                  `"0x" is no number of 64 bits at character 1`,
		"18446744073709551616":                "is no number of 64 bits",
		"1e999":                               `"1e999" is no number`,
		"'a":                                  "unfinished character at character 1",
		`1 + "a`:                              "unfinished text at character 5",
		`a "."b`:                              `unexpected "\".\"" at character 3`,
		"a; b":                                "unexpected ';' at character 2",
		"\xff":                                "not UTF-8",
		strings.Repeat("(", 100):              "nested more than 64 deep",
		strings.Repeat("-", 100) + "1":        "nested more than 64 deep",
		strings.Repeat("1+", 100) + "1":       "nested more than 64 deep",
		"a" + strings.Repeat(".b", 100):       "nested more than 64 deep",
		strings.Repeat("1", expr.MaxLength+1): "longer than 4096 bytes",
	} {
		_, err := expr.Parse(text)
		if _, ok := errors.AsType[*expr.SyntaxError](err); !ok || !strings.Contains(err.Error(), want) {
			t.Errorf("%.40q: got %v, want %s", text, err, want)
		}
	}
}

// Bool and Address evaluate conditions and addresses.
func TestBool(t *testing.T) {
	for text, want := range map[string]bool{"0": false, "2": true, "0.0": false, "-0.5": true, "NULL": false, "(int *)8": true, "!main": false} {
		e, err := expr.Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		v, err := e.Eval(t.Context(), scope{lang.C})
		if err != nil {
			t.Fatal(err)
		}
		if got, err := v.Bool(); err != nil || got != want {
			t.Errorf("%s: got %v, %v, want %v", text, got, err, want)
		}
	}
}

// What is understood comes to something or says why not; it never panics, and
// integers are computed as Go computes them.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{
		"count > 3 && p->next != 0", "*(long *)$rsp + 8", "(char)a.b[1].0 as u8", "'\\x41' << 3 % 0x1f", "((((1))))", "&x == nil || !y", "-1.5e3/2", "a::b::c",
		"sizeof(struct node *) + sizeof x[1]", "len(main.items) < cap(y)", `len("a") == sizeof("a")`,
		"a ? b::c : d ? 1:2", `"a" == (char *)4096 || x < "b"`,
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		e, err := expr.Parse(text)
		if err != nil {
			if _, ok := errors.AsType[*expr.SyntaxError](err); !ok {
				t.Errorf("%q: %v", text, err)
			}
			return
		}
		for _, lang := range []lang.Lang{lang.C, lang.Go, lang.Rust} {
			v, err := e.Eval(t.Context(), scope{lang})
			if err == nil {
				_, _ = v.Bool()
				_, _ = v.Address()
				_ = v.Text(values.DefaultLimits)
			}
		}
	})
}

// FuzzArithmetic compares with Go.
func FuzzArithmetic(f *testing.F) {
	f.Add(int64(7), int64(-2))
	f.Add(int64(math.MinInt64), int64(-1))
	f.Fuzz(func(t *testing.T, a, b int64) {
		want := map[string]int64{"+": a + b, "-": a - b, "*": a * b, "&": a & b, "|": a | b, "^": a ^ b}
		if b != 0 && !(a == math.MinInt64 && b == -1) {
			want["/"], want["%"] = a/b, a%b
		}
		for op, want := range want {
			text := fmt.Sprintf("(long)%#x %s (long)%#x", uint64(a), op, uint64(b))
			e, err := expr.Parse(text)
			if err != nil {
				t.Fatal(err)
			}
			v, err := e.Eval(t.Context(), scope{lang.C})
			got, addrErr := v.Address()
			if err != nil || addrErr != nil || int64(got) != want {
				t.Errorf("%s: got %d, %v, want %d", text, int64(got), err, want)
			}
		}
	})
}
