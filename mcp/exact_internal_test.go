package mcp

import (
	"bytes"
	"encoding/json"
	"math/big"
	"testing"
)

func TestClampIntegers(t *testing.T) {
	for in, want := range map[string]string{
		`{"a":9007199254740991,"b":-9007199254740991}`:                                      `{"a":9007199254740991,"b":-9007199254740991}`,
		`{"a":9007199254740992}`:                                                            `{"a":9007199254740991}`,
		`{"a":[9223372036854775807,1,-9223372036854775808],"b":{"c":18446744073709551615}}`: `{"a":[9007199254740991,1,-9007199254740991],"b":{"c":9007199254740991}}`,
		`"9223372036854775807"`:                                                             `"9223372036854775807"`,
		`{"a\"9223372036854775807":"\\","b":9223372036854775807}`:                           `{"a\"9223372036854775807":"\\","b":9007199254740991}`,
		`[9223372036854775807.5,9e99,12345678901234567e3]`:                                  `[9223372036854775807.5,9e99,12345678901234567e3]`,
		`9223372036854775807`:                                                               `9007199254740991`,
		`{}`:                                                                                `{}`,
		`"unterminated 9223372036854775807`:                                                 `"unterminated 9223372036854775807`,
		`"\`:                                                                                `"\`,
	} {
		if got := string(clampIntegers([]byte(in))); got != want {
			t.Errorf("%s: got %s, want %s", in, got, want)
		}
	}
}

// What is clamped is the same JSON, but for integers that a double cannot hold.
func FuzzClampIntegers(f *testing.F) {
	for _, seed := range []string{`{"a":[1,"2",{"b\\\"":-9007199254740993}],"c":1e400}`, `"\"9007199254740993"`, ` [ 0 , 18446744073709551616 ] `} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, in []byte) {
		if !json.Valid(in) {
			return
		}
		got := clampIntegers(bytes.Clone(in))
		a, b := json.NewDecoder(bytes.NewReader(in)), json.NewDecoder(bytes.NewReader(got))
		a.UseNumber()
		b.UseNumber()
		for {
			x, errX := a.Token()
			y, errY := b.Token()
			if (errX == nil) != (errY == nil) {
				t.Fatalf("%q became %q: %v, %v", in, got, errX, errY)
			}
			if errX != nil {
				return
			}
			if want := clamped(x); y != want {
				t.Fatalf("%q became %q: got %v, want %v", in, got, y, want)
			}
		}
	})
}

// clamped is the slow, obvious way.
func clamped(token json.Token) json.Token {
	number, ok := token.(json.Number)
	if !ok {
		return token
	}
	n, whole := new(big.Int).SetString(string(number), 10)
	limit := big.NewInt(1<<53 - 1)
	switch {
	case !whole || n.CmpAbs(limit) <= 0:
		return token
	case n.Sign() < 0:
		return json.Number(limit.Neg(limit).String())
	}
	return json.Number(limit.String())
}

func BenchmarkClampIntegers(b *testing.B) {
	raw := bytes.Repeat([]byte(`{"name":"a variable","value":"0x7ffdeadbeef0","line":1234,"depth":3},`), 1000)
	b.SetBytes(int64(len(raw)))
	for b.Loop() {
		clampIntegers(raw)
	}
}
