package command

import "testing"

func TestByteSize(t *testing.T) {
	for text, want := range map[string]struct {
		n    ByteSize
		back string
	}{
		"65536": {65536, "64KiB"}, "64KiB": {65536, "64KiB"}, "16 MiB": {16 << 20, "16MiB"}, "2GiB": {2 << 30, "2GiB"},
		"1000000": {1_000_000, "1000000"}, "0": {0, "0"}, "10B": {10, "10"},
	} {
		var got ByteSize
		if err := got.Set(text); err != nil || got != want.n || got.String() != want.back {
			t.Errorf("%q is %d, %v, shown as %s; want %d, %s", text, got, err, got.String(), want.n, want.back)
		}
	}
	for _, text := range []string{"", "-1", "1.5MiB", "MiB", "1MB", "9223372036854775807KiB", "1 MiB x"} {
		if err := new(ByteSize).Set(text); err == nil {
			t.Errorf("%q is a size", text)
		}
	}
}
