package aoc

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// bookWith lays files into a new book; names are below its folder.
func bookWith(t *testing.T, files map[string]string) *Book {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return Open(dir)
}

func TestInstructionTexts(t *testing.T) {
	b := bookWith(t, map[string]string{
		"instructions/Day01_phase1.md": "one\r\ntwo\rthree\n",
		"instructions/Day02_phase1.md": "\ufefffirst",
		"instructions/day02_PHASE2.md": "second",
		"instructions/day03.json":      `{"day":3,"phase1":"a\r\nb","phase2":null}`,
		"instructions/DAY04.json":      `{"day":4,"phase1":"a","phase2":"b"}`,
		"instructions/day04_phase1.md": "markdown wins",
		"instructions/Day05_phase2.md": "no first phase",
		"instructions/day26.json":      `{"day":26,"phase1":"too late"}`,
		"instructions/day6.json":       `{"day":6,"phase1":"one digit"}`,
	})
	days, err := b.Days()
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]Day{1, 2, 3, 4}, days); diff != "" {
		t.Errorf("days (-want +got):\n%s", diff)
	}
	for day, want := range map[Day]string{
		1: "# Day 1\n\none\ntwo\nthree\n",
		2: "# Day 2\n\n## Phase 1\nfirst\n\n## Phase 2\nsecond",
		3: "# Day 3\n\na\nb",
		4: "# Day 4\n\nmarkdown wins",
	} {
		i, err := b.Instruction(day)
		if err != nil || i.Text() != want {
			t.Errorf("day %d: %q, %v, want %q", day, i.Text(), err, want)
		}
	}
}

func TestInstructionsThatCannotBeRead(t *testing.T) {
	b := bookWith(t, map[string]string{
		"instructions/day01.json":      `{"phase1":`,
		"instructions/day02.json":      `{"phase2":"x"}`,
		"instructions/day03.json":      `{"day":4,"phase1":"x"}`,
		"instructions/Day04_phase1.md": "\xff\xfe",
	})
	if err := os.Symlink("/etc/passwd", filepath.Join(b.instructions(), "Day05_phase1.md")); err != nil {
		t.Fatal(err)
	}
	for day, want := range map[Day]string{
		1: "day01.json is no instruction file", 2: "no phase1", 3: "for day 4", 4: "not UTF-8", 5: "no regular file", 6: "no instructions for day 6",
	} {
		if _, err := b.Instruction(day); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("day %d: %v, want %q", day, err, want)
		}
	}
	if _, err := Open(filepath.Join(t.TempDir(), "nowhere")).Days(); err != nil {
		t.Errorf("a book that is not there: %v", err)
	}
}

var noon = time.Date(2025, 12, 1, 10, 30, 0, 0, time.UTC)

func TestRecordWritesTheDocumentedFile(t *testing.T) {
	b := bookWith(t, nil)
	for _, s := range []Speed{
		{"gpt4", 1, 1110, noon.Add(-time.Hour), Details{}}, {"gpt4", 2, 5, noon, Details{}}, {"o<1", 1, 7, noon, Details{}}, {"gpt4", 1, 1250, noon, Details{}},
	} {
		mean, err := b.Record(t.Context(), 1, s)
		if err != nil {
			t.Fatal(err)
		}
		if s.SpeedMS == 1250 && mean != 1180 { // (1110 + 1250) / 2
			t.Errorf("mean %d, want 1180", mean)
		}
	}
	got, err := os.ReadFile(b.speedPath(1))
	if err != nil {
		t.Fatal(err)
	}
	item := func(llm string, phase, ms int, at string) string {
		return fmt.Sprintf("    {\n      \"llm\": %q,\n      \"phase\": %d,\n      \"speedMs\": %d,\n      \"timestamp\": %q\n    }", llm, phase, ms, at)
	}
	want := "{\n  \"day\": 1,\n  \"entries\": [\n" + strings.Join([]string{
		item("gpt4", 1, 1250, "2025-12-01T10:30:00.000Z"), item("o<1", 1, 7, "2025-12-01T10:30:00.000Z"),
		item("gpt4", 2, 5, "2025-12-01T10:30:00.000Z"), item("gpt4", 1, 1110, "2025-12-01T09:30:00.000Z"),
	}, ",\n") + "\n  ]\n}\n"
	if diff := cmp.Diff(want, string(got)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestSpeedsOfTheOriginalServerAreRead(t *testing.T) {
	b := bookWith(t, map[string]string{"speeds/day02.json": `{"day":2,"entries":[
		{"llm":"a","phase":1,"speed_ms":10,"timestamp":"2025-12-02T01:00:00+02:00"},
		{"llm":"a","phase":1,"speedMs":21,"timestamp":"2025-12-01T10:30:00Z"}]}`})
	mean, err := b.Record(t.Context(), 2, Speed{"a", 1, 31, noon, Details{}})
	if err != nil || mean != 20 { // 62 / 3 = 20.67, cut
		t.Errorf("mean %d, %v, want 20", mean, err)
	}
	speeds, err := b.Speeds(2)
	if err != nil || len(speeds) != 3 || speeds[1].SpeedMS != 10 || !speeds[1].Timestamp.Equal(time.Date(2025, 12, 1, 23, 0, 0, 0, time.UTC)) {
		t.Errorf("speeds %+v, %v", speeds, err)
	}
}

func TestUnreadableSpeedsAreLeftAlone(t *testing.T) {
	for _, text := range []string{"not JSON", `{"entries":[{"llm":"a"}]}`, `{"entries":[{"llm":"a","speedMs":1,"timestamp":"yesterday"}]}`} {
		b := bookWith(t, map[string]string{"speeds/day01.json": text})
		if _, err := b.Record(t.Context(), 1, Speed{"a", 1, 1, noon, Details{}}); err == nil || !strings.Contains(err.Error(), "day01.json cannot be read") {
			t.Errorf("%s: %v", text, err)
		}
		if got, err := os.ReadFile(b.speedPath(1)); err != nil || string(got) != text {
			t.Errorf("the file became %q, %v", got, err)
		}
	}
}

func TestMeanOfLargeSpeeds(t *testing.T) {
	const most = 1<<63 - 1
	speeds := []Speed{{"a", 1, most, noon, Details{}}, {"a", 1, most, noon, Details{}}, {"a", 1, most, noon, Details{}}}
	if got := meanOf(speeds, speeds[0]); got != most {
		t.Errorf("mean %d, want %d", got, int64(most))
	}
}

// TestMain lets the test binary be a process that records until it is killed.
func TestMain(m *testing.M) {
	if dir := os.Getenv("AOC_TEST_RECORDER"); dir != "" {
		recorder(dir)
		return
	}
	os.Exit(m.Run())
}

// recorder records 25 speeds, or for ever.
func recorder(dir string) {
	lockWait = 5 * time.Minute // the machine may be busy
	b := Open(dir)
	for i := 0; os.Getenv("AOC_TEST_FOREVER") != "" || i < 25; i++ {
		if _, err := b.Record(context.Background(), 1, Speed{LLM: "x", Phase: 1, SpeedMS: 1, Timestamp: noon}); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func process(t *testing.T, dir string, env ...string) *exec.Cmd {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), os.Args[0])
	cmd.Env = append(os.Environ(), append(env, "AOC_TEST_RECORDER="+dir)...)
	cmd.Stderr = os.Stderr
	return cmd
}

// No record of many processes waits for too long, either.
func TestProcessesAtOnceLoseNothing(t *testing.T) {
	dir := t.TempDir()
	var wg sync.WaitGroup
	for range 16 {
		wg.Go(func() {
			if err := process(t, dir).Run(); err != nil {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	speeds, err := Open(dir).Speeds(1)
	if err != nil || len(speeds) != 400 {
		t.Errorf("%d entries, %v, want 400", len(speeds), err)
	}
}

func TestKilledProcessLeavesAWholeFile(t *testing.T) {
	dir := t.TempDir()
	for round := range 10 {
		cmd := process(t, dir, "AOC_TEST_FOREVER=1")
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(time.Duration(20+7*round) * time.Millisecond) // anywhere in a write
		_ = cmd.Process.Kill()                                   // it runs for ever
		_ = cmd.Wait()                                           // killed
		if _, err := Open(dir).Speeds(1); err != nil {
			t.Fatalf("round %d: %v", round, err)
		}
	}
	if _, err := Open(dir).Record(t.Context(), 1, Speed{"x", 1, 1, noon, Details{}}); err != nil {
		t.Errorf("after the kills: %v", err)
	}
}
