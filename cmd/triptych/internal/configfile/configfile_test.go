package configfile_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/configfile"
)

type options struct {
	listen   string
	families []string
	drain    time.Duration
	plain    bool
	level    string
}

func flags(o *options) *pflag.FlagSet {
	set := pflag.NewFlagSet("serve", pflag.ContinueOnError)
	set.StringVar(&o.listen, "listen", "127.0.0.1:8443", "")
	set.StringSliceVar(&o.families, "families", nil, "(TRIPTYCH_FAMILIES)")
	set.DurationVar(&o.drain, "drain", 10*time.Second, "")
	set.BoolVar(&o.plain, "plain-http", false, "")
	set.StringVar(&o.level, "log-level", "", "(LOG_LEVEL)")
	return set
}

func apply(t *testing.T, text string, args []string, env map[string]string) (options, error) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "c.yaml")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	var o options
	set := flags(&o)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	settings, err := configfile.Read(file)
	if err == nil {
		err = configfile.Apply(file, settings, set, func(name string) string { return env[name] })
	}
	return o, err
}

// The command line wins over the environment, and that over the file.
func TestOrder(t *testing.T) {
	const text = "# comment\nlisten: 0.0.0.0:443\nfamilies: [rulesets, aoc]\ndrain: 20s\nplain-http: true\nlog-level: debug\n"
	got, err := apply(t, text, []string{"--drain", "5s"}, map[string]string{"LOG_LEVEL": "warn"})
	if err != nil {
		t.Fatal(err)
	}
	want := options{listen: "0.0.0.0:443", families: []string{"rulesets", "aoc"}, drain: 5 * time.Second, plain: true}
	if diff := cmp.Diff(want, got, cmp.AllowUnexported(options{})); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	got, err = apply(t, "families: aoc\n", nil, map[string]string{"TRIPTYCH_FAMILIES": "rulesets"})
	if err != nil || got.families != nil {
		t.Errorf("families %v, %v; want the environment to win", got.families, err)
	}
	got, err = apply(t, "drain: 20s\n", nil, map[string]string{"TRIPTYCH_DRAIN": "5s"})
	if err != nil || got.drain != 20*time.Second {
		t.Errorf("drain %v, %v; want that of the file: the flag has no variable", got.drain, err)
	}
	if got, err := apply(t, "# nothing\n", nil, nil); err != nil || got.drain != 10*time.Second {
		t.Errorf("%+v, %v; want the defaults", got, err)
	}
}

// Mistakes are named by their line.
func TestMistakes(t *testing.T) {
	for text, want := range map[string]string{
		"listen: a\nlitsen: b\n":             `c.yaml:2: unknown key "litsen"; did you mean "listen"?`,
		"colour: blue\n":                     `c.yaml:1: unknown key "colour"`,
		"drain: soon\n":                      `c.yaml:1: drain: time: invalid duration "soon"`,
		"drain: [1s, 2s]\n":                  `c.yaml:1: drain: want one value, got 2`,
		"listen: {host: a}\n":                `c.yaml:1: listen is a plain value or a list of them`,
		"families: [[a]]\n":                  `c.yaml:1: the items of families are plain values`,
		"listen: a\n\nlisten: b\n":           `c.yaml:3: listen is set twice`,
		"- listen\n":                         `c.yaml:1: want keys and values`,
		"listen: \"a\n":                      `c.yaml: yaml: `,
		strings.Repeat("# padding\n", 1e5*2): `c.yaml:1: the file has 2000000 bytes, at most 1048576 are read`,
	} {
		if _, err := apply(t, text, nil, nil); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%.30q: %v, want %s", text, err, want)
		}
	}
}
