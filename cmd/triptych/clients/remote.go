package clients

import "strings"

// A trust is the way in which a client is made to believe a certificate that no
// public authority has signed.
type trust string

const (
	systemTrust trust = ""                    // only what the system believes
	nodeTrust   trust = "NODE_EXTRA_CA_CERTS" // a variable of Node.js, which Bun reads too
	opensslVar  trust = "SSL_CERT_FILE"       // a variable of OpenSSL and rustls
)

// TrustHint says what a person does so that the client believes the certificate
// in the file. It is one line without a full stop.
func (c Client) TrustHint(file string) string {
	if c.trust == systemTrust {
		return "add " + file + " to the certificates that the system trusts, for " + c.Title + " believes no others"
	}
	return "start " + c.Title + " with " + string(c.trust) + "=" + file + " in its environment"
}

// KeyHint says where the client finds the key.
func (c Client) KeyHint(e Entry) string {
	return "set " + e.KeyEnv + " to the key in the environment that " + c.Title + " is started in"
}

// reached returns the shape of an entry with the address in one member and the key
// in the header that carries it. The key is named by the client's own notation for a
// variable, in which NAME stands for the variable.
func reached(first object, address, notation string) func(Entry) object {
	return func(e Entry) object {
		value := "Bearer " + strings.ReplaceAll(notation, "NAME", e.KeyEnv)
		return append(append(object{}, first...), member{address, e.URL}, member{"headers", object{{"Authorization", value}}})
	}
}

// tokenVariable is Codex' shape: it has a member for the variable of a bearer key.
func tokenVariable(e Entry) object {
	return object{{"url", e.URL}, {"bearer_token_env_var", e.KeyEnv}}
}

// bridged is for clients that can only start programs, or have no notation for a
// variable in a header: mcp-remote passes on what they say and fills the key in.
func bridged(e Entry) object {
	return plain(Entry{Command: "npx", Args: []string{
		"-y", "mcp-remote", e.URL, "--header", "Authorization:Bearer ${" + e.KeyEnv + "}",
	}})
}
