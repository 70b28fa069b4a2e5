package servecmd

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/privatedir"
	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// secretName is the path in the data folder of the secret that protects the ids of
// sessions. A backup leaves it out: a restored server begins with another one, and clients
// initialize again.
const secretName = "sessions/secret"

// minSecret is the length of the shortest secret that is accepted, in bytes.
const minSecret = 32

// secretFile returns the secret in a file, which it makes if there is none. Of several
// servers that do so at once all get the same one.
func secretFile(path string) ([]byte, error) {
	secret, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		if err = makeSecret(path); err == nil || errors.Is(err, fs.ErrExist) {
			secret, err = os.ReadFile(path)
		}
	}
	if err == nil && len(secret) < minSecret {
		err = fmt.Errorf("%s: %d bytes are no secret; remove the file, and the next start makes another", path, len(secret))
	}
	if err != nil {
		return nil, fmt.Errorf("the secret of sessions: %w", err)
	}
	return secret, nil
}

// makeSecret writes a new secret, or returns [fs.ErrExist] if there is one by now.
func makeSecret(path string) error {
	if err := privatedir.Make(filepath.Dir(path)); err != nil {
		return err
	}
	temp := path + "." + rand.Text()
	if err := atomicfile.Write(temp, []byte(rand.Text()+rand.Text()), 0o600); err != nil {
		return err
	}
	defer func() { _ = os.Remove(temp) }() // it is empty or linked
	return os.Link(temp, path)
}
