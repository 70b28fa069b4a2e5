package servecmd

import "testing"

// The console is on by itself only where this machine alone can reach it, and its cookies
// go over TLS wherever a proxy is in front.
func TestConsoleIsForThisMachine(t *testing.T) {
	const here, everywhere = "127.0.0.1:8443", ":8443"
	proxy := []string{"127.0.0.1"}
	for _, c := range []struct {
		flags  serveFlags
		on     bool
		scheme string
	}{
		{serveFlags{console: consoleAuto, listen: here}, true, "https"},
		{serveFlags{console: consoleAuto, listen: here, plain: true}, true, "http"},
		{serveFlags{console: consoleAuto, listen: here, plain: true, proxies: proxy}, false, "https"},
		{serveFlags{console: consoleAuto, listen: everywhere}, false, "https"},
		{serveFlags{console: consoleAlways, listen: here, plain: true, proxies: proxy}, true, "https"},
		{serveFlags{console: consoleNever, listen: here}, false, "https"},
	} {
		on, err := c.flags.hasConsole()
		if err != nil || on != c.on || c.flags.scheme() != c.scheme {
			t.Errorf("--console %s at %s, plain %v, proxies %v: %v over %s, %v; want %v over %s",
				c.flags.console, c.flags.listen, c.flags.plain, c.flags.proxies, on, c.flags.scheme(), err, c.on, c.scheme)
		}
	}
}
