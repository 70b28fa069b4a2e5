package sample

import (
	"slices"
	"strings"
	"testing"
)

// A count is small, whole, or a multiple of the whole.
func TestCount(t *testing.T) {
	for text, want := range map[string]int{"": 3, "0": 3, "1": 20, "5": 100} {
		t.Setenv(variable, text)
		if got := Count(3, 20); got != want {
			t.Errorf("%s=%q: %d, want %d", variable, text, got, want)
		}
		if got := Whole(); got != (want >= 20) {
			t.Errorf("%s=%q: whole is %t", variable, text, got)
		}
	}
}

// A value that is no number stops the run, which would not be whole.
func TestValueIsChecked(t *testing.T) {
	for _, text := range []string{"yes", "-1", "1.5"} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("%s=%q is accepted", variable, text)
				}
			}()
			t.Setenv(variable, text)
			Whole()
		}()
	}
}

// A third of the cases runs as a sample, beginning with the first of each table, and all
// of them in a whole run.
func TestCase(t *testing.T) {
	for text, want := range map[string]string{"": "first/0 first/3 first/6 second/0", "1": "first/0 first/1 first/2 first/3 first/4 first/5 first/6 second/0 second/1"} {
		t.Setenv(variable, text)
		var ran []string
		for _, name := range []string{"first/0", "first/1", "first/2", "first/3", "second/0", "first/4", "first/5", "second/1", "first/6"} {
			c := &fakeCase{TB: t, name: name}
			if Case(c); !c.skipped {
				ran = append(ran, name)
			}
		}
		slices.Sort(ran)
		if got := strings.Join(ran, " "); got != want {
			t.Errorf("%s=%q: %s run, want %s", variable, text, got, want)
		}
	}
}

// A test that runs only as a whole is skipped in a sample.
func TestOnlyWhole(t *testing.T) {
	for text, want := range map[string]bool{"": true, "1": false} {
		t.Setenv(variable, text)
		c := &fakeCase{TB: t}
		OnlyWhole(c)
		if c.skipped != want {
			t.Errorf("%s=%q: skipped is %t", variable, text, c.skipped)
		}
	}
}

// A test of one goroutine is skipped with the race detector.
func TestAlone(t *testing.T) {
	c := &fakeCase{TB: t}
	if Alone(c); c.skipped != Race {
		t.Errorf("skipped is %t, the race detector %t", c.skipped, Race)
	}
}

// A fakeCase records whether it was skipped.
type fakeCase struct {
	testing.TB
	name    string
	skipped bool
}

func (c *fakeCase) Helper()      {}
func (c *fakeCase) Name() string { return c.name }
func (c *fakeCase) Skip(...any)  { c.skipped = true }
