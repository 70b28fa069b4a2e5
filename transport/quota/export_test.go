package quota

import "time"

// SetIdle sets the time after which a lease that was not used is returned.
func (v *Valkey) SetIdle(d time.Duration) { v.idle = d }
