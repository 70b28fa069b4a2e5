package sample

import (
	"fmt"
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

// About a third of the cases run as a sample, all of them in a whole run.
func TestCase(t *testing.T) {
	for text, want := range map[string][2]int{"": {250, 420}, "1": {1000, 1000}} {
		t.Setenv(variable, text)
		ran := 0
		for i := range 1000 {
			c := &fakeCase{TB: t, name: fmt.Sprintf("TestTable/case_%d", i)}
			Case(c)
			if !c.skipped {
				ran++
			}
		}
		if ran < want[0] || ran > want[1] {
			t.Errorf("%s=%q: %d of 1000 run", variable, text, ran)
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

// A fakeCase records whether it was skipped.
type fakeCase struct {
	testing.TB
	name    string
	skipped bool
}

func (c *fakeCase) Helper()      {}
func (c *fakeCase) Name() string { return c.name }
func (c *fakeCase) Skip(...any)  { c.skipped = true }
