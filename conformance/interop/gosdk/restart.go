package main

import (
	"bufio"
	"context"
	"encoding/json"
	"os"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// An attempt is one call of a client whose server is started again.
type attempt struct {
	Tools int    `json:"tools"`
	Error string `json:"error,omitempty"`
	Page  string `json:"page,omitempty"` // that the person has to answer
}

// outlive lists the tools, waits for a line on standard input, and lists them again in the same
// session, with as many attempts as a person would make.
func (r run) outlive(ctx context.Context) error {
	session, _, err := r.connect(ctx, newScenario(), r.Key)
	if err != nil {
		return err
	}
	if err := tell(list(ctx, session)); err != nil {
		return err
	}
	if _, err := bufio.NewReader(os.Stdin).ReadString('\n'); err != nil {
		return err
	}
	attempts := []attempt{list(ctx, session)}
	if attempts[0].Error != "" {
		attempts = append(attempts, list(ctx, session))
	}
	return tell(attempts...)
}

func tell(attempts ...attempt) error { return json.NewEncoder(os.Stdout).Encode(attempts) }

func list(ctx context.Context, session *mcp.ClientSession) attempt {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	result, err := session.ListTools(ctx, nil)
	if err != nil {
		return attempt{Error: err.Error()}
	}
	return attempt{Tools: len(result.Tools)}
}
