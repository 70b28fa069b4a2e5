package rulesclient

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
	"github.com/triptych-mcp/triptych/rulesets/ruleset"
	"github.com/triptych-mcp/triptych/transport/httpclient"
)

// A Snapshot has all rulesets that a server shows, oldest first.
type Snapshot struct {
	Rulesets   []ruleset.Ruleset
	Unlabelled []ruleset.Name // those without the label that was asked for
}

// ErrNoSnapshot is returned for a server that has no snapshots, or more rulesets than
// they may have.
var ErrNoSnapshot = errors.New("the server has no snapshot of its rulesets")

// Snapshot returns all rulesets at a label, the newest revisions for "". It sends the
// hash of the document in file, which it replaces: a server whose rulesets have not
// changed answers without their texts. File may be "".
func (c *Client) Snapshot(ctx context.Context, label ruleset.Label, file string) (Snapshot, error) {
	at := httpclient.Endpoint{URL: c.endpoint.URL + "/rulesets", Key: c.endpoint.Key, HTTP: c.endpoint.HTTP}
	if label != "" {
		at.URL += "?label=" + url.QueryEscape(string(label))
	}
	header := http.Header{}
	known, err := os.ReadFile(file)
	if err == nil {
		header.Set("If-None-Match", tagOf(known))
	}
	resp, err := at.Do(ctx, http.MethodGet, nil, header)
	if err != nil {
		return Snapshot{}, err
	}
	defer func() { _ = resp.Body.Close() }() // read to its end
	switch resp.StatusCode {
	case http.StatusNotModified:
		return parseSnapshot(known)
	case http.StatusOK:
	default:
		return Snapshot{}, ErrNoSnapshot // tools say why
	}
	document, err := io.ReadAll(io.LimitReader(resp.Body, httpclient.MaxMessage))
	if err != nil {
		return Snapshot{}, err
	}
	all, err := parseSnapshot(document)
	if err != nil || file == "" {
		return all, err
	}
	return all, WriteCopy(file, document)
}

// tagOf returns the ETag of a document.
func tagOf(document []byte) string {
	sum := sha256.Sum256(document)
	return `"` + hex.EncodeToString(sum[:]) + `"`
}

func parseSnapshot(document []byte) (all Snapshot, err error) {
	var wire struct {
		Rulesets   []wireRuleset  `json:"rulesets"`
		Unlabelled []ruleset.Name `json:"unlabelled"`
	}
	if err := json.Unmarshal(document, &wire); err != nil {
		return all, fmt.Errorf("the snapshot of the server: %w", err)
	}
	for _, w := range wire.Rulesets {
		if _, err := ruleset.ParseName(string(w.Name)); err == nil {
			all.Rulesets = append(all.Rulesets, w.ruleset())
		}
	}
	all.Unlabelled = wire.Unlabelled
	return all, nil
}

// WriteCopy replaces a file that is a copy. It is not synced: what a power cut leaves is
// recognized by its hash or its form, and read again from the server.
func WriteCopy(file string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		return err
	}
	return atomicfile.WriteUnsynced(file, data, 0o600)
}
