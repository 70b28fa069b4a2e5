package keys

import (
	"context"
	"slices"
	"strings"
)

// Names returns the names that people gave the keys with these ids. Ids that are of no key
// and keys without a name are left out, and all if the store cannot be read: readers then see
// ids.
func Names(ctx context.Context, store Store, ids []string) map[string]string {
	ids = slices.DeleteFunc(slices.Clone(ids), func(id string) bool { return !strings.HasPrefix(id, IDPrefix) })
	if len(ids) == 0 {
		return nil
	}
	records, err := store.GetAll(ctx, ids)
	if err != nil {
		return nil
	}
	names := map[string]string{}
	for i := range records {
		if records[i].Name != "" {
			names[records[i].ID] = records[i].Name
		}
	}
	return names
}

// IDsOf returns the ids that a word stands for: those of the keys with this name, else the
// word, which is an id then.
func IDsOf(ctx context.Context, store Store, word string) ([]string, error) {
	if strings.HasPrefix(word, IDPrefix) {
		return []string{word}, nil
	}
	records, err := store.List(ctx)
	if err != nil {
		return nil, err
	}
	var ids []string
	for i := range records {
		if records[i].Name == word {
			ids = append(ids, records[i].ID)
		}
	}
	if len(ids) == 0 {
		ids = []string{word}
	}
	return ids, nil
}
