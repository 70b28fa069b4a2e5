package toolcmd

import (
	"encoding/json"
	"strconv"

	"github.com/triptych-mcp/triptych/cmd/triptych/internal/app"
	"github.com/triptych-mcp/triptych/cmd/triptych/internal/cmdio"
)

// bytesPerToken is the number of bytes of a list of tools for one token, in the
// encodings of today's models. A test compares it with a tokenizer.
const bytesPerToken = 4.35

// EstimatedTokens returns about how many tokens so many bytes take.
func EstimatedTokens(bytes int) int { return int(float64(bytes)/bytesPerToken + 0.5) }

// printTokens prints what each tool, and all of them, cost in a model's context.
func printTokens(out *cmdio.IO, tools []app.ToolInfo) error {
	rows := [][]string{{"TOOL", "BYTES", "TOKENS, ABOUT"}}
	for _, tool := range tools {
		rows = append(rows, tokenRow(tool.Name, len(tool.Raw)))
	}
	raw, err := json.Marshal(map[string]any{"tools": RawTools(tools)})
	if err != nil {
		return err
	}
	return out.PrintTable(append(rows, tokenRow(strconv.Itoa(len(tools))+" tools", len(raw))))
}

func tokenRow(name string, bytes int) []string {
	return []string{name, strconv.Itoa(bytes), strconv.Itoa(EstimatedTokens(bytes))}
}
