package app

import (
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/triptych-mcp/triptych/transport/keys"
)

// worldOf is an app in a world of environment variables alone.
func worldOf(vars map[string]string) *App {
	a := New()
	a.Getenv = func(name string) string { return vars[name] }
	return a
}

// Flag beats environment beats default; the default is the XDG base directory
// specification's, which wants relative paths ignored.
func TestDataDir(t *testing.T) {
	t.Setenv("HOME", "/home/ada")
	tests := []struct {
		name string
		flag string
		vars map[string]string
		want string
	}{
		{"flag", "/f", map[string]string{"TRIPTYCH_DATA": "/e", "XDG_DATA_HOME": "/x"}, "/f"},
		{"environment", "", map[string]string{"TRIPTYCH_DATA": "/e", "XDG_DATA_HOME": "/x"}, "/e"},
		{"XDG", "", map[string]string{"XDG_DATA_HOME": "/x"}, "/x/triptych"},
		{"relative XDG", "", map[string]string{"XDG_DATA_HOME": "x"}, "/home/ada/.local/share/triptych"},
		{"default", "", nil, "/home/ada/.local/share/triptych"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			a := worldOf(tt.vars)
			a.Flags.Data = tt.flag
			got, err := a.DataDir()
			if err != nil || filepath.ToSlash(got) != tt.want {
				t.Errorf("got %s, %v, want %s", got, err, tt.want)
			}
		})
	}
}

// A log names the store, and has no password of it.
func TestRedactedURL(t *testing.T) {
	for raw, want := range map[string]string{
		"valkey://store:6379/0":                                    "valkey://store:6379/0",
		"valkeys://ada:pw-1@store:6379":                            "valkeys://ada:xxxxx@store:6379",
		"valkey+sentinel://s:pw-1@a/0?master_name=m&password=pw-2": "valkey+sentinel://s:xxxxx@a/0?master_name=m&password=xxxxx",
		"valkey://a/0?password_file=/run/pw":                       "valkey://a/0?password_file=/run/pw",
		"valkey://pw-1:%zz@store":                                  "this one, which cannot be read",
	} {
		if got := RedactedURL(raw); got != want {
			t.Errorf("%s is shown as %s, want %s", raw, got, want)
		}
	}
}

func TestLogLevel(t *testing.T) {
	tests := []struct {
		flag, variable string
		want           slog.Level
	}{
		{"", "", slog.LevelInfo},
		{"", "WARN", slog.LevelWarn},
		{"debug", "error", slog.LevelDebug},
		{"error", "nonsense", slog.LevelError}, // the flag settles it
	}
	for _, tt := range tests {
		a := worldOf(map[string]string{"LOG_LEVEL": tt.variable})
		a.Err = new(strings.Builder)
		a.Flags.logLevel = tt.flag
		logger, err := a.Logger(slog.LevelInfo)
		if err != nil {
			t.Errorf("--log-level %q, LOG_LEVEL %q: %v", tt.flag, tt.variable, err)
		}
		below := tt.want - 1
		if !logger.Enabled(t.Context(), tt.want) || logger.Enabled(t.Context(), below) {
			t.Errorf("--log-level %q, LOG_LEVEL %q: not from %v on", tt.flag, tt.variable, tt.want)
		}
	}
}

func TestChosenFamilies(t *testing.T) {
	tests := []struct {
		flag     []string
		variable string
		want     []string
	}{
		{nil, "", []string{"rulesets", "aoc", "debugger"}},
		{nil, " aoc ", []string{"aoc"}},
		{[]string{"aoc", "rulesets", "aoc"}, "", []string{"rulesets", "aoc"}},
		{[]string{"rulesets"}, "aoc", []string{"rulesets"}},
	}
	for _, tt := range tests {
		a := worldOf(map[string]string{"TRIPTYCH_FAMILIES": tt.variable})
		a.Flags.families = tt.flag
		chosen, err := a.ChosenFamilies()
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, f := range chosen {
			got = append(got, f.Name)
		}
		if diff := cmp.Diff(tt.want, got); diff != "" {
			t.Errorf("--families %v, TRIPTYCH_FAMILIES %q: -want +got:\n%s", tt.flag, tt.variable, diff)
		}
	}
}

// The names of keys are found where the program keeps the keys, and a folder without keys
// stays as it is.
func TestKeyNames(t *testing.T) {
	a := worldOf(map[string]string{"TRIPTYCH_DATA": t.TempDir()})
	env, err := a.Env(slog.LevelError)
	if err != nil {
		t.Fatal(err)
	}
	if names := env.Names(t.Context(), []string{"key_0000000000", "local"}); len(names) != 0 {
		t.Errorf("names %v without keys", names)
	}
	if entries, err := os.ReadDir(env.Data); err != nil || len(entries) != 0 {
		t.Errorf("a look-up made %v, %v", entries, err)
	}
	store, err := a.OpenKeys(nil, env)
	if err != nil {
		t.Fatal(err)
	}
	ann, _, err := store.Create(t.Context(), keys.Live, keys.Settings{Name: "Ann"})
	if err != nil {
		t.Fatal(err)
	}
	unnamed, _, err := store.Create(t.Context(), keys.Live, keys.Settings{})
	if err != nil {
		t.Fatal(err)
	}
	got := env.Names(t.Context(), []string{ann.ID, unnamed.ID, "local"})
	if diff := cmp.Diff(map[string]string{ann.ID: "Ann"}, got); diff != "" {
		t.Error(diff)
	}
}
