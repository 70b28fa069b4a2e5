package auditcmd

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/redis/go-redis/v9"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/recorder"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/mcp/plain"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/keys"
)

// A trailPrinter prints records one by one: lines, or one JSON array.
type trailPrinter struct {
	out     io.Writer
	asJSON  bool
	printed int
	name    func(id string) string // of a key
}

func (p *trailPrinter) print(r audit.Record) error {
	p.printed++
	if !p.asJSON {
		_, err := fmt.Fprintln(p.out, auditLine(r, p.name(r.Key)))
		return err
	}
	text, err := json.Marshal(recorder.JSONOf(r))
	if err != nil {
		return err
	}
	before := ",\n  "
	if p.printed == 1 {
		before = "[\n  "
	}
	_, err = fmt.Fprintf(p.out, "%s%s", before, text)
	return err
}

func (p *trailPrinter) end() (err error) {
	switch {
	case p.asJSON && p.printed == 0:
		_, err = fmt.Fprintln(p.out, "[]")
	case p.asJSON:
		_, err = fmt.Fprintln(p.out, "\n]")
	}
	return err
}

// auditLine is a record for people. Where the key has a name, its id follows at the end.
func auditLine(r audit.Record, name string) string {
	words := []string{r.Time.Format("2006-01-02 15:04:05.000"), cmp.Or(name, r.Key), r.Method, r.Target, string(r.Outcome)}
	if r.Code != 0 {
		words = append(words, fmt.Sprint(r.Code))
	}
	if r.Reason != "" {
		words = append(words, "("+r.Reason+")")
	}
	words = append(words, r.Duration.String())
	if r.Addr != "" {
		words = append(words, "from "+r.Addr)
	}
	if r.Session != "" {
		words = append(words, "session "+r.Session)
	}
	if name != "" {
		words = append(words, "key="+r.Key)
	}
	for _, name := range slices.Sorted(maps.Keys(r.Details)) {
		words = append(words, name+"="+r.Details[name])
	}
	return plain.Line(strings.Join(strings.Fields(strings.Join(words, " ")), " "))
}

// A verifyJSON is a chain that was verified, for programs.
type verifyJSON struct {
	Chain    string    `json:"chain"`
	Verified bool      `json:"verified"`
	Records  uint64    `json:"records"`
	Last     uint64    `json:"last"`
	Signed   time.Time `json:"signed,omitzero"`
	Hash     string    `json:"hash,omitempty"`
	Retired  uint64    `json:"retired,omitempty"`
	// From is the time of the signed head from which on the chain was read.
	From time.Time `json:"from,omitzero"`
	// UnsignedFrom is the first record that no signed head covers yet.
	UnsignedFrom uint64 `json:"unsigned_from,omitempty"`
	Lost         uint64 `json:"lost,omitempty"`
	Recovered    int    `json:"recovered,omitempty"`
	Torn         int64  `json:"torn_bytes,omitempty"`
	Broken       string `json:"broken,omitempty"`
}

// printReport prints a line for each chain. A chain that is broken is an
// error, which the lines have told.
func printReport(out *cmdio.IO, report audit.Report, inStore, asJSON bool) (err error) {
	switch {
	case asJSON:
		chains := make([]verifyJSON, len(report.Chains))
		for i, c := range report.Chains {
			chains[i] = verifyJSONOf(c)
		}
		err = out.PrintJSON(chains)
	case len(report.Chains) == 0:
		fmt.Fprintln(out.Err, "triptych: no audit trail yet")
	}
	for _, c := range report.Chains {
		if err == nil && !asJSON {
			err = out.Printf("%s\n", plain.Line(chainLine(c)))
		}
	}
	switch {
	case err != nil || report.Err() == nil:
		return err
	case inStore && onlyShort(report):
		return cmderr.WithHints(errors.New("the ends of chains are missing: the store has lost its newest writes, or they were removed"),
			"a chain says what it has lost when the server of its name starts again or records the next request")
	}
	if onlyUntrusted(report) {
		return cmderr.WithHints(errors.New("the audit trail is signed with a key that is not trusted here"),
			"compare its fingerprint with that of the server; --trust FILE trusts a public key, such as audit/signing.pub of the server's data folder",
			"an unknown key may also be that of a stranger who has written the trail anew")
	}
	return errors.New("the audit trail was tampered with")
}

// onlyUntrusted reports whether nothing is wrong with a trail but the keys of its signatures.
func onlyUntrusted(report audit.Report) bool {
	for i := range report.Chains {
		if broken := report.Chains[i].Broken; broken != nil && !broken.Untrusted {
			return false
		}
	}
	return true
}

// onlyShort reports whether nothing is wrong with a trail but ends that are missing.
func onlyShort(report audit.Report) bool {
	for i := range report.Chains {
		if broken := report.Chains[i].Broken; broken != nil && !broken.Short {
			return false
		}
	}
	return true
}

func verifyJSONOf(c audit.ChainReport) verifyJSON {
	v := verifyJSON{
		Chain: c.Chain, Verified: c.Broken == nil, Records: c.Records, Last: c.Last, Signed: c.Signed, Hash: c.Hash,
		Retired: c.Retired, From: c.From, Lost: c.Lost, Recovered: c.Recovered, Torn: c.Torn,
	}
	if c.Unsigned > 0 {
		v.UnsignedFrom = c.UnsignedFrom()
	}
	if c.Broken != nil {
		v.Broken = c.Broken.Error()
	}
	return v
}

// chainLine is a chain that was verified, for people.
func chainLine(c audit.ChainReport) string {
	if c.Broken != nil {
		return "broken: " + c.Broken.Error()
	}
	line := fmt.Sprintf("verified: chain %s: %d records, the last is %d of %s, SHA256:%s",
		c.Chain, c.Records, c.Last, c.Signed.Format(time.RFC3339), c.Hash)
	if !c.From.IsZero() {
		line += "; read from the signed head of " + c.From.Format(time.RFC3339) + " on"
	}
	if c.Unsigned > 0 {
		line += fmt.Sprintf("; records from %d on are not signed yet", c.UnsignedFrom())
	}
	if c.Retired > 0 {
		line += fmt.Sprintf("; records up to %d were deleted by policy", c.Retired)
	}
	if c.Lost > 0 {
		line += fmt.Sprintf("; %d records were lost by the store, as signed notes say", c.Lost)
	}
	if c.Recovered > 0 {
		line += fmt.Sprintf("; recovered %d times after a crash", c.Recovered)
	}
	if c.Torn > 0 {
		line += fmt.Sprintf("; %d bytes behind the end are being written or were left by a crash", c.Torn)
	}
	return line
}

// keyNames returns a function that returns the name of a key, "" if it has none, and looks
// each id up once.
func (a commands) keyNames(ctx context.Context) (func(id string) string, error) {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return nil, err
	}
	known := map[string]string{}
	return func(id string) string {
		name, asked := known[id]
		if !asked {
			name = env.Names(ctx, []string{id})[id]
			known[id] = name
		}
		return name
	}, nil
}

// keyIDs returns the ids of the keys that a word names, see [keys.IDsOf].
func (a commands) keyIDs(ctx context.Context, env host.Env, word string) (ids []string, err error) {
	err = a.app.WithKeys(ctx, env, func(_ redis.UniversalClient, store keys.Store) error {
		ids, err = keys.IDsOf(ctx, store, word)
		return err
	})
	return ids, err
}
