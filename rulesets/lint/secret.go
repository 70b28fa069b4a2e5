package lint

import "github.com/triptych-mcp/triptych/mcp/secrets"

// checkSecrets reports what looks like a secret. The message has no part of it.
func checkSecrets(t text) {
	found, rest := secrets.Find(t.s, secrets.Prose)
	for _, m := range found {
		t.report("secret", Error, m.From, "it looks like a secret (%s), %d characters", m.Rule, m.To-m.From)
	}
	if rest != nil {
		t.report(unexamined, Error, rest.From, "the text is long and has many words that secrets have: from here on it was not searched for %s and further secrets", rest.Rule)
	}
}
