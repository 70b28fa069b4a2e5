package ruleset

import (
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"
)

// ProposalLog is the name of the log of a store's proposals. Nothing but moves of labels
// is stored under it: each proposal is a label, and its states are the revisions that the
// label moves to. No ruleset can have the name.
const ProposalLog Name = "_proposals"

const (
	// MaxProposalBytes is the size limit of what one proposal would change.
	MaxProposalBytes = 1 << 20
	// MaxOpenProposals is the number of proposals that may wait for a decision.
	MaxOpenProposals = 1000
)

// A ProposalState is the state of a proposal.
type ProposalState int

// The states. All but Open are final.
const (
	Open ProposalState = iota + 1
	Accepted
	Refused
	Withdrawn
)

// String returns the state as answers show it.
func (s ProposalState) String() string {
	return map[ProposalState]string{Open: "open", Accepted: "accepted", Refused: "refused", Withdrawn: "withdrawn"}[s]
}

// A Proposal is a change that waits for a decision, or waited for one.
type Proposal struct {
	Number int
	At     time.Time
	By     By     // its Message is the reason for the change
	Data   string // the changes, which stores do not read
	State  ProposalState
	Events []ProposalEvent // comments and the decision, oldest first
}

// A ProposalEvent is a comment, or the decision, on a proposal.
type ProposalEvent struct {
	State ProposalState // after it; that of a comment is Open
	At    time.Time
	By    By // its Message is the comment
}

// Decision returns the decision on a proposal; ok is false if it is open.
func (p *Proposal) Decision() (e ProposalEvent, ok bool) {
	if p.State == Open || len(p.Events) == 0 {
		return e, false
	}
	return p.Events[len(p.Events)-1], true
}

// OpenProposal returns the operation that adds a proposal. The store gives it a number.
func OpenProposal(data string, by By) Operation {
	return Operation{Name: ProposalLog, Move: &LabelMove{To: int(Open), By: by, Data: data}}
}

// MoveProposal returns the operation that comments on an open proposal, if the state is
// Open, or decides on it.
func MoveProposal(number int, to ProposalState, by By) Operation {
	return Operation{Name: ProposalLog, Move: &LabelMove{Label: proposalLabel(number), To: int(to), By: by}}
}

func proposalLabel(number int) Label { return Label("p" + strconv.Itoa(number)) }

// ProposalNumber returns the number of the proposal that a label of the [ProposalLog] is,
// 0 if it is none.
func ProposalNumber(label Label) int {
	digits, _ := strings.CutPrefix(string(label), "p")
	n, err := strconv.Atoi(digits)
	if err != nil || proposalLabel(n) != label {
		return 0
	}
	return n
}

// ProposalsOf returns the proposals in the moves of the [ProposalLog], both newest first.
func ProposalsOf(moves []LabelMove) []Proposal {
	var all []Proposal
	at := map[Label]int{}
	for _, m := range slices.Backward(moves) {
		i, known := at[m.Label]
		if !known {
			at[m.Label] = len(all)
			all = append(all, Proposal{Number: ProposalNumber(m.Label), At: m.At, By: m.By, Data: m.Data, State: ProposalState(m.To)})
			continue
		}
		all[i].State = ProposalState(m.To)
		all[i].Events = append(all[i].Events, ProposalEvent{State: ProposalState(m.To), At: m.At, By: m.By})
	}
	slices.Reverse(all)
	return all
}

// A NoProposalError reports a proposal that a store does not have.
type NoProposalError struct{ Number int }

func (e *NoProposalError) Error() string { return fmt.Sprintf("there is no proposal %d", e.Number) }

// A DecidedError reports a proposal that is not open any more.
type DecidedError struct {
	Number int
	State  ProposalState
}

func (e *DecidedError) Error() string {
	return fmt.Sprintf("proposal %d is %s already", e.Number, e.State)
}

// checkProposal completes a move in the [ProposalLog], as [CheckMove] does for labels.
func checkProposal(m LabelMove, moves []LabelMove) (LabelMove, error) {
	states := Labels(moves)
	if m.Label != "" {
		m.From = states[m.Label]
		switch state := ProposalState(m.From); {
		case state == 0:
			return m, &NoProposalError{Number: ProposalNumber(m.Label)}
		case state != Open:
			return m, &DecidedError{Number: ProposalNumber(m.Label), State: state}
		}
		return m, nil
	}
	if len(m.Data) > MaxProposalBytes {
		return m, fmt.Errorf("the proposal has %d bytes; at most %d are kept", len(m.Data), MaxProposalBytes)
	}
	last, open := 0, 0
	for label, state := range states {
		last = max(last, ProposalNumber(label))
		if ProposalState(state) == Open {
			open++
		}
	}
	if open >= MaxOpenProposals {
		return m, fmt.Errorf("%d proposals are open; decide on some of them first", open)
	}
	m.Label = proposalLabel(last + 1)
	return m, nil
}

// errOnlyMoves rejects an operation that is not of [OpenProposal] or [MoveProposal].
var errOnlyMoves = errors.New("the log of proposals has no text")
