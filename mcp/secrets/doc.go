// Package secrets finds and masks what looks like a secret in texts: keys and
// tokens by their published formats, and, in what programs hold, passwords by the names and
// places that they stand in.
//
//	shown := secrets.Mask(output, secrets.Data) // token=<masked:github-pat>
//
//	found, rest := secrets.Find(text, secrets.Prose)
//	for _, m := range found {
//		fmt.Println(m.Rule, len(text[m.From:m.To]))
//	}
//	if rest != nil {
//		fmt.Println("not searched from", rest.From)
//	}
//
// The families that check what they are given and mask what they show share this
// package. It knows nothing of them, nor of the protocol.
//
// # Limits
//
// A client or a program under a debugger writes the text, so the work for one text is
// bounded: a long text is searched around the keywords of the rules only, a rule's
// expression runs in linear time, and after [MaxBytes] or [MaxMasked] the search ends and
// reports where. [Mask] masks all that was not searched.
//
// # Concurrency
//
// All functions may be called from any goroutine. The rules are read on the first
// call, and each is compiled when one of its keywords is met first.
package secrets
