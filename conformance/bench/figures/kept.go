package figures

import (
	"encoding/json"
	"os"
)

// Keep writes a report to a file, as JSON.
func Keep(path string, report any) error {
	text, err := json.MarshalIndent(report, "", " ")
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// Kept reads the report that Keep has written.
func Kept(path string, report any) error {
	text, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, report)
}
