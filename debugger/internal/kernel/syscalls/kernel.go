package syscalls

// Of returns the effect of a call. It calls read for lengths and pointers in
// memory.
func Of(call Call, read Reader) Effect {
	r, ok := rows[call.Number]
	if !ok {
		return Effect{Unknown: true}
	}
	e := &effect{call: call, read: read, Effect: Effect{
		Name:        r.name,
		Unknown:     r.does&unknown != 0,
		Maps:        r.does&maps != 0,
		Threads:     r.does&threads != 0,
		SignalStack: r.does&signalStack != 0,
		Vector:      r.does&vector != 0,
		ThreadEnds:  r.does&threadEnds != 0,
		Ends:        r.does&ends != 0,
	}}
	for _, o := range r.out {
		o(e)
	}
	return e.Effect
}
