package mcp

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

// Page is one place of the docs.
type Page struct {
	Title string `json:"title"`
	URL   string `json:"url"`
	Text  string `json:"text"`
}

// Weights of BM25: how soon more of a word counts no more, and how much longer
// pages are held back.
const (
	saturation = 1.2
	lengthBias = 0.75
	// titleWeight is how many times a word of a title counts.
	titleWeight = 3
)

// index finds texts by words.
type index struct {
	// words are how often each word stands in each text, in the order of the
	// texts; lengths are how many words each has.
	words   []map[string]float64
	lengths []float64
	// holders is in how many texts each word stands.
	holders map[string]float64
	mean    float64
}

func newIndex() *index { return &index{holders: map[string]float64{}} }

// add takes up the next text.
func (x *index) add(title, body string) {
	counts, length := map[string]float64{}, 0.0
	for part, weight := range map[string]float64{title: titleWeight, body: 1} {
		for _, word := range split(part) {
			counts[word] += weight
			length += weight
		}
	}
	for word := range counts {
		x.holders[word]++
	}
	n := float64(len(x.words))
	x.mean = (x.mean*n + length) / (n + 1)
	x.words, x.lengths = append(x.words, counts), append(x.lengths, length)
}

// search returns the texts that fit a query, the best first, at most so many.
func (x *index) search(query string, most int) []int {
	type hit struct {
		text  int
		score float64
	}
	var hits []hit
	wanted := slices.Compact(slices.Sorted(slices.Values(split(query))))
	for i, counts := range x.words {
		score := 0.0
		for _, word := range wanted {
			score += x.score(counts[word], word, x.lengths[i])
		}
		if score > 0 {
			hits = append(hits, hit{i, score})
		}
	}
	slices.SortStableFunc(hits, func(a, b hit) int { return cmp.Compare(b.score, a.score) })
	found := []int{}
	for _, h := range hits[:min(most, len(hits))] {
		found = append(found, h.text)
	}
	return found
}

// score is what a word says for a text in which it stands so often.
func (x *index) score(count float64, word string, length float64) float64 {
	if count == 0 {
		return 0
	}
	rarity := math.Log(1 + (float64(len(x.words))-x.holders[word]+0.5)/(x.holders[word]+0.5))
	return rarity * count * (saturation + 1) / (count + saturation*(1-lengthBias+lengthBias*length/x.mean))
}

// split returns the words of a text in one form: small letters, and no s at the
// end of longer ones.
func split(text string) []string {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	const short = 3
	for i, word := range words {
		if len(word) > short {
			words[i] = strings.TrimSuffix(word, "s")
		}
	}
	return words
}
