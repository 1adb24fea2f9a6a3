package config_test

import (
	"os"
	"testing"

	"platen/internal/config"
)

// Not parallel: it changes the environment and the working directory.
func TestASecretIsFoundInItsPlacesInOrder(t *testing.T) {
	t.Chdir(t.TempDir())
	const name = "PLATEN_TEST_KEY"
	want := func(flag, value string) {
		t.Helper()
		if got, err := config.Secret(flag, name); got != value || err != nil {
			t.Errorf("found %q, %v, want %q", got, err, value)
		}
	}
	want("", "")
	for text, value := range map[string]string{
		"# keys\nOTHER=1\nPLATEN_TEST_KEY=lab_off_1\n": "lab_off_1",
		"export PLATEN_TEST_KEY = \"lab_off_2=\"\r\n":  "lab_off_2=",
		"PLATEN_TEST_KEY='x'":                          "x",
		"\ufeffPLATEN_TEST_KEY=first":                  "first",
		"PLATEN_TEST_KEY=noted # of Monday":            "noted",
		"PLATEN_TEST_KEY=a#b\t#note":                   "a#b",
		"PLATEN_TEST_KEY='x # y' # a note":             "x # y",
		"PLATEN_TEST_KEY=\"x\"#y":                      "\"x\"#y",
		"PLATEN_TEST_KEY= # none":                      "",
		"PLATEN_TEST_KEY=":                             "",
		"PLATEN_TEST_KEY2=x\nPLATEN_TEST_KEY":          "",
	} {
		if err := os.WriteFile(config.DotEnv, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		want("", value)
	}
	t.Setenv(name, "from the environment")
	want("", "from the environment")
	want("from the flag", "from the flag")
}
