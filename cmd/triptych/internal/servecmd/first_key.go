package servecmd

import (
	"fmt"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// showFirstKey shows the first key once, and a command that uses it: at a terminal it prints
// the key there, elsewhere it writes it to a file, as what a service prints stays in a log.
func (s *server) showFirstKey(url, id string, token keys.Token) error {
	if cmdio.IsTerminal(s.Out) {
		fmt.Fprintf(s.Err, "triptych: there was no key yet; this is %s, and it is not shown again:\n", id)
		if err := s.Printf("%s\n%s", token.Reveal(), s.request(url, token.Reveal())); err != nil {
			return fmt.Errorf("printing the first key: %w", err)
		}
		return nil
	}
	if err := app.WriteFirstKey(s.env.Data, token); err != nil {
		return cmderr.WithHints(fmt.Errorf("writing the first key: %w", err), "triptych key create makes another key and prints it; triptych key revoke "+id+" ends this one")
	}
	file := app.FirstKeyFile(s.env.Data)
	fmt.Fprintf(s.Err, "triptych: there was no key yet; %s is in %s; triptych key first prints it and removes the file\n", id, file)
	fmt.Fprint(s.Err, s.request(url, `$(cat "`+file+`")`))
	return nil
}

// request returns a command for a shell that sends a request with a key.
func (s *server) request(url, key string) string {
	trust := ""
	if own := s.ownCertificate(); own != nil {
		trust = ` --cacert "` + own.File() + `"`
	}
	return fmt.Sprintf("triptych: try\n\ncurl%s %s \\\n  -H \"Authorization: Bearer %s\" -H 'Content-Type: application/json' \\\n"+
		"  -d '{\"jsonrpc\":\"2.0\",\"id\":1,\"method\":\"tools/list\",\"params\":{}}'\n\n", trust, url, key)
}
