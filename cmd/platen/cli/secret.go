package cli

import "regexp"

// secrets find passwords and keys in what a user has written: the user and the password of a URL, however they are
// read; parameters that hold one; and the keys and the signing secrets of sandboxes.
//
//nolint:gochecknoglobals // read only
var secrets = []*regexp.Regexp{
	regexp.MustCompile(`([A-Za-z][A-Za-z0-9+.-]*:/+)[^\n]*(@)`),
	regexp.MustCompile(`(?i)((?:password|passwd|secret|token|key)=)[^\s&"']+()`),
	regexp.MustCompile(`(lab_[a-z]{3}_|whsec_)[\w+/=-]{16,}()`),
}

// WithoutSecrets is an error's text for a terminal, which a log may keep: it names the argument that was wrong, without
// the password or the key in it.
func WithoutSecrets(text string) string {
	for _, secret := range secrets {
		text = secret.ReplaceAllString(text, "${1}…${2}")
	}
	return text
}
