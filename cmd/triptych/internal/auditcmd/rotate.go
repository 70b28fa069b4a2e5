package auditcmd

import (
	"context"
	"fmt"
	"log/slog"
	"path/filepath"
	"strings"

	"github.com/spf13/pflag"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/transport/audit"
)

// auditRotateKey returns the row of triptych audit rotate-key.
func (a commands) auditRotateKey() command.Command {
	var compromised, resume bool
	return command.Command{
		Name: "rotate-key", Short: "replace the key that signs the trail",
		Long: "Makes a new signing key, which the old one signs in each chain, so that either is\n" +
			"enough to verify all that was recorded before. Servers that run go on with the new\n" +
			"key with their next record. Those of other machines need copies of the files\n" +
			"audit/rotations.json, audit/signing.key and audit/signing.pub, in this order.\n" +
			"With --compromised, chains are trusted up to where they end now; what only the old\n" +
			"key signs from then on is not. A chain that cannot be signed with the new key, such\n" +
			"as on a full disk, is named, and the command fails: run it with --resume when the\n" +
			"cause is gone, also after it was interrupted.",
		Example: "triptych audit rotate-key\ntriptych audit rotate-key --resume",
		Flags: func(set *pflag.FlagSet) {
			set.BoolVar(&compromised, "compromised", false, "do not trust the old key any more")
			set.BoolVar(&resume, "resume", false, "make no key: sign with the present one what a rotation did not reach")
			a.app.KeysFlags(set)
		},
		Run: func(ctx context.Context, _ []string) error {
			if compromised && resume {
				return cmderr.UsageErrorf("give --compromised or --resume, not both")
			}
			return a.rotateKey(ctx, compromised, resume)
		},
	}
}

// rotateKey rotates the key of the data folder, or resumes that, and prints what became of the
// chains there and in the store.
func (a commands) rotateKey(ctx context.Context, compromised, resume bool) error {
	env, err := a.app.Env(slog.LevelWarn)
	if err != nil {
		return err
	}
	dir := filepath.Join(env.Data, "audit")
	client, err := a.app.DialValkey(ctx, env.Logger)
	if err != nil {
		return err
	}
	var stores []audit.ValkeyConfig
	if client != nil {
		defer func() { _ = client.Close() }()
		stores = append(stores, audit.ValkeyConfig{Client: client, Prefix: env.StorePrefix, KeyDir: dir, Logger: env.Logger})
	}
	cfg := audit.Config{Dir: dir, Logger: env.Logger}
	var r audit.Rotation
	if resume {
		r, err = audit.ResumeRotation(ctx, cfg, stores...)
	} else {
		r, err = audit.Rotate(ctx, cfg, compromised, stores...)
	}
	if err != nil {
		return err
	}
	return printRotation(a.IO, &r)
}

// printRotation prints the keys, and what became of each chain. Chains that must be signed later
// are an error.
func printRotation(out *cmdio.IO, r *audit.Rotation) error {
	if r.Old != nil {
		fmt.Fprintf(out.Out, "old key: %s\n", audit.Fingerprint(r.Old))
	}
	fmt.Fprintf(out.Out, "new key: %s\n", audit.Fingerprint(r.New))
	for _, some := range []struct {
		ids  []string
		what string
	}{
		{r.Signed, "signed with the new key"},
		{r.Busy, "in use, signed with its next record"},
		{r.Untrusted, "left as it is, not trusted: only a compromised key has signed its end"},
		{r.Unsigned, "not signed with the new key yet"},
	} {
		for _, id := range some.ids {
			fmt.Fprintf(out.Out, "chain %s: %s\n", id, some.what)
		}
	}
	if len(r.Unsigned) == 0 {
		return nil
	}
	return cmderr.WithHints(fmt.Errorf("chains cannot be signed with the new key: %s", strings.Join(r.Unsigned, ", ")),
		"the log says why; the key is replaced, and what the chains have is trusted as before",
		"run triptych audit rotate-key --resume when the cause is gone")
}
