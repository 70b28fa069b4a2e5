package peers

import "time"

// SetStoreWait sets the limit of one request to the store, for tests on a busy machine.
func SetStoreWait(d time.Duration) { storeWait = d }

// SetMaxBytes sets the bytes of the tasks of one principal.
func (t *Tasks) SetMaxBytes(n int) { t.maxBytes = n }
