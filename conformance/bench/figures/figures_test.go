package figures_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/conformance/bench/figures"
)

func TestUnits(t *testing.T) {
	for _, tt := range []struct{ got, want string }{
		{figures.Duration(2.5), "2.5 s"},
		{figures.Duration(.00123), "1.23 ms"},
		{figures.Duration(.00000035), "0.35 µs"},
		{figures.PerSecond(12), "12 /s"},
		{figures.PerSecond(12_340), "12.3 k/s"},
		{figures.PerSecond(1_640_000), "1.64 M/s"},
		{figures.Bytes(100), "100 B"},
		{figures.Bytes(1536), "1.5 KiB"},
		{figures.Bytes(5 << 20), "5.0 MiB"},
		{figures.Bytes(3 << 29), "1.5 GiB"},
		{figures.Times(.853), "0.85"},
		{figures.Times(9.996), "10.0"},
		{figures.Times(13.31), "13.3"},
		{figures.Times(145.2), "145"},
	} {
		if tt.got != tt.want {
			t.Errorf("got %q, want %q", tt.got, tt.want)
		}
	}
}

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		list []float64
		want float64
	}{
		{nil, 0},
		{[]float64{3}, 3},
		{[]float64{9, 1, 2}, 2},
		{[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := figures.Median(tt.list); got != tt.want {
			t.Errorf("Median(%v) = %v, want %v", tt.list, got, tt.want)
		}
	}
}

func TestFact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "info")
	if err := os.WriteFile(path, []byte("model\t: 6\nmodel name\t: Some CPU @ 2 GHz: fast\n\nmodel name\t: another\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"model name": "Some CPU @ 2 GHz: fast", "model": "6", "name": ""} {
		if got := figures.Fact(path, name); got != want {
			t.Errorf("%s is %q, want %q", name, got, want)
		}
	}
	if got := figures.Fact(path+"2", "model"); got != "" {
		t.Errorf("a file that is not there says %q", got)
	}
}

func TestKept(t *testing.T) {
	type report struct {
		Name string
		List []float64
	}
	path, want := filepath.Join(t.TempDir(), "report.json"), report{"a", []float64{1, 2.5}}
	var got report
	if err := figures.Kept(path, &got); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("before there is one: %v", err)
	}
	if err := figures.Keep(path, want); err != nil {
		t.Fatal(err)
	}
	if err := figures.Kept(path, &got); err != nil || !cmp.Equal(got, want) {
		t.Errorf("got %+v, %v, want %+v", got, err, want)
	}
}
