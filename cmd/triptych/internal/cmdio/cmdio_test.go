package cmdio

import (
	"errors"
	"os"
	"path/filepath"
	"testing"
)

// A row whose last cells are empty leaves the columns of those below as they
// are, and no spaces at its end.
func TestTableColumns(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = out.Close() }()
	a := &IO{Out: out}
	err = a.PrintTable([][]string{
		{"ID", "EXPIRES", "NAME"}, {"key_1", "2100-01-31 00:00", "one"}, {"key_2", "never", ""}, {"key_3", "never", "three"},
	})
	want := "ID     EXPIRES           NAME\n" +
		"key_1  2100-01-31 00:00  one\n" +
		"key_2  never\n" +
		"key_3  never             three\n"
	got, unread := os.ReadFile(out.Name())
	if err = errors.Join(err, unread); err != nil || string(got) != want {
		t.Errorf("%v, got\n%s\nwant\n%s", err, got, want)
	}
}
