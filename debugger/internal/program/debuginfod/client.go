package debuginfod

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"time"

	"github.com/triptych-mcp/triptych/debugger/internal/program/elffile"
)

// Limits of what is asked for and kept.
const (
	maxFile     = 512 << 20        // of one file
	maxFolder   = 2 << 30          // of all files
	answerTime  = 10 * time.Second // until a server begins to answer
	fileTime    = time.Minute      // until it has sent the file
	absentTime  = 10 * time.Minute // before a server is asked again for what it lacked
	maxServers  = 8
	maxRedirect = 5
)

// A Client asks servers for debug files.
type Client struct {
	servers []*url.URL
	folder  string
	log     *slog.Logger
	http    *http.Client
	limit   int64 // of one file

	mu     sync.Mutex
	absent map[string]time.Time // build ids that no server had, and when
}

// New returns a client of some servers, given by their URLs with spaces between them,
// that keeps files in a folder.
func New(urls, folder string, log *slog.Logger) (*Client, error) {
	c := &Client{folder: folder, log: log, limit: maxFile, absent: map[string]time.Time{}}
	for _, text := range strings.Fields(urls) {
		u, err := url.Parse(text)
		if err != nil || !allowed(u) {
			return nil, fmt.Errorf("DEBUGINFOD_URLS has %q, want URLs that begin with https:// (http:// for this machine)", text)
		}
		c.servers = append(c.servers, u)
	}
	if len(c.servers) == 0 || len(c.servers) > maxServers {
		return nil, fmt.Errorf("DEBUGINFOD_URLS has %d URLs, want 1 to %d, such as https://debuginfod.debian.net", len(c.servers), maxServers)
	}
	c.http = &http.Client{
		Timeout:       fileTime,
		Transport:     &http.Transport{Proxy: http.ProxyFromEnvironment, ResponseHeaderTimeout: answerTime, TLSHandshakeTimeout: answerTime, DisableKeepAlives: true},
		CheckRedirect: checkRedirect,
	}
	return c, nil
}

// allowed reports whether a URL is asked: over TLS, or on this machine.
func allowed(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	local := u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
	return u.Host != "" && (u.Scheme == "https" || u.Scheme == "http" && local)
}

func checkRedirect(r *http.Request, via []*http.Request) error {
	if len(via) >= maxRedirect || !allowed(r.URL) || r.URL.Scheme != via[0].URL.Scheme {
		return errors.New("the server redirects too often, or to a URL of another scheme")
	}
	return nil
}

// Find returns the path of the debug file of a build id in hexadecimal, which it gets
// from a server if the folder lacks it. It is "" if there is none.
func (c *Client) Find(id string) string {
	if !validID(id) {
		return ""
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	path := filepath.Join(c.folder, id+".debug")
	if _, err := os.Stat(path); err == nil {
		return path
	}
	if at, ok := c.absent[id]; ok && time.Since(at) < absentTime {
		return ""
	}
	if err := c.getLocked(id, path); err != nil {
		c.log.Info("no debug information from the servers", "build_id", id, "err", err)
		c.absent[id] = time.Now()
		return ""
	}
	return path
}

// validID reports whether a text is a build id of 8 to 64 bytes in hexadecimal.
func validID(id string) bool {
	return len(id) >= 16 && len(id) <= 128 && strings.Trim(id, "0123456789abcdef") == ""
}

// getLocked gets a file from the first server that has it.
func (c *Client) getLocked(id, path string) error {
	if err := os.MkdirAll(c.folder, 0o700); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(context.Background(), fileTime)
	defer cancel()
	var errs error
	for _, server := range c.servers {
		err := c.get(ctx, server.JoinPath("buildid", id, "debuginfo"), id, path)
		if err == nil {
			return trim(c.folder, maxFolder, path)
		}
		errs = errors.Join(errs, err)
	}
	return errs
}

// get gets a file from a URL and moves it to a path if it has the build id.
func (c *Client) get(ctx context.Context, from *url.URL, id, path string) error {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from.String(), http.NoBody)
	if err != nil {
		return err
	}
	request.Header.Set("User-Agent", "triptych")
	answer, err := c.http.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = answer.Body.Close() }() // it was only read
	if answer.StatusCode != http.StatusOK {
		return fmt.Errorf("%s: %s", from.Redacted(), answer.Status)
	}
	f, err := os.CreateTemp(filepath.Dir(path), "new-")
	if err != nil {
		return err
	}
	defer func() { _ = os.Remove(f.Name()) }() // it is gone if it was moved
	n, err := io.Copy(f, io.LimitReader(answer.Body, c.limit+1))
	switch err = errors.Join(err, f.Close()); {
	case err != nil:
		return err
	case n > c.limit:
		return fmt.Errorf("%s has more than %d MiB", from.Redacted(), c.limit>>20)
	case !hasBuildID(f.Name(), id):
		return fmt.Errorf("%s is no ELF file with this build id", from.Redacted())
	}
	return os.Rename(f.Name(), path)
}

// hasBuildID reports whether a file is an ELF file with a build id.
func hasBuildID(path, id string) bool {
	o := elffile.OpenPath(path)
	if o == nil {
		return false
	}
	defer func() { _ = o.Close() }() // it was only read
	return fmt.Sprintf("%x", o.BuildID()) == id
}
