package aoc

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"time"

	"github.com/triptych-mcp/triptych/mcp/atomicfile"
)

// ErrChanged is returned by [Book.Change] if the entry has changed or moved
// meanwhile.
var ErrChanged = errors.New("the record was changed or moved meanwhile: list the records again")

// Change corrects or deletes an entry: index counts the entries of a day as
// [Book.Speeds] returns them, was is the entry expected there, and becomes replaces
// it; nil deletes it. The file keeps the old entry in its member history.
func (b *Book) Change(ctx context.Context, day Day, index int, was Speed, becomes *Speed, now time.Time) error {
	unlock, err := b.lockForChange(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	file, err := b.readSpeeds(day)
	if err != nil {
		return err
	}
	if index < 0 || index >= len(file.entries) || !sameSpeed(file.entries[index].Speed, was) {
		return ErrChanged
	}
	old := file.entries[index]
	if becomes == nil {
		file.entries = slices.Delete(file.entries, index, index+1)
	} else {
		kept := slices.DeleteFunc(slices.Clone(old.extra), func(m member) bool {
			return slices.ContainsFunc(Details{}.names(), func(name string) bool { return name == m.name })
		})
		file.entries[index] = entry{*becomes, append(becomes.Details.members(), kept...)}
	}
	file.addHistory(old, becomes == nil, now)
	return b.writeSpeeds(day, file)
}

func sameSpeed(a, b Speed) bool {
	return a.LLM == b.LLM && a.Phase == b.Phase && a.SpeedMS == b.SpeedMS && a.Timestamp.Equal(b.Timestamp)
}

// historyName is the member of a file that holds replaced and deleted entries.
const historyName = "history"

// addHistory adds an old entry to the file's history. If the member of that name
// is not a list, it belongs to another program and remains unchanged.
func (f *speedFile) addHistory(old entry, deleted bool, now time.Time) {
	action := "changed"
	if deleted {
		action = "deleted"
	}
	record := object([]member{
		{"at", plainJSON(now.UTC().Format(stampLayout))}, {"action", plainJSON(action)}, {"entry", old.json()},
	})
	for i, m := range f.extra {
		var list []json.RawMessage
		if m.name != historyName || json.Unmarshal(m.value, &list) != nil {
			continue
		}
		f.extra[i].value = plainJSON(append(list, record))
		return
	}
	f.extra = append(f.extra, member{historyName, plainJSON([]json.RawMessage{record})})
}

// names returns the names of the details' members.
func (Details) names() []string {
	return []string{"kind", "correct", "attempts", "language", "tokensIn", "tokensOut", "costUsd", "notes", "timedMs", "cpuMs", "peakBytes"}
}

// aliasFile is the file of a book that maps other names of models to canonical
// ones.
func (b *Book) aliasFile() string { return filepath.Join(b.root(), "aliases.json") }

// Aliases returns the canonical names of models by their other names.
func (b *Book) Aliases() (map[string]string, error) {
	data, err := readFile(b.aliasFile())
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	aliases := map[string]string{}
	if err == nil {
		err = json.Unmarshal(data, &aliases)
	}
	if err != nil {
		return nil, fmt.Errorf("aliases.json cannot be read: %w", err)
	}
	return aliases, nil
}

// SetAlias makes alias another name of a model; "" as name removes the alias.
func (b *Book) SetAlias(ctx context.Context, alias, name string) error {
	for _, text := range []string{alias, name} {
		if err := checkName(text); err != nil && text != "" {
			return err
		}
	}
	if alias == "" || alias == name {
		return errors.New("an alias is another name of a model")
	}
	unlock, err := b.lockForChange(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	aliases, err := b.Aliases()
	if err != nil {
		return err
	}
	if aliases == nil {
		aliases = map[string]string{}
	}
	if aliases[alias] = name; name == "" {
		delete(aliases, alias)
	}
	data, err := json.MarshalIndent(aliases, "", "  ")
	if err != nil {
		return err
	}
	return withoutFolder(atomicfile.Write(b.aliasFile(), append(data, '\n'), 0o644))
}
