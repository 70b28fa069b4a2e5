package debugger

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/triptych-mcp/triptych/debugger/internal/proc"
	"github.com/triptych-mcp/triptych/debugger/internal/symbols"
	"github.com/triptych-mcp/triptych/mcp"
)

// A mark is a breakpoint or watchpoint as the client knows it: with a number
// of its own, at one or more places.
type mark struct {
	id        int
	ids       []int // of proc's breakpoints
	places    []symbols.Location
	condition string
	holds     func(proc.Hit) (bool, error) // nil without a condition
	once      bool
	ignore    int
	thread    int // the only one to stop; 0 is all
	stepHits  int // those that steps came to, of which proc knows nothing

	watch *watch // nil for breakpoints
}

// A watch is memory that is watched.
type watch struct {
	address uint64
	size    int
	access  proc.Access
	text    string // the expression that said where
	// recorded says that the processor does not watch it.
	recorded bool
	last     []byte // what was there at the last stop
}

// maxMarks bounds the breakpoints and watchpoints of a session.
const maxMarks = 200

const (
	maxPlaces  = 64 // of one breakpoint
	maxSimilar = 5  // names of functions in place of one that is not known
)

type breakpointArgs struct {
	Address   string `json:"address,omitempty" doc:"Address such as 0x401000"`
	Condition string `json:"condition,omitempty" doc:"Stop only when this expression is true, such as count > 3 && p->next != 0"`
	Function  string `json:"function,omitempty" doc:"Instead of an address: the name of a function, behind whose prologue to stop"`
	File      string `json:"file,omitempty" doc:"Instead of an address: a source file, by its path or the end of it"`
	Line      int    `json:"line,omitempty" min:"1" doc:"The line of that file"`
	OneShot   bool   `json:"one_shot,omitempty" doc:"Take it away with its first stop"`
	HitCount  int    `json:"hit_count,omitempty" min:"0" max:"1000000000" doc:"Stop at this hit, not at those before"`
	Thread    int    `json:"thread,omitempty" min:"1" doc:"Stop only this thread"`
	sessionArg
}

// Validate checks what the schema does not say: one way to name the place.
func (a breakpointArgs) Validate() error {
	ways := 0
	for _, given := range []bool{a.Address != "", a.Function != "", a.File != "" || a.Line != 0} {
		if given {
			ways++
		}
	}
	switch {
	case ways != 1:
		return errors.New("give either address, or function, or file and line")
	case (a.File == "") != (a.Line == 0):
		return errors.New("file and line belong together")
	case a.Address != "":
		_, err := parseAddress(a.Address)
		return err
	}
	return nil
}

// parseAddress reads an address in hexadecimal, or decimal.
func parseAddress(text string) (uint64, error) {
	n, err := strconv.ParseUint(strings.TrimSpace(text), 0, 64)
	if err != nil {
		return 0, errors.New("address must be a number such as 0x401000")
	}
	return n, nil
}

// A breakpointItem is a breakpoint or watchpoint as answers have it.
type breakpointItem struct {
	ID        int         `json:"id"`
	Kind      string      `json:"kind" doc:"breakpoint or watchpoint"`
	Places    []placeItem `json:"places" doc:"Where it is; a line or function may have become several pieces of code"`
	Condition string      `json:"condition,omitempty"`
	OneShot   bool        `json:"one_shot,omitempty"`
	Hits      int         `json:"hits"`
	Hardware  bool        `json:"hardware,omitempty" doc:"Whether the processor does it, without a change of the code"`
	Watched   string      `json:"expression,omitempty" doc:"What is watched"`
	Size      int         `json:"size,omitempty" doc:"How many bytes are watched"`
	Access    string      `json:"access,omitempty" doc:"write or readwrite"`
}

// A placeItem is a place in the program.
type placeItem struct {
	Address  string `json:"address"`
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
}

func newPlaceItem(l symbols.Location) placeItem {
	return placeItem{hexadecimal(l.Addr), l.Function, l.File, l.Line}
}

// where is a place for people.
func (p placeItem) where() string {
	text := p.Address
	if p.Function != "" {
		text += " " + p.Function
	}
	if p.File != "" {
		text += fmt.Sprintf(" %s:%d", p.File, p.Line)
	}
	return plain(text)
}

// marked is the answer of set_breakpoint and set_watchpoint.
type marked struct {
	State      state          `json:"state"`
	Breakpoint breakpointItem `json:"breakpoint"`

	named bool // the place was not given as an address
}

// AuditAddress is that of the first place; there always is one.
func (m marked) AuditAddress() string { return m.Breakpoint.Places[0].Address }

// Text is the documented form; a place that was not given as an address is
// told.
func (m marked) Text() string {
	b := m.Breakpoint
	if b.Kind == "watchpoint" {
		return fmt.Sprintf("Watchpoint %d set at %s (%d bytes, %s)", b.ID, b.Places[0].Address, b.Size, b.Access)
	}
	lines := make([]string, len(b.Places))
	for i, p := range b.Places {
		lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.Address)
		if m.named {
			lines[i] = fmt.Sprintf("Breakpoint %d set at %s", b.ID, p.where())
		}
	}
	return strings.Join(lines, "\n")
}

func (t *controlGroup) setBreakpoint(ctx context.Context, _ *mcp.Call, s *session, args breakpointArgs) (marked, error) {
	places, err := codePlaces(s, ctx, args)
	if err != nil {
		return marked{}, err
	}
	m := &mark{places: places, once: args.OneShot, ignore: max(0, args.HitCount-1), thread: args.Thread}
	if err := s.conditional(ctx, m, args.Condition); err != nil {
		return marked{}, err
	}
	for _, p := range places {
		spec := proc.BreakpointSpec{Address: p.Addr, Once: args.OneShot, Ignore: m.ignore, Thread: args.Thread, Condition: m.holds}
		if err := s.marks.set(m, spec); err != nil {
			return marked{}, err
		}
	}
	if err := s.marks.number(m); err != nil {
		return marked{}, err
	}
	item, err := newBreakpointItem(s.marks, m)
	return marked{State: s.tell(), Breakpoint: item, named: args.Address == ""}, err
}

// codePlaces are the addresses that the arguments mean.
func codePlaces(s *session, ctx context.Context, args breakpointArgs) ([]symbols.Location, error) {
	var found []symbols.Location
	var err error
	switch {
	case args.Address != "":
		addr, _ := parseAddress(args.Address) // Validate has read it
		at := symbols.Location{Addr: addr}
		at.Function, _, _ = s.symbolize(addr)
		at.File, at.Line, _ = s.program.Line(addr)
		return []symbols.Location{at}, nil
	case args.Function != "":
		found, err = s.program.Entry(ctx, args.Function)
	default:
		found, err = s.program.Addresses(ctx, args.File, args.Line)
	}
	switch {
	case errors.Is(err, symbols.ErrNotFound) && args.Function != "":
		return nil, noFunction(s, ctx, args.Function)
	case errors.Is(err, symbols.ErrNotFound):
		return nil, noLine(s, ctx, args.File, args.Line)
	case err != nil:
		return nil, err
	case len(found) > maxPlaces:
		return nil, &breakpointError{fmt.Sprintf("that is %d places; %d is the limit", len(found), maxPlaces)}
	}
	return found, nil
}

// noFunction says that there is no such function, and which there are instead.
func noFunction(s *session, ctx context.Context, name string) error {
	similar, err := s.program.Similar(ctx, name, maxSimilar)
	if err != nil {
		return err
	}
	text := fmt.Sprintf("no function %s is known", name)
	if len(similar) > 0 {
		text += "; there is " + strings.Join(similar, ", ")
	}
	return &breakpointError{text}
}

// noLine says why there is no code for a line.
func noLine(s *session, ctx context.Context, file string, line int) error {
	has, err := s.program.HasFile(ctx, file)
	switch {
	case err != nil:
		return err
	case !has:
		return &breakpointError{fmt.Sprintf("no source file %s is known in the program or its libraries, so no code is known for its line %d", file, line)}
	}
	return &breakpointError{fmt.Sprintf("no code is known for line %d of %s", line, file)}
}

// A markTable has the breakpoints and watchpoints of a session.
type markTable struct {
	on   *debuggee
	byID map[int]*mark
	made int // how many there ever were
}

func newMarkTable(on *debuggee) *markTable { return &markTable{on: on, byID: map[int]*mark{}} }

// set sets one of a mark's places; when that fails, those before are taken out.
func (t *markTable) set(m *mark, spec proc.BreakpointSpec) error {
	if t.on.process == nil {
		return t.settable(spec)
	}
	bp, err := t.on.process.SetBreakpoint(spec)
	if err != nil {
		return errors.Join(err, t.clear(m))
	}
	m.ids = append(m.ids, bp.ID)
	return nil
}

// settable says whether a trace may have a breakpoint somewhere.
func (t *markTable) settable(spec proc.BreakpointSpec) error {
	maps, err := t.on.scene.Maps()
	m, mapped := maps.Find(spec.Address)
	switch {
	case err != nil:
		return err
	case !mapped:
		return &breakpointError{fmt.Sprintf("nothing is mapped at %#x", spec.Address)}
	case spec.Access == proc.Execute && !m.Execute:
		return &breakpointError{fmt.Sprintf("the memory at %#x is not executable", spec.Address)}
	}
	return nil
}

// clear takes a mark's places out.
func (t *markTable) clear(m *mark) error {
	var errs error
	for _, id := range m.ids {
		if err := t.on.process.ClearBreakpoint(id); !errors.Is(err, proc.ErrNoBreakpoint) {
			errs = errors.Join(errs, err)
		}
	}
	delete(t.byID, m.id)
	return errs
}

// number gives a mark the next number. Numbers are never used again.
func (t *markTable) number(m *mark) error {
	if len(t.byID) >= maxMarks {
		return errors.Join(&breakpointError{fmt.Sprintf("there are %d already, which is the limit", maxMarks)}, t.clear(m))
	}
	t.made++
	m.id = t.made
	t.byID[m.id] = m
	return nil
}

// newBreakpointItem is a mark for an answer.
func newBreakpointItem(t *markTable, m *mark) (breakpointItem, error) {
	set, err := t.breakpoints(m)
	if err != nil {
		return breakpointItem{}, err
	}
	b := breakpointItem{ID: m.id, Kind: "breakpoint", Places: []placeItem{}, Condition: m.condition, OneShot: m.once, Hits: m.stepHits, Hardware: len(set) > 0}
	for _, p := range m.places {
		b.Places = append(b.Places, newPlaceItem(p))
	}
	for _, bp := range set {
		b.Hits += bp.Hits
		b.Hardware = b.Hardware && bp.Hardware
	}
	if w := m.watch; w != nil {
		b.Kind, b.Watched, b.Size, b.Access = "watchpoint", w.text, w.size, accessNames[w.access]
	}
	return b, nil
}

// breakpoints are those of the process that a mark has.
func (t *markTable) breakpoints(m *mark) ([]proc.Breakpoint, error) {
	if len(m.ids) == 0 {
		return nil, nil
	}
	all, err := t.on.process.Breakpoints()
	return slices.DeleteFunc(all, func(bp proc.Breakpoint) bool { return !slices.Contains(m.ids, bp.ID) }), err
}

// hits is how often the process came to a mark; steps are not counted.
func (t *markTable) hits(m *mark) (n int, err error) {
	set, err := t.breakpoints(m)
	for _, bp := range set {
		n += bp.Hits
	}
	return n, err
}

// breakpointList is the answer of list_breakpoints.
type breakpointList struct {
	State       state            `json:"state"`
	Breakpoints []breakpointItem `json:"breakpoints"`
}

// Text is a line for each place.
func (l breakpointList) Text() string {
	if len(l.Breakpoints) == 0 {
		return "No breakpoints"
	}
	var b strings.Builder
	b.WriteString("Breakpoints:")
	for _, each := range l.Breakpoints {
		for i, p := range each.Places {
			if i == 0 {
				fmt.Fprintf(&b, "\n%3d  %s at %s", each.ID, each.Kind, p.where())
			} else {
				fmt.Fprintf(&b, "\n     and at %s", p.where())
			}
		}
		b.WriteString(each.details())
	}
	return b.String()
}

// details are what else is to be said of a breakpoint.
func (b breakpointItem) details() string {
	text := ""
	if b.Watched != "" {
		text += ", " + plain(b.Watched)
	}
	if b.Size != 0 {
		text += fmt.Sprintf(", %d bytes, %s", b.Size, b.Access)
	}
	if b.Condition != "" {
		text += ", if " + plain(b.Condition)
	}
	if b.OneShot {
		text += ", once"
	}
	if b.Hits > 0 {
		text += fmt.Sprintf(", hits: %d", b.Hits)
	}
	return text
}

func (t *controlGroup) listBreakpoints(_ context.Context, _ *mcp.Call, s *session, _ onlySession) (breakpointList, error) {
	list := breakpointList{State: s.tell(), Breakpoints: []breakpointItem{}}
	for _, id := range slices.Sorted(maps.Keys(s.marks.byID)) {
		item, err := newBreakpointItem(s.marks, s.marks.byID[id])
		if err != nil {
			return breakpointList{}, err
		}
		list.Breakpoints = append(list.Breakpoints, item)
	}
	return list, nil
}

type clearArgs struct {
	ID int `json:"id" min:"1" doc:"Number of the breakpoint or watchpoint"`
	sessionArg
}

// cleared is the answer of clear_breakpoint.
type cleared struct {
	State state  `json:"state"`
	ID    int    `json:"id"`
	Kind  string `json:"kind"`
}

// Text says what is gone.
func (c cleared) Text() string {
	if c.Kind == "watchpoint" {
		return fmt.Sprintf("Watchpoint %d cleared", c.ID)
	}
	return fmt.Sprintf("Breakpoint %d cleared", c.ID)
}

func (t *controlGroup) clearBreakpoint(_ context.Context, _ *mcp.Call, s *session, args clearArgs) (cleared, error) {
	m := s.marks.byID[args.ID]
	if m == nil {
		return cleared{}, failed("No such breakpoint", "there is no breakpoint or watchpoint %d; debugger/list_breakpoints lists them", args.ID)
	}
	answer := cleared{State: s.tell(), ID: args.ID, Kind: "breakpoint"}
	if m.watch != nil {
		answer.Kind = "watchpoint"
	}
	return answer, s.marks.clear(m)
}

// reachMark notes a stop at a breakpoint and returns the client's number for it,
// 0 if it has none: a mark that is for once is gone, and of a watchpoint the
// notes tell what has changed.
func (s *stepper) reachMark(id int, why proc.Why) int {
	m := s.marks.of(id)
	if m == nil {
		return 0
	}
	if w := m.watch; w != nil {
		s.notes = append(s.notes, s.changed(w, why))
	}
	if m.once {
		_ = s.marks.clear(m) // what is not there any more is no matter
	}
	return m.id
}

// littleEndian is memory as a number.
func littleEndian(b []byte) string {
	if len(b) > maxShown {
		return fmt.Sprintf("%d bytes", len(b))
	}
	b = slices.Clone(b)
	slices.Reverse(b)
	return "0x" + hex.EncodeToString(b)
}
