package find

import "strings"

// stem takes the endings of plurals and verbs away: retry, retries and retried
// become one word, and so do price, prices and pricing. These are the first and
// the last step of Porter's algorithm ("An algorithm for suffix stripping",
// 1980). Those between make one word of nouns and verbs, which would join too
// much in texts as few as these.
func stem(word string) string {
	word = singular(word)
	if root, ok := strings.CutSuffix(word, "eed"); ok {
		if measure(root) > 0 {
			word = root + "ee"
		}
	} else if root, ok := verb(word); ok {
		word = mended(root)
	}
	if root, ok := strings.CutSuffix(word, "y"); ok && vowels(root) {
		word = root + "i"
	}
	if root, ok := strings.CutSuffix(word, "e"); ok && (measure(root) > 1 || measure(root) == 1 && !short(root)) {
		word = root
	}
	return american(word)
}

// american spells a stem as in America: serialised and serialized, colour and color are the same word.
func american(word string) string {
	for british, ending := range map[string]string{"is": "iz", "isation": "ization"} {
		if root, ok := strings.CutSuffix(word, british); ok {
			return root + ending
		}
	}
	if root, ok := strings.CutSuffix(word, "our"); ok && len(root) > 1 {
		return root + "or"
	}
	return word
}

// singular is step 1a.
func singular(word string) string {
	switch {
	case strings.HasSuffix(word, "sses"), strings.HasSuffix(word, "ies"):
		return word[:len(word)-2]
	case strings.HasSuffix(word, "s") && !strings.HasSuffix(word, "ss") && len(word) > len("its"):
		return word[:len(word)-1]
	}
	return word
}

// verb takes ed or ing away where something with a vowel is left, as step 1b.
func verb(word string) (root string, ok bool) {
	for _, ending := range []string{"ed", "ing"} {
		if root, ok := strings.CutSuffix(word, ending); ok && vowels(root) {
			return root, true
		}
	}
	return word, false
}

// mended is the stem of a verb from its root without an ending: stopp is stop,
// pric is price.
func mended(root string) string {
	last := len(root) - 1
	switch {
	case strings.HasSuffix(root, "at"), strings.HasSuffix(root, "bl"), strings.HasSuffix(root, "iz"):
		return root + "e"
	case last > 0 && root[last] == root[last-1] && !strings.ContainsRune("aeioulsz", rune(root[last])):
		return root[:last]
	case measure(root) == 1 && short(root):
		return root + "e"
	}
	return root
}

// vowel reports whether a letter of a word is one; y is behind a consonant.
func vowel(word string, i int) bool {
	return strings.IndexByte("aeiou", word[i]) >= 0 ||
		word[i] == 'y' && i > 0 && strings.IndexByte("aeiouy", word[i-1]) < 0
}

func vowels(word string) bool {
	for i := range len(word) {
		if vowel(word, i) {
			return true
		}
	}
	return false
}

// measure counts how often consonants follow vowels in a word, which is about
// the number of its syllables.
func measure(word string) int {
	n := 0
	for i := 1; i < len(word); i++ {
		if vowel(word, i-1) && !vowel(word, i) {
			n++
		}
	}
	return n
}

// short reports whether a word ends with a consonant, a vowel and a consonant
// that is none of w, x and y.
func short(word string) bool {
	last := len(word) - 1
	return last > 1 && !vowel(word, last-2) && vowel(word, last-1) && !vowel(word, last) &&
		strings.IndexByte("wxy", word[last]) < 0
}
