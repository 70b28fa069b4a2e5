package recording_test

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/internal/machine/xsave"
	"github.com/triptych-mcp/triptych/debugger/internal/record/replay"
)

// A recording of a processor with other places in the vector state is replayed, if this
// processor has what is in use, and is refused with both layouts if not.
func TestForeignVectorState(t *testing.T) {
	const tiles = 18
	components := []xsave.Component{{Number: 2, Offset: 576, Size: 256}, {Number: 17, Offset: 2752, Size: 64, Aligned: true}, {Number: tiles, Offset: 2816, Size: 8192, Aligned: true}}
	amx := xsave.New(components)
	if xsave.Machine().Mask()>>tiles&1 != 0 {
		t.Skip("this processor has AMX")
	}
	state := make([]byte, amx.Size())
	binary.LittleEndian.PutUint16(state, 0x37f)
	binary.LittleEndian.PutUint32(state[24:], 0x1f80)
	binary.LittleEndian.PutUint64(state[464:], amx.Mask())
	binary.LittleEndian.PutUint64(state[512:], 1<<1)
	copy(state[160:], "sixteen bytes...")
	tests := map[string]struct {
		inUse []byte
		want  string
	}{
		"xmm0":  {want: ""},
		"tiles": {inUse: []byte{1}, want: "AMX tiles"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			state := slices.Clone(state)
			if copy(state[2816:], test.inUse) > 0 {
				binary.LittleEndian.PutUint64(state[512:], 1<<1|1<<tiles)
			}
			nops := strings.Repeat("\x90", 32)
			timeline, err := replay.NewTimeline(t.Context(), foreign(t, state, nops))
			if test.want != "" {
				refused, ok := errors.AsType[*xsave.LayoutError](err)
				if !ok || refused.Component != test.want || refused.From != amx.String() || refused.To != xsave.Machine().String() {
					t.Fatalf("%v", err)
				}
				return
			}
			check(t, err)
			defer func() { check(t, timeline.Close()) }()
			got, err := timeline.History().View().XState(0, nil)
			if err != nil || string(xsave.Machine().Bytes(got, xsave.XMM, 0)) != "sixteen bytes..." {
				t.Errorf("xmm0 %q, %v", xsave.Machine().Bytes(got, xsave.XMM, 0), err)
			}
		})
	}
}
