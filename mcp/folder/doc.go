// Package folder hears of changes in a folder as they happen, whoever makes them
// and whatever becomes of the folder.
//
//	l := folder.Listen(dir)
//	defer l.Close()
//	lookAtAll()
//	for {
//		select {
//		case <-ctx.Done():
//			return
//		case e := <-l.Events:
//			if !l.Hear(e) {
//				continue
//			}
//		case <-l.Faults: // events were lost
//		case <-poll.C: // mounts and systems without a free watch tell nothing
//			l.Arm()
//		}
//		lookAtAll()
//	}
//
// It knows nothing of the protocol: the stores below a family listen with it, and
// so do the keys.
//
// # Concurrency
//
// A Listener is for one goroutine. The system's watch has another, which ends with
// Close.
package folder
