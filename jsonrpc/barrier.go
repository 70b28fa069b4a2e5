package jsonrpc

import "bytes"

// pass waits for the barrier. When it fails, pass returns what withholds the answers,
// else nil. No lock is held.
func (c *Conn) pass() *withholder {
	if c.cfg.Barrier == nil {
		return nil
	}
	err := c.cfg.Barrier()
	if err == nil {
		return nil
	}
	c.cfg.Logger.Error("answers withheld", "err", err)
	return &withholder{error: ErrorOf(err), decoder: newDecoder(DefaultDepth)}
}

// A withholder puts an error in place of each result of one write. Nil withholds nothing.
type withholder struct {
	error   *Error
	decoder *decoder
}

// replace returns what is written in place of lines.
func (w *withholder) replace(lines []byte) []byte {
	if w == nil {
		return lines
	}
	var out []byte
	for line := range bytes.Lines(lines) {
		out = append(w.append(out, bytes.TrimSuffix(line, []byte{'\n'})), '\n')
	}
	return out
}

// append appends a message of ours. One that gives nothing away is left as it is: an
// error, an empty result, a notification. A result is replaced even if its request
// changed nothing, for this package does not know.
func (w *withholder) append(dst, text []byte) []byte {
	if isBatch(text) {
		return w.appendBatch(dst, text)
	}
	var m message
	w.decoder.decode(text, &m)
	if m.kind != isResponse || m.response.Error != nil || string(m.response.Result) == "{}" {
		return append(dst, text...)
	}
	return appendRefusal(dst, m.response.ID, true, w.error)
}

// appendBatch appends the answer of a batch, text, with each response withheld by
// itself: a batch answers its requests one by one, also when what they did could not be
// made durable.
func (w *withholder) appendBatch(dst, text []byte) []byte {
	start := len(dst)
	items := Elements(text[skipSpace(text, 0):])
	for items.Next() {
		dst = w.append(append(dst, ','), items.Value())
	}
	dst[start] = '['
	return append(dst, ']')
}
