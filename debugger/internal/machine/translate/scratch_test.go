package translate_test

import (
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

// TestConcurrentTranslations translates blocks on several goroutines at once: no block has
// code of another one.
func TestConcurrentTranslations(t *testing.T) {
	var all sync.WaitGroup
	for _, instruction := range []string{"48ffc0 ", "48ffc1 ", "48ffc2 ", "48ffc3 "} { // inc
		code := strings.Repeat(instruction, 20) + "c3"
		want := block(t, code, 0)
		all.Go(func() {
			for range 200 {
				if diff := cmp.Diff(want, block(t, code, 0)); diff != "" {
					t.Errorf("%s\n%s", instruction, diff)
					return
				}
			}
		})
	}
	all.Wait()
}
