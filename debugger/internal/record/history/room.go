package history

// A Room counts the memory of a history: it is taken before it is allocated, and given back. Take
// returns an error if there is not enough.
type Room interface {
	Take(n int64) error
	Give(n int64)
}

// take takes memory from a room, which may be nil.
func take(room Room, n int) error {
	if room == nil {
		return nil
	}
	return room.Take(int64(n))
}

// give gives memory back.
func give(room Room, n int) {
	if room != nil && n > 0 {
		room.Give(int64(n))
	}
}

// Release drops what a recorder needs to record, and leaves its history.
func (r *Recorder) Release() {
	taken := r.attempts.oldTaken + r.records.bufTaken
	r.attempts.reusable, r.records.buf, r.attempts.oldTaken, r.records.bufTaken = attempt{}, nil, 0, 0
	r.memory.Release()
	give(r.options.Room, taken)
	r.code.drop()
}

// reserve makes sure that the record being built has room for the contents of so many bytes.
func (rw *recordWriter) reserve(size int) error {
	size += len(rw.buf) + maxSpanHead
	if size <= cap(rw.buf) {
		return nil
	}
	size = max(size, 2*cap(rw.buf))
	if err := take(rw.room, size); err != nil {
		return err
	}
	rw.buf = append(make([]byte, 0, size), rw.buf...)
	give(rw.room, rw.bufTaken)
	rw.bufTaken = size
	return nil
}

// maxSpanHead is the most bytes that a span has before its contents.
const maxSpanHead = 20

// RoomError returns why history began anew: its room had no memory for a record. It is nil if
// that was not the reason.
func (h *History) RoomError() error { return h.full }
