package audit_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/triptych-mcp/triptych/transport/audit"
)

// A server records a change and a look-up, and another program verifies the trail.
func Example() {
	dir, err := os.MkdirTemp("", "audit")
	if err != nil {
		log.Fatal(err)
	}
	defer func() { _ = os.RemoveAll(dir) }()
	ctx := context.Background()
	trail := audit.New(audit.Config{Dir: filepath.Join(dir, "audit")})

	change, err := trail.Append(audit.Record{Key: "key_1", Method: "tools/call", Target: "create_ruleset", Outcome: audit.OK})
	if err == nil {
		err = trail.Commit(ctx, change) // it survives a power cut
	}
	if err != nil {
		log.Fatal(err)
	}
	lookUp, err := trail.Append(audit.Record{Key: "key_1", Method: "tools/call", Target: "get_ruleset", Outcome: audit.OK})
	if err == nil {
		err = trail.Write(ctx, lookUp) // it survives kill -9
	}
	if err != nil {
		log.Fatal(err)
	}
	if err := trail.Close(); err != nil {
		log.Fatal(err)
	}

	for record, err := range audit.Query(ctx, filepath.Join(dir, "audit"), audit.Filter{Key: "key_1"}) {
		if err != nil {
			log.Fatal(err)
		}
		fmt.Println(record.Seq, record.Target, record.Outcome)
	}
	report, err := audit.Verify(ctx, filepath.Join(dir, "audit"))
	fmt.Println(report.Records(), report.Err(), err)
	// Output:
	// 1 create_ruleset ok
	// 2 get_ruleset ok
	// 2 <nil> <nil>
}
