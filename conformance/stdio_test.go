package conformance

import (
	"strings"
	"testing"
	"time"
)

// Shell scripts as servers show that Close reports unclean exits.
func TestPipeEnds(t *testing.T) {
	t.Parallel() // it waits
	for _, tc := range []struct {
		name, server, want string
		patience           time.Duration
	}{
		{"well", `read a; echo "$a"`, "", patience},
		{"with more to say", `read a; echo "$a"; read b; echo more`, "it also said more", patience},
		{"with a status", `read a; echo "$a"; exit 3`, "exit status 3", patience},
		{"never", `read a; echo "$a"; exec sleep 600`, "signal: killed", 5 * time.Second},
	} {
		t.Run(tc.name, func(t *testing.T) {
			p, err := openPipe(t.Context(), []string{"sh", "-c", tc.server}, nil, tc.patience)
			if err != nil {
				t.Fatal(err)
			}
			if err := p.Send("hello"); err != nil {
				t.Error(err)
			}
			if got, err := p.Receive(); got != "hello" || err != nil {
				t.Errorf("heard %q, %v", got, err)
			}
			if err := p.Close(); (tc.want == "") != (err == nil) || !strings.Contains(text(err), tc.want) {
				t.Errorf("got error %v, want one with %q", err, tc.want)
			}
		})
	}
}

func text(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}
