// Package find searches a small set of texts by the words in them, ranked by
// BM25F: how often a word is in a text counts more where few texts have it,
// and more in a title than in a long body. It is built once and then only read.
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
	// Title weighs most.
	Title string
	// Also are words that people look for it with and that it does not have,
	// one more name of it to a comma.
	Also string
	// Whole is the title of the page that the text is a part of, empty for no
	// part.
	Whole string
	Body  string
}

// The constants of BM25F, in their usual values, and how often a word of each
// part of a text counts.
const (
	saturation  = 1.2
	lengthShare = 0.75
	titleWeight = 6
	alsoWeight  = 6
	wholeWeight = 2
)

// Index is a searchable set of texts.
type Index struct {
	texts    int
	postings map[string][]posting
}

// posting is how much a word weighs in a text.
type posting struct {
	text   int
	weight float64
}

// New makes the index of texts.
func New(texts []Text) *Index {
	bodies, total := make([][]string, len(texts)), 0
	for i, text := range texts {
		bodies[i] = Words(text.Body)
		total += len(bodies[i]) + 1
	}
	x := &Index{texts: len(texts), postings: map[string][]posting{}}
	average := float64(total) / float64(max(1, len(texts)))
	for i, text := range texts {
		weights := map[string]float64{}
		for _, part := range []struct {
			words  []string
			weight float64
		}{
			{Words(text.Title), titleWeight},
			{Words(text.Also), alsoWeight},
			{Words(text.Whole), wholeWeight},
			{bodies[i], 1 / (1 - lengthShare + lengthShare*float64(len(bodies[i])+1)/average)},
		} {
			for _, word := range part.words {
				weights[word] += part.weight
			}
		}
		for word, weight := range weights {
			x.postings[word] = append(x.postings[word], posting{i, weight})
		}
	}
	return x
}

// Search returns the numbers of at most a few texts, the best first. A text
// holds at least one word of the query, and the more of them the better; the
// last may be the beginning of one. Words that every sentence has count only
// where there is no other.
func (x *Index) Search(query string, most int) []int {
	scores, held := map[int]float64{}, map[int]int{}
	words := asked(query)
	for i, word := range words {
		best := map[int]float64{}
		for _, known := range x.known(word, i == len(words)-1) {
			list := x.postings[known]
			rarity := math.Log(1 + (float64(x.texts)-float64(len(list))+0.5)/(float64(len(list))+0.5))
			for _, p := range list {
				best[p.text] = max(best[p.text], rarity*p.weight*(saturation+1)/(p.weight+saturation))
			}
		}
		for text, score := range best {
			scores[text] += score
			held[text]++
		}
	}
	var found []int
	for i := range scores {
		scores[i] *= float64(held[i]) / float64(len(words))
		found = append(found, i)
	}
	slices.SortFunc(found, func(a, b int) int { return cmp.Or(cmp.Compare(scores[b], scores[a]), cmp.Compare(a, b)) })
	return found[:min(most, len(found))]
}

const (
	// prefixLeast is how many letters of a word one has to type.
	prefixLeast = 3
	// rootLeast is how many letters a word has that a longer one is taken for.
	rootLeast = 5
	// maxWords is how many words of a query are looked for: each costs a look at all texts that have it.
	maxWords = 6
)

// known are the words of texts that a word of a query stands for: itself, where
// there is none such the words that begin with it, and where there are none the
// ones that it begins with, such as bankrupt for bankruptcy.
func (x *Index) known(word string, last bool) []string {
	if _, ok := x.postings[word]; ok {
		return []string{word}
	}
	var longer, shorter []string
	for other := range x.postings {
		switch {
		case last && len(word) >= prefixLeast && strings.HasPrefix(other, word):
			longer = append(longer, other)
		case len(other) >= rootLeast && strings.HasPrefix(word, other):
			shorter = append(shorter, other)
		}
	}
	if len(longer) > 0 {
		return longer
	}
	return shorter
}

// common are words that carry no meaning in a query.
//
//nolint:gochecknoglobals // read only
var common = Words("a an and are as at be by can do does did for from get how i if in is it its long me my of on or " +
	"out so that the their them then there this to use was we what when where which who why will with you your")

// asked are the words of a query, each once, without those that are common and
// those that are too many.
func asked(query string) []string {
	var words, rare []string
	for _, word := range Words(query) {
		if !slices.Contains(common, word) {
			rare = with(rare, word)
		} else if len(rare) == 0 {
			words = with(words, word)
		}
		if len(rare) == maxWords {
			break
		}
	}
	if len(rare) > 0 {
		return rare
	}
	return words
}

// with adds a word to a few others.
func with(words []string, word string) []string {
	if len(words) == maxWords || slices.Contains(words, word) {
		return words
	}
	return append(words, word)
}

// Matches returns whether a word of a text is one that a query looks for.
func (x *Index) Matches(query string) func(word string) bool {
	var wanted []string
	words := asked(query)
	for i, word := range words {
		wanted = append(wanted, x.known(word, i == len(words)-1)...)
	}
	return func(word string) bool {
		return slices.ContainsFunc(Words(word), func(part string) bool { return slices.Contains(wanted, part) })
	}
}

// Words splits a text into the words that are compared: small letters, without
// their endings. An identifier is one word, and its parts are words too.
func Words(text string) []string {
	var words []string
	inner := func(r rune) bool { return r == '_' || r == '.' || r == '-' }
	for _, run := range strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !inner(r)
	}) {
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
