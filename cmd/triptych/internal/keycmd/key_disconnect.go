package keycmd

import (
	"context"
	"fmt"
	"slices"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmderr"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/command"
	"github.com/triptych-mcp/triptych/transport/keys"
)

func (a commands) keyDisconnect() command.Command {
	return command.Command{
		Name: "disconnect", Args: "ID|NAME CLIENT...", Min: 2, Max: command.AnyNumber,
		Short: "end the logins of clients that use a key, or its invitation",
		Long: "Names the clients and the invitation by the ids that triptych key show lists. Their\n" +
			"tokens stop working at once; the key and its other clients go on.",
		Flags:    a.app.KeysFlags,
		Complete: a.completeKeys,
		Run: func(ctx context.Context, args []string) error {
			return a.withKeys(ctx, func(store keys.Store) error {
				id, err := keyID(ctx, store, args[0])
				if err != nil {
					return err
				}
				return disconnect(ctx, a.IO, store, id, args[1:])
			})
		},
	}
}

// disconnect ends grants of a key, all or none.
func disconnect(ctx context.Context, out *cmdio.IO, store keys.Store, id string, clients []string) error {
	_, err := store.ChangeGrants(ctx, id, func(r keys.Record) ([]keys.Grant, error) {
		for _, client := range clients {
			i := slices.IndexFunc(r.Grants, func(g keys.Grant) bool { return g.ID == client })
			if i < 0 {
				return nil, cmderr.WithHints(cmderr.UsageErrorf("%s has no client %s", id, client), "triptych key show "+id+" lists them")
			}
			r.Grants = slices.Delete(r.Grants, i, i+1)
		}
		return r.Grants, nil
	})
	if err != nil {
		return err
	}
	fmt.Fprintf(out.Err, "triptych: disconnected %d of the clients of %s\n", len(clients), id)
	return nil
}
