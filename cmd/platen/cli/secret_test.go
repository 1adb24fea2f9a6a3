package cli_test

import (
	"strings"
	"testing"

	"platen/cmd/platen/cli"
)

func TestErrorsNameArgumentsWithoutTheirSecrets(t *testing.T) {
	t.Parallel()
	key := strings.Repeat("geheim_-", 6)[:43]
	for text, want := range map[string]string{
		`platen serve takes no argument "postgres://u:geheim@h:1/p"; see --help`: `platen serve takes no argument ` +
			`"postgres://…@h:1/p"; see --help`,
		"from postgres://u:geh@ei/m geheim@h/p: no such file": "from postgres://…@h/p: no such file",
		"stat /data/postgres:/u:geheim@h: gone":               "stat /data/postgres:/…@h: gone",
		`not "https://geheim@host/hook"`:                      `not "https://…@host/hook"`,
		"postgres://h/p?Password=geheim&sslmode=require":      "postgres://h/p?Password=…&sslmode=require",
		`"lab_off_` + key + `" and lab_fac_` + key:            `"lab_off_…" and lab_fac_…`,
		"whsec_" + key: "whsec_…",
	} {
		got := cli.WithoutSecrets(text)
		if got != want || strings.Contains(got, "geheim") {
			t.Errorf("%q is shown as %q, want %q", text, got, want)
		}
	}
	for _, text := range []string{
		"http://127.0.0.1:8080/v1 does not respond", "a key begins with lab_off_, lab_fac_ or lab_grd_ and has 51",
		"back up data/a@b.db to c:d@e.db: the secret key= is elsewhere",
	} {
		if got := cli.WithoutSecrets(text); got != text {
			t.Errorf("%q is shown as %q", text, got)
		}
	}
}
