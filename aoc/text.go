package aoc

import "fmt"

const (
	dayTemplate = "aoc://day{day}"
	mimeType    = "text/plain"
)

// fetched is the answer of fetch_instruction.
type fetched struct {
	Day    int     `json:"day"`
	Phase1 string  `json:"phase1"`
	Phase2 *string `json:"phase2,omitempty"`
}

// Text is the puzzle as the resource has it.
func (f fetched) Text() string {
	return Instruction{Day: Day(f.Day), Phase1: f.Phase1, Phase2: f.Phase2}.Text()
}

// recorded is the answer of record_speed.
type recorded struct {
	LLM     string `json:"llm_name"`
	Day     int    `json:"day"`
	Phase   int    `json:"phase"`
	SpeedMS int64  `json:"speed_ms"`
	AvgMS   int64  `json:"avg_ms"`
}

// Text says what was recorded.
func (r recorded) Text() string {
	return fmt.Sprintf("Recorded %s Day %d Phase %d: %dms (avg: %dms)", r.LLM, r.Day, r.Phase, r.SpeedMS, r.AvgMS)
}
