package memory

import (
	"testing"
	"time"
)

// TestRelease looks at a process every ten seconds. Sizes are in MiB.
func TestRelease(t *testing.T) {
	type look struct {
		resident, allocated, held int64
		after                     int64 // resident after a release; 0 if there must be none
	}
	for _, tt := range []struct {
		name  string
		looks []look
	}{
		{"small", []look{{resident: 96}, {resident: 95, allocated: 500}}},
		{"clients hold much", []look{{resident: 400, held: 24}, {resident: 400, held: 23, after: 40}}},
		{"grows again", []look{{resident: 400, after: 120}, {resident: 150}, {resident: 151, after: 120}}},
		{"idle with much in use", []look{{resident: 400, after: 300}, {resident: 300}, {resident: 300}, {resident: 300}, {resident: 300}}},
		{
			"garbage of what was in use the last time",
			[]look{{resident: 400, after: 250}, {resident: 255, allocated: 30}, {resident: 255, allocated: 30}, {resident: 255, allocated: 30, after: 50}},
		},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var now look
			released := false
			r := releaser{
				held:  func() int64 { return now.held << 20 },
				usage: func() (int64, int64) { return now.resident << 20, now.allocated << 20 },
			}
			r.free = func() { released, now.resident = true, now.after }
			for n, l := range tt.looks {
				released, now = false, l
				r.check(time.Unix(0, 0).Add(time.Duration(n) * releaseEvery))
				if want := l.after != 0; released != want {
					t.Errorf("look %d: released %t, want %t", n, released, want)
				}
			}
		})
	}
}
