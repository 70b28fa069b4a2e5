package project

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/triptych-mcp/triptych/rulesets/internal/filestore"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
)

// newSkillBench is a bench whose store keeps files: memory does not.
func newSkillBench(t *testing.T, targets ...string) *bench {
	t.Helper()
	b := newBench(t, targets...)
	store := filestore.Open(t.TempDir(), slog.New(slog.DiscardHandler), time.Now)
	t.Cleanup(func() {
		if err := store.Close(); err != nil {
			t.Error(err)
		}
	})
	b.store, b.source = store, FromStore(store, ruleset.By{Author: "local"})
	return b
}

func (b *bench) setFile(name, path, data string) {
	b.t.Helper()
	change := ruleset.FileChange{Path: path, Data: []byte(data)}
	if data == "" {
		change.Data = nil
	}
	if _, err := ruleset.Update(b.t.Context(), b.store, ruleset.Name(name), ruleset.Patch{Files: []ruleset.FileChange{change}}); err != nil {
		b.t.Fatal(err)
	}
}

// A skill is pulled with the files beside its text, and their changes come back.
func TestFilesOfSkills(t *testing.T) {
	b := newSkillBench(t, "claude", "copilot")
	b.create("fill_forms", "skill: {license: MIT}\n", "Run scripts/run.sh\n")
	script, data := "#!/bin/sh\necho 1\n", "\x00one\r\ntwo\r\n\xff"
	b.setFile("fill_forms", "scripts/run.sh", script)
	b.setFile("fill_forms", "assets/form.bin", data)
	b.mustPull()
	const dir = ".claude/skills/fill-forms/" // which Copilot reads, too
	if b.read(dir+"scripts/run.sh") != script || b.read(dir+"assets/form.bin") != data {
		t.Errorf("%q", b.files())
	}
	if _, err := os.Stat(filepath.Join(b.dir, ".github")); err == nil {
		t.Error("Copilot has a copy of its own")
	}
	if info, err := os.Stat(filepath.Join(b.dir, dir, "scripts/run.sh")); err != nil || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		t.Errorf("the script cannot be run: %v, %v", info, err)
	}
	b.checkIdempotent()

	b.write(dir+"scripts/run.sh", script+"echo 2\n")
	b.write(dir+"assets/form.bin", strings.ReplaceAll(data, "\r\n", "\n"))
	if got := b.states(); got[dir+"scripts/run.sh"] != Drift || got[dir+"assets/form.bin"] != Drift {
		t.Errorf("%v", got)
	}
	b.setFile("fill_forms", "assets/form.bin", "theirs")
	pushed := b.push()
	if fmt.Sprint(pushed.Files) != "["+dir+"scripts/run.sh]" || len(pushed.Left) != 1 || !strings.Contains(pushed.Left[0].Error(), "was changed in the meantime") {
		t.Errorf("%+v", pushed)
	}
	files, err := b.source.Files(t.Context(), "fill_forms")
	if err != nil || len(files) != 2 || string(files[1].Data) != script+"echo 2\n" {
		t.Errorf("%q, %v", files, err)
	}
	if _, err := b.pull(Theirs); err != nil || b.read(dir+"assets/form.bin") != "theirs" {
		t.Error(err)
	}
}
