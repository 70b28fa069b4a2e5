package debuggertest

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// fakeGDB is a program that prints a text and ends with a status.
func fakeGDB(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "gdb")
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+script), 0o700); err != nil {
		t.Fatal(err)
	}
	return path
}

// A gdb that gives another answer than the one that is known is not asked anything else.
func TestExamine(t *testing.T) {
	const amx = `echo "Couldn't write extended state status: Bad address."; exit 1`
	for name, test := range map[string]struct {
		script  string
		ability Ability
		want    string
	}{
		"cannot write registers": {amx, Call, "it cannot call functions of a program: print plus_two(40) does not answer \"$1 = 42\": exit status 1: Couldn't write extended state"},
		"wrong result":           {`echo '$1 = 42'; echo '$2 = 0'`, Call, `print halved(5.0) does not answer "$2 = 2.5"`},
		"does not run":           {`echo "warning: Error disabling address space randomization: Operation not permitted"`, Run, "it cannot run a program: print number"},
		"no core file":           {`echo '$1 = 42'`, Core, "it cannot make a core file"},
		"right":                  {`echo '$1 = 42'; echo '$2 = 2.5'`, Call, ""},
	} {
		t.Run(name, func(t *testing.T) {
			err := examine(t.Context(), fakeGDB(t, test.script), "/bin/true", test.ability)
			if (err == nil) != (test.want == "") || err != nil && !strings.Contains(err.Error(), test.want) {
				t.Errorf("%v, want %q", err, test.want)
			}
		})
	}
}

// The gdb of this machine can run a program, or is said to be unfit.
func TestGDB(t *testing.T) {
	path, err := exec.LookPath("gdb")
	if err != nil {
		t.Skip("gdb is not installed")
	}
	if got := GDB(t, Call); got != path {
		t.Errorf("%s, want %s", got, path)
	}
}
