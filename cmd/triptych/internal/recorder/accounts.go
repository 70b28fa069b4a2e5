package recorder

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"time"

	"github.com/triptych-mcp/triptych/debugger"
	"github.com/triptych-mcp/triptych/mcp/host"
	"github.com/triptych-mcp/triptych/transport/audit"
	"github.com/triptych-mcp/triptych/transport/bearer"
	"github.com/triptych-mcp/triptych/transport/quota"
)

// Accounts show the debugger's tools the standing of keys and what they have used.
type Accounts struct {
	Meter quota.Meter
	Now   func() time.Time
}

// Account implements debugger.Accounts. The caller has just been authenticated, so
// the key works.
func (a *Accounts) Account(ctx context.Context, p host.Principal) (debugger.Account, error) {
	standing, ok := bearer.StandingOf(p)
	if !ok {
		return debugger.Account{}, fmt.Errorf("nothing is known of %s", p.ID)
	}
	usage, err := a.Meter.Peek(ctx, p.ID, standing.Limits, a.Now())
	if err != nil {
		return debugger.Account{}, fmt.Errorf("looking up what was used: %w", err)
	}
	account := debugger.Account{
		Plan: standing.Plan.Title(), Status: "Active", From: usage.Month.Reset.AddDate(0, -1, 0), To: usage.Month.Reset,
		Used: usage.Month.Used, Limit: usage.Month.Limit, Expires: standing.Expires,
	}
	if usage.Month.Unlimited() {
		account.Limit = -1
	}
	return account, nil
}

// LendTo gives the debugger the trail and the accounts, nil for those of a local user.
func (r *Recorder) LendTo(config *debugger.Config, all *Accounts) {
	if r.trail != nil {
		config.Trail = trail{r}
		config.Connected = r.recordConnection
	}
	if all != nil {
		config.Accounts = all
		config.Live.Remote = true
	}
}

// trail shows the debugger's tools the audit trail.
type trail struct{ r *Recorder }

// Records implements debugger.Trail. What was recorded so far is kept first.
func (t trail) Records(ctx context.Context, f debugger.AuditFilter) iter.Seq2[debugger.AuditRecord, error] {
	return func(yield func(debugger.AuditRecord, error) bool) {
		if err := errors.Join(t.r.release(), t.r.Commit(ctx)); err != nil {
			yield(debugger.AuditRecord{}, err)
			return
		}
		filter := audit.Filter{From: f.From, To: f.To, Session: f.Session, Key: f.Key}
		for r, err := range t.r.trail.Query(ctx, filter) {
			if _, tampered := errors.AsType[*audit.BreakError](err); tampered {
				continue // Verify tells of it
			}
			if !yield(debugger.AuditRecord{
				Time: r.Time, Key: r.Key, Addr: r.Addr, Session: r.Session, Method: r.Method, Target: r.Target,
				Outcome: string(r.Outcome), Code: r.Code, Reason: r.Reason, Details: r.Details,
			}, err) || err != nil {
				return
			}
		}
	}
}

// minCheckpoint is the number of records before a checkpoint from which on it is used: a
// short trail is verified as a whole each time.
const minCheckpoint = 5000

// Verify implements debugger.Trail. A long chain is verified from where the last
// verification ended.
func (t trail) Verify(ctx context.Context) (debugger.Proof, error) {
	report, err := t.r.Verify(ctx)
	if err != nil {
		return debugger.Proof{}, err
	}
	proof := debugger.Proof{Hash: report.Hash()}
	for i := range report.Chains {
		if broken := report.Chains[i].Broken; broken != nil {
			return debugger.Proof{Broken: broken.Error()}, nil
		}
		proof.Unsigned += report.Chains[i].Unsigned
	}
	return proof, nil
}

// Verify verifies the trail from the checkpoints on that this server or the one before it
// has reached.
func (r *Recorder) Verify(ctx context.Context) (audit.Report, error) {
	r.verifying.Lock()
	defer r.verifying.Unlock()
	if r.verified == nil {
		r.verified = audit.Checkpoints{}
		if saved, err := audit.LoadCheckpoints(r.checkpoints); err == nil { // else from the beginning
			r.verified = saved
		}
	}
	from := r.verified.Covering(minCheckpoint)
	report, err := r.trail.VerifyFrom(ctx, from)
	if err != nil || report.Err() != nil {
		return report, err
	}
	r.verified = report.Checkpoints()
	for chain, next := range r.verified.Covering(minCheckpoint) {
		if next.Records() >= from[chain].Records()+minCheckpoint {
			_ = r.verified.Save(r.checkpoints) // the next server verifies more
			break
		}
	}
	return report, nil
}
