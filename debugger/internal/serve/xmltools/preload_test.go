package xmltools

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/triptych-mcp/triptych/debugger/document"
)

// Of very many documents those that failed are listed before the others.
func TestPreloadListsFailuresFirst(t *testing.T) {
	reports := make([]document.PreloadReport, 2500)
	for i := range reports {
		reports[i].Path = fmt.Sprintf("%d.xml", i)
	}
	reports[100].Err, reports[2400].Err = errors.New("first"), errors.New("second")
	got := preloadedFrom(reports)
	if got.Loaded != 2498 || got.Failed != 2 || len(got.Documents) != 1000 || got.Unlisted != 1500 {
		t.Errorf("got %d loaded, %d failed, %d listed, %d not", got.Loaded, got.Failed, len(got.Documents), got.Unlisted)
	}
	for i, path := range []string{"100.xml", "2400.xml", "0.xml", "1.xml"} {
		if got.Documents[i].Path != path {
			t.Errorf("document %d is %s, want %s", i, got.Documents[i].Path, path)
		}
	}
	text := got.Text()
	if !strings.HasPrefix(text, "Preloaded 2,498 of 2,500 documents:\n") || !strings.HasSuffix(text, "\n… and 1,500 more") {
		t.Errorf("the text is %.50s … %s", text, text[len(text)-50:])
	}
	if reports[0].Path != "0.xml" {
		t.Error("the reports were sorted in place")
	}
}
