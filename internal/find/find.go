// Package find searches a small set of texts by the words in them, ranked by
// BM25. It is built once and then only read.
package find

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Text is something that can be found.
type Text struct {
	// Title weighs more than Body.
	Title, Body string
}

// The constants of BM25, in their usual values, and how often a title counts.
const (
	saturation  = 1.2
	lengthShare = 0.75
	titleWeight = 6
)

// Index is what is searched.
type Index struct {
	lengths  []float64
	average  float64
	postings map[string][]posting
}

// posting is how often a word stands in a text.
type posting struct {
	text  int
	count float64
}

// New makes the index of texts.
func New(texts []Text) *Index {
	x := &Index{lengths: make([]float64, len(texts)), postings: map[string][]posting{}}
	total := 0.0
	for i, text := range texts {
		counts := map[string]float64{}
		for _, word := range Words(text.Title) {
			counts[word] += titleWeight
		}
		body := Words(text.Body)
		for _, word := range body {
			counts[word]++
		}
		x.lengths[i] = float64(len(body)) + 1
		total += x.lengths[i]
		for word, count := range counts {
			x.postings[word] = append(x.postings[word], posting{i, count})
		}
	}
	x.average = total / max(1, float64(len(texts)))
	return x
}

// Search returns the numbers of at most a few texts, the best first. A text
// holds at least one word of the query; the last may be the beginning of one.
func (x *Index) Search(query string, most int) []int {
	scores := map[int]float64{}
	words := Words(query)
	for i, word := range words {
		for _, list := range x.lists(word, i == len(words)-1) {
			rarity := math.Log(1 + (float64(len(x.lengths))-float64(len(list))+0.5)/(float64(len(list))+0.5))
			for _, p := range list {
				scores[p.text] += rarity * p.count * (saturation + 1) / (p.count + saturation*(1-lengthShare+lengthShare*x.lengths[p.text]/x.average))
			}
		}
	}
	var found []int
	for i := range scores {
		found = append(found, i)
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return found[:min(most, len(found))]
}

// prefixLeast is how many letters of a word one has to type.
const prefixLeast = 3

// lists are the postings of a word, or of the words that begin with it where
// there is no such word.
func (x *Index) lists(word string, last bool) [][]posting {
	if list, ok := x.postings[word]; ok {
		return [][]posting{list}
	}
	var lists [][]posting
	if last && len(word) >= prefixLeast {
		for other, list := range x.postings {
			if strings.HasPrefix(other, word) {
				lists = append(lists, list)
			}
		}
		slices.SortFunc(lists, func(a, b []posting) int { return len(a) - len(b) })
	}
	return lists
}

// Words splits a text into the words that are compared: small letters, without
// the s of a plural. An identifier is one word, and its parts are words too.
func Words(text string) []string {
	var words []string
	inner := func(r rune) bool { return r == '_' || r == '.' || r == '-' }
	for _, run := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !inner(r) }) {
		run = strings.TrimFunc(run, inner)
		parts := strings.FieldsFunc(run, inner)
		if len(parts) > 1 {
			words = append(words, run)
		}
		for _, part := range parts {
			words = append(words, stem(part))
		}
	}
	return words
}

// stem takes the s of a plural away, and the es behind ss.
func stem(word string) string {
	if strings.HasSuffix(word, "sses") {
		return strings.TrimSuffix(word, "es")
	}
	if len(word) > 3 && strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") {
		return word[:len(word)-1]
	}
	return word
}
