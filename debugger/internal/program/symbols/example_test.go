package symbols_test

import (
	"context"
	"fmt"
	"log"
	"path/filepath"

	"github.com/triptych-mcp/triptych/debugger/internal/program/symbols"
)

// A program that is not running, as a breakpoint is set before it starts: its
// file is mapped where it would be, and there is no memory.
func Example() {
	p := symbols.New(symbols.Config{})
	defer func() { _ = p.Close() }() // files that were only read
	path, err := filepath.Abs("testdata/small.elf")
	if err != nil {
		log.Fatal(err)
	}
	p.Update([]symbols.Mapping{{Start: 0x400000, End: 0x402000, Path: path}}, nil)

	places, err := p.Entry(context.Background(), "f")
	if err != nil {
		log.Fatal(err)
	}
	for _, l := range places {
		fmt.Println(l.Function, l.Line)
	}
	t, err := p.Type(context.Background(), "s")
	if err != nil {
		log.Fatal(err)
	}
	for _, f := range t.Fields() {
		fmt.Println(f.Name, f.Type(), f.Offset)
	}
	// Output:
	// f 9
	// a int 0
	// next struct s * 8
	// t char [8] 16
	// u union {...} 24
}
