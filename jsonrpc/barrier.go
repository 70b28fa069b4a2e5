package jsonrpc

import "bytes"

// pass waits for the barrier. When it fails, the answers among the lines are
// replaced by errors.
func (c *Conn) pass(lines []byte) []byte {
	if c.cfg.Barrier == nil {
		return lines
	}
	err := c.cfg.Barrier()
	if err == nil {
		return lines
	}
	c.cfg.Logger.Error("answers withheld", "err", err)
	w := withholder{instead: ErrorOf(err), decoder: newDecoder(DefaultDepth)}
	var out []byte
	for line := range bytes.Lines(lines) {
		out = append(w.append(out, bytes.TrimSuffix(line, []byte{'\n'})), '\n')
	}
	return out
}

// A withholder puts an error in place of each result.
type withholder struct {
	instead *Error
	decoder *decoder
}

// append appends a message of ours. One that gives nothing away is left as it
// is: an error, an empty result, a notification.
func (w *withholder) append(dst, text []byte) []byte {
	if isBatch(text) {
		return w.appendBatch(dst, text)
	}
	var m message
	w.decoder.decode(text, &m)
	if m.kind != isResponse || m.response.Error != nil || string(m.response.Result) == "{}" {
		return append(dst, text...)
	}
	return appendRefusal(dst, m.response.ID, true, w.instead)
}

func (w *withholder) appendBatch(dst, text []byte) []byte {
	start := len(dst)
	items := Elements(text[skipSpace(text, 0):])
	for items.Next() {
		dst = w.append(append(dst, ','), items.Value())
	}
	dst[start] = '['
	return append(dst, ']')
}
