package bugs_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/bugs"
)

func Example() {
	folder, err := os.MkdirTemp("", "bugs")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(folder) }() // what is left is the system's to clean
	for name, text := range map[string]string{
		"parser.c": "int next(struct parser *p)\n{\n\tstruct token *t = peek(p);\n\treturn t->kind;\n}\n",
		"lexer.c":  "int start(struct lexer *l)\n{\n\tstruct rune *r = read_rune(l);\n\treturn r->width;\n}\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			log.Fatal(err)
		}
	}

	finder, err := bugs.New(bugs.Config{})
	if err != nil {
		log.Fatal(err)
	}
	var null uint64
	report, err := finder.Find(context.Background(), bugs.Request{
		Path: folder,
		Site: bugs.Site{File: "parser.c", Line: 4, Signal: "SIGSEGV", FaultAddress: &null, Values: map[string]string{"t": "0x0"}},
	})
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(report.Diagnosis.Reason)
	fmt.Println(report.Text())
	// Output:
	// address 0x0 was accessed, and t is null
	// Found 1 similar pattern:
	//
	// 1. lexer.c:4 - Potential null pointer dereference
	//    Similarity: 100%
}
