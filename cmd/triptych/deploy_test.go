package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// A service has a limit of memory, and temporary files of its own that are not on the volume
// of its data. So has the image.
func TestServicesAreLimited(t *testing.T) {
	units, err := filepath.Glob(filepath.Join(top, "deploy", "systemd", "*.service"))
	if err != nil || len(units) < 2 {
		t.Fatalf("units %v, %v", units, err)
	}
	for _, unit := range units {
		text, err := os.ReadFile(unit)
		if err != nil {
			t.Fatal(err)
		}
		for _, want := range []string{`(?m)^MemoryMax=\d+[MG]$`, `(?m)^PrivateTmp=yes$`} {
			if !regexp.MustCompile(want).Match(text) {
				t.Errorf("%s lacks %s", unit, want)
			}
		}
		if strings.Contains(string(text), "TMPDIR") {
			t.Errorf("%s moves the temporary files, which PrivateTmp has", unit)
		}
	}
	image, err := os.ReadFile(filepath.Join(top, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	volume := regexp.MustCompile(`(?m)^VOLUME (\S+)`).FindSubmatch(image)
	temporary := regexp.MustCompile(`TMPDIR=(\S+)`).FindSubmatch(image)
	if volume == nil || temporary == nil || strings.HasPrefix(string(temporary[1])+"/", string(volume[1])+"/") {
		t.Errorf("the volume is %q, temporary files are in %q", volume, temporary)
	}
}
