// Package record holds the packages that know the past of a process.
//
//	recording  records whole programs by their inputs
//	replay     replays these recordings
//	recfile    the file format of these recordings: events, segments, packing
//	history    recorded execution, step by step; positions, searches in both directions
//	memdiff    finds what has changed in the memory of a process, for the records of history
//	inplace    runs the threads of a process translated, with their instructions counted
//	races      finds accesses of two threads without an order
//	findings   keeps what was found in a recording in files, for the next session of it
//
// There is one past, the interface Past of history. Records of single steps implement it, and
// so do replays of recordings, and lines of both:
//
//	searches (last write, places, hits, calls, inputs) and the view    history.History
//	       │ Past
//	       ▼
//	history.Line ──► history.Records      of single steps, and of a window of a replay
//	             └─► recording.Part ──► replay.Timeline       drives inplace
//	                                           │
//	                                           ▼
//	                                    recfile.Recording     the events, decoded one at a time
//
// The recorder drives inplace, too, and writes a recfile.Writer. It imports replay, not the
// other way round.
//
// Frequent system calls are recorded without a stop: inplace/rules_linux_amd64.go says which,
// inplace/buffer_linux_amd64.go reads them from the process, and
// recording/buffered_linux_amd64.go writes their events.
//
// A replay finds places without records, and has the interpreter record the window around one.
package record
