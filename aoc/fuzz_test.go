package aoc

import (
	"bytes"
	"os"
	"regexp"
	"strconv"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// FuzzSpeeds has the entries of every file that can be read come back from the
// file that is written of them.
func FuzzSpeeds(f *testing.F) {
	for _, text := range []string{
		`{"day":1,"entries":[{"llm":"gpt4","phase":1,"speedMs":1110,"timestamp":"2025-12-01T09:30:00.000Z"}]}`,
		`{"entries":[{"llm":"é<","phase":2,"speed_ms":0,"timestamp":"2025-12-02T01:00:00+02:00"}]}`,
		`{"entries":[{"speedMs":9223372036854775807,"timestamp":"0001-01-01T00:00:00Z"},{"speedMs":-1,"timestamp":"2025-12-02T01:00:00.123456789Z"}]}`,
		`{"entries":[{"speedMs":1,"timestamp":"9999-12-31T23:59:59-01:00"}]}`, `{"entries":null}`, `[]`,
		`{"year":2025,"entries":[{"speedMs":1,"timestamp":"2025-12-02T01:00:00Z","note":{"a":[1e3,"<"]}}],"":null}`, `{"entries":[{"speedMs":1.5}]}`, "\ufeff{}",
	} {
		f.Add([]byte(text))
	}
	b := Open(f.TempDir())
	if err := os.MkdirAll(b.speeds(), 0o755); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		want, err := readSpeeds(t, b, data)
		if err != nil {
			return
		}
		for i := range want {
			want[i].Timestamp = want[i].Timestamp.Truncate(time.Millisecond)
		}
		file, err := b.readSpeeds(1)
		if err != nil {
			t.Fatal(err)
		}
		written, err := file.render(1)
		if err != nil {
			t.Fatal(err)
		}
		got, err := readSpeeds(t, b, written)
		if err != nil {
			t.Fatalf("%v in\n%s", err, written)
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("(-want +got):\n%s\n%s", diff, written)
		}
		again, err := parseSpeeds(written)
		if err != nil {
			t.Fatal(err)
		}
		if twice, err := again.render(1); err != nil || !bytes.Equal(twice, written) {
			t.Errorf("%s\nbecomes\n%s, %v", written, twice, err)
		}
	})
}

// readSpeeds reads data as the file of the first day.
func readSpeeds(t *testing.T, b *Book, data []byte) ([]Speed, error) {
	t.Helper()
	if err := os.WriteFile(b.speedPath(1), data, 0o644); err != nil {
		t.Fatal(err)
	}
	return b.Speeds(1)
}

// FuzzFileName takes the documented form as the oracle.
func FuzzFileName(f *testing.F) {
	for _, name := range []string{
		"Day01_phase1.md", "Day+1_phase1.md", "day25.json", "DAY09_PHASE2.MD", "day26.json", "day1.json", "day00.json", "Day01_phase3.md", "day01.json.bak", "", "dayé1.json",
	} {
		f.Add(name)
	}
	form := regexp.MustCompile(`^[Dd][Aa][Yy]([0-9]{2})(_[Pp][Hh][Aa][Ss][Ee][12]\.[Mm][Dd]|\.[Jj][Ss][Oo][Nn])$`)
	f.Fuzz(func(t *testing.T, name string) {
		var want Day
		if parts := form.FindStringSubmatch(name); parts != nil {
			n, err := strconv.Atoi(parts[1])
			if err != nil {
				t.Fatal(err)
			}
			want, _ = ParseDay(n) // 0 for none
		}
		day, _, ok := parseFileName(name)
		if ok != (want != 0) || ok && day != want {
			t.Errorf("%q is of day %d, %v; want %d", name, day, ok, want)
		}
	})
}
