package accounttools

import (
	"fmt"
	"regexp"
	"strings"
)

// phrases describe successful requests to people, by the tool or, if they call none, the
// method. A part in braces is omitted unless the record has the details named in it; key
// is the id of the caller's key. A tool without a phrase has its name.
var phrases = map[string]string{
	"initialize":  "Session started{ - user: $key}",
	"session/end": "Session ended",

	"debugger/attach":                  "Attached{ to PID $pid}",
	"debugger/launch":                  "Program launched{ as PID $pid}",
	"debugger/restart":                 "Program restarted{ as PID $pid}",
	"debugger/get_output":              "Output inspected",
	"debugger/send_input":              "Input sent",
	"debugger/detach":                  "Detached{ from PID $pid}",
	"debugger/sessions":                "Sessions listed",
	"debugger/set_breakpoint":          "Breakpoint set{ at $address}",
	"debugger/list_breakpoints":        "Breakpoints inspected",
	"debugger/clear_breakpoint":        "Breakpoint cleared{ ($id)}",
	"debugger/set_watchpoint":          "Watchpoint set{ at $address}",
	"debugger/continue":                "Execution continued",
	"debugger/wait":                    "Process waited for",
	"debugger/pause":                   "Execution paused",
	"debugger/step_forward":            "Step forward executed",
	"debugger/step_line":               "Step by line executed",
	"debugger/step_over":               "Step over executed",
	"debugger/step_out":                "Step out executed",
	"debugger/open_core":               "Core file opened{ of PID $pid}",
	"debugger/open_trace":              "Trace opened{ of PID $pid}",
	"debugger/step_backward":           "Step backward executed",
	"debugger/reverse_continue":        "Reverse continue executed",
	"debugger/seek":                    "Moved through history",
	"debugger/last_write":              "Last write searched",
	"debugger/heap_block":              "Heap block searched",
	"debugger/call_trace":              "Call traced",
	"debugger/call_tree":               "Calls listed",
	"debugger/trace_value":             "Value traced",
	"debugger/collect":                 "Values collected",
	"debugger/race":                    "Races searched",
	"debugger/export_trace":            "Trace exported{ ($format)}",
	"debugger/get_stack_trace":         "Stack trace inspected",
	"debugger/get_variables":           "Variables inspected{ (scope: $scope)}",
	"debugger/evaluate":                "Expression evaluated",
	"debugger/threads":                 "Threads inspected",
	"debugger/goroutines":              "Goroutines inspected",
	"debugger/registers":               "Registers inspected",
	"debugger/find":                    "Names or memory searched",
	"debugger/read_memory":             "Memory inspected{ at $address}",
	"debugger/write_memory":            "Memory written{ at $address}",
	"debugger/disassemble":             "Code inspected",
	"debugger/source":                  "Source inspected",
	"debugger/expose":                  "Session exposed{ for $mode}",
	"debugger/quota_status":            "Quota checked",
	"debugger/license_info":            "License checked",
	"debugger/get_comprehensive_audit": "Audit trail read",
	"debugger/find_similar_bugs":       "Similar bugs searched",
	"xpath_query":                      "Document queried",
	"validate_schema":                  "Document validated",
	"cache_stats":                      "Document cache inspected",
	"preload_documents":                "Documents preloaded",
}

// describe describes a record in a few words.
func describe(r *AuditRecord) string {
	what := r.Method
	if r.Target != "" {
		what = r.Target
	}
	if r.Details["task"] != "" {
		return what + " goes on as a task"
	}
	switch r.Outcome {
	case "ok", "":
		if phrase := phrases[what]; phrase != "" {
			return fill(phrase, r)
		}
		return done(r)
	case "refused":
		return what + " refused" + why(r)
	}
	return what + " failed" + why(r)
}

// done describes a successful request that has no phrase.
func done(r *AuditRecord) string {
	switch {
	case r.Target == "":
		return r.Method
	case r.Method == "tools/call":
		return r.Target + " called"
	}
	return r.Method + " " + r.Target
}

// why returns the code and the reason of a record, as far as it has them.
func why(r *AuditRecord) string {
	var parts []string
	if r.Code != 0 {
		parts = append(parts, fmt.Sprint(r.Code))
	}
	if r.Reason != "" {
		parts = append(parts, r.Reason)
	}
	if len(parts) == 0 {
		return ""
	}
	return " - " + strings.Join(parts, ": ")
}

var (
	optional = regexp.MustCompile(`\{[^}]*\}`)
	detail   = regexp.MustCompile(`\$[a-z_]+`)
)

// fill replaces the variables of a phrase by details of a record.
func fill(phrase string, r *AuditRecord) string {
	return optional.ReplaceAllStringFunc(phrase, func(part string) string {
		missing := false
		part = detail.ReplaceAllStringFunc(part[1:len(part)-1], func(name string) string {
			value := r.detail(name[1:])
			missing = missing || value == ""
			return value
		})
		if missing {
			return ""
		}
		return part
	})
}

func (r *AuditRecord) detail(name string) string {
	if name == "key" {
		return r.Key
	}
	return r.Details[name]
}
