package fulltext

import (
	"math"
	"slices"
	"strings"
)

const (
	k1 = 1.2
	b  = 0.75
	// minPrefix is the length from which the beginning of a word stands for it.
	minPrefix = 3
	// maxExpansions limits the words that a beginning stands for.
	maxExpansions = 64
	// maxTerms limits the words of a query.
	maxTerms = 64
)

// Terms returns the stems of the words of a query, each once.
func Terms(query string) []string {
	var terms []string
	Words(query, func(w Word) bool {
		if stem := Stem(w.Text); !slices.Contains(terms, stem) {
			terms = append(terms, stem)
		}
		return len(terms) < maxTerms
	})
	return terms
}

// Search calls see for each document that has a word of the query, in no order. see must
// not change the index.
func (x *Index[K]) Search(query string, see func(key K, score float32)) {
	terms := Terms(query)
	x.mu.RLock()
	defer x.mu.RUnlock()
	scores := x.scoresLocked()
	defer x.scores.Put(scores)
	for _, term := range terms {
		x.scoreLocked(*scores, x.expandLocked(term))
	}
	for id, score := range *scores {
		if d := &x.docs[id]; score > 0 && d.length >= 0 {
			see(d.key, score)
		}
	}
}

// scoresLocked returns a score of 0 for each id, in memory of an earlier search if
// possible.
func (x *Index[K]) scoresLocked() *[]float32 {
	scores, _ := x.scores.Get().(*[]float32)
	if scores == nil || cap(*scores) < len(x.docs) {
		scores = new([]float32)
		*scores = make([]float32, len(x.docs))
		return scores
	}
	*scores = (*scores)[:len(x.docs)]
	clear(*scores)
	return scores
}

// expandLocked returns the postings of a term, or those of the terms that begin with
// it if there are none.
func (x *Index[K]) expandLocked(term string) []*postings {
	if p := x.terms[term]; p != nil {
		return []*postings{p}
	}
	if len(term) < minPrefix {
		return nil
	}
	var words []string
	for word := range x.terms {
		if strings.HasPrefix(word, term) {
			words = append(words, word)
		}
	}
	slices.Sort(words) // the same ones each time
	var all []*postings
	for _, word := range words[:min(len(words), maxExpansions)] {
		all = append(all, x.terms[word])
	}
	return all
}

// scoreLocked adds the scores of one term, which may be several words.
func (x *Index[K]) scoreLocked(scores []float32, all []*postings) {
	found := 0
	for _, p := range all {
		found += int(p.n)
	}
	if found == 0 {
		return
	}
	weight := idf(len(x.docs), min(found, len(x.docs)))
	average := float64(x.total) / float64(max(len(x.ids), 1))
	for _, p := range all {
		p.each(func(id uint32, count int) {
			if length := x.docs[id].length; length >= 0 {
				scores[id] += float32(weight * saturation(float64(count), float64(length)/average))
			}
		})
	}
}

// idf is the weight of a term that n of all documents have.
func idf(all, n int) float64 {
	return math.Log(1 + (float64(all)-float64(n)+0.5)/(float64(n)+0.5))
}

// saturation is the weight of a count in a document of a length relative to the
// average.
func saturation(count, length float64) float64 {
	return count * (k1 + 1) / (count + k1*(1-b+b*length))
}
