package rulesets

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/mcp/host"
)

// The URL of the webhook is that of the flag, of the environment, or of a file.
func TestWebhookURL(t *testing.T) {
	file, empty := filepath.Join(t.TempDir(), "url"), filepath.Join(t.TempDir(), "empty")
	if err := os.WriteFile(file, []byte(" https://file.example/hook?secret=1\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(empty, []byte("\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, tc := range map[string]struct {
		flag string
		env  map[string]string
		want string // of the URL, or of the error
	}{
		"nothing":           {"", nil, ""},
		"the flag":          {"https://flag.example", map[string]string{"TRIPTYCH_WEBHOOK": "https://env.example"}, "https://flag.example"},
		"the environment":   {"", map[string]string{"TRIPTYCH_WEBHOOK": "https://env.example", "TRIPTYCH_WEBHOOK_FILE": file}, "https://env.example"},
		"a file":            {"", map[string]string{"TRIPTYCH_WEBHOOK_FILE": file}, "https://file.example/hook?secret=1"},
		"a file that is no": {"", map[string]string{"TRIPTYCH_WEBHOOK_FILE": file + "x"}, "TRIPTYCH_WEBHOOK_FILE: open "},
		"an empty file":     {"", map[string]string{"TRIPTYCH_WEBHOOK_FILE": empty}, "is empty"},
	} {
		got, err := (&Config{Webhook: tc.flag}).webhookURL(host.Env{Getenv: func(key string) string { return tc.env[key] }})
		if err != nil {
			got = err.Error()
		}
		if got != tc.want && (err == nil || !strings.Contains(got, tc.want)) {
			t.Errorf("%s: %q, want %q", name, got, tc.want)
		}
	}
}
