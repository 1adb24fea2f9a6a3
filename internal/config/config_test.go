package config_test

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"platen/internal/config"
)

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	if err := config.Default().Check(); err != nil {
		t.Error(err)
	}
}

func TestEveryFieldIsWhole(t *testing.T) {
	t.Parallel()
	names, targets := map[string]bool{}, map[any]bool{}
	for _, f := range config.Default().Fields() {
		if !regexp.MustCompile(`^[a-z][a-z0-9]*(-[a-z]+)*$`).MatchString(f.Name) || names[f.Name] {
			t.Errorf("the name %q is odd or there twice", f.Name)
		}
		if !strings.HasSuffix(f.Doc, ".") || strings.ToUpper(f.Doc[:1]) != f.Doc[:1] &&
			!strings.HasPrefix(f.Doc, "redis://") && f.Name != "log-format" && f.Name != "log-level" {
			t.Errorf("%s is described as %q, which is no sentence", f.Name, f.Doc)
		}
		if targets[f.Target] {
			t.Errorf("%s shares its target with another setting", f.Name)
		}
		names[f.Name], targets[f.Target] = true, true
		if want := "PLATEN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_")); f.Variable() != want {
			t.Errorf("the variable of %s is %s", f.Name, f.Variable())
		}
	}
}

func TestFileTakesEachKindOfValue(t *testing.T) {
	t.Parallel()
	c := config.Default()
	err := c.File([]byte(`{"listen": "[::1]:80", "max-sandboxes": 7, "key-rate": "8", "grace": "90s", ` +
		`"private-webhooks": true, "trusted-proxy": ["10.0.0.0/8", "::1/128"]}`))
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintln(c.Listen, c.MaxSandboxes, c.KeyRate, c.Grace, c.PrivateWebhooks, c.TrustedProxy)
	if want := "[::1]:80 7 8 1m30s true [10.0.0.0/8 ::1/128]\n"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
}

func TestFileIsRefused(t *testing.T) {
	t.Parallel()
	for file, want := range map[string]string{
		``:                                   "read configuration file",
		`[]`:                                 "read configuration file",
		`{"listen": "a:1", "listen": "b:2"}`: "read configuration file",
		`{"nope": 1}`:                        `there is no setting called "nope"`,
		`{"Listen": "a:1"}`:                  `there is no setting called "Listen"`,
		`{"max-sandboxes": 1.5}`:             `max-sandboxes cannot be "1.5"`,
		`{"max-sandboxes": null}`:            `max-sandboxes cannot be null`,
		`{"max-sandboxes": 99999999999999999999}`: `max-sandboxes cannot be`,
		`{"private-webhooks": "yes"}`:             `private-webhooks cannot be "yes"`,
		`{"grace": 60}`:                           `grace cannot be "60"`,
	} {
		if err := config.Default().File([]byte(file)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %s", file, err, want)
		}
	}
}

func TestEveryImpossibleValueIsNamed(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"listen": "nonsense", "public-url": "ftp://sandbox.example", "database": "", "trusted-proxy": "10.0.0.0",
		"ops-listen": "nonsense", "connections": "0", "ip-connections": "-1",
		"max-sandboxes": "0", "queue-length": "-1", "ip-active": "-1", "ip-creations": "-1", "key-rate": "-1",
		"key-burst": "-1", "ip-rate": "-1", "anonymous-rate": "-1", "page-rate": "1000001",
		"ipv4-block": "33", "ipv6-block": "0", "block-factor": "-1",
		"pow-difficulty": "33", "secret-key": "short",
		"sandbox-duration": "999ms", "extension": "0s", "extension-window": "0s", "claim-window": "0s",
		"grace": "-1s", "cooldown": "-1s", "ban": "-1ms", "ipv4-prefix": "33", "ipv6-prefix": "0",
		"log-format": "xml", "log-level": "loud",
	} {
		c := config.Default()
		if err := settingOf(t, c, name).Set(text); err != nil {
			t.Errorf("%s cannot even be set: %v", name, err)
		}
		err := c.Check()
		if err == nil || !strings.HasPrefix(err.Error(), name+" must") || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s as %q: got %v, want one line about it", name, text, err)
		}
	}
}

func TestPublicURLsAreOriginsWithoutPasswords(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"https://sandbox.example": "", "https://sandbox.example/, http://platen:8080": "", "http://[::1]:80": "",
		"": "", "https://sandbox.example,": `not ""`, "https://sandbox.example,platen": `not "platen"`,
		"https://sandbox.example?a": "such as", "https://sandbox.example#a": "such as", "https://:80": "such as",
		"https://sandbox.example/a": "such as", "https://u:geheim@sandbox.example": "must not have a user",
		"https://sandbox.example,https://geheim@platen": "must not have a user",
		"ftp://u:geheim@x": "must not have a user", "u:geheim@x": "must not have a user",
		"https://u:ge%zzheim@x": "must not have a user", "https://u:geheim@x@y": "must not have a user",
	} {
		c := config.Default()
		if err := settingOf(t, c, "public-url").Set(text); err != nil {
			t.Fatal(err)
		}
		err := c.Check()
		if (err == nil) != (want == "") || err != nil && !strings.Contains(err.Error(), want) ||
			err != nil && strings.Contains(err.Error(), "heim") {
			t.Errorf("%q: got %v, want %q", text, err, want)
		}
	}
}

// settingOf is the setting of a name.
func settingOf(t *testing.T, c *config.Config, name string) config.Field {
	t.Helper()
	for _, f := range c.Fields() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no setting called %s", name)
	return config.Field{}
}

func TestPostgreSQLWantsASecretKey(t *testing.T) {
	t.Parallel()
	c := config.Default()
	for _, database := range []string{"postgres://localhost/platen", "postgresql://localhost/platen"} {
		c.Database, c.SecretKey = database, ""
		if err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), "secret-key must be set") ||
			strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: got %v", database, err)
		}
		if c.SecretKey = strings.Repeat("k", config.SecretLeast); c.Check() != nil {
			t.Errorf("%s with a key: %v", database, c.Check())
		}
	}
	c.SecretKey = strings.Repeat("k", config.SecretLeast-1)
	if err := c.Check(); err == nil || !strings.HasPrefix(err.Error(), "secret-key must have at least") {
		t.Errorf("a short key: %v", err)
	}
}

func TestCheckNamesAllMistakesAtOnceInOrder(t *testing.T) {
	t.Parallel()
	c := config.Default()
	c.Listen, c.MaxSandboxes, c.KeyRate, c.Grace = "x", 0, -1, -time.Second
	want := "grace must not be negative, not -1s\nkey-rate must not be negative, not -1\n" +
		"listen must be an address such as 127.0.0.1:8080, not \"x\"\nmax-sandboxes must be at least 1, not 0"
	for range 10 { // the checks go over maps
		if err := c.Check(); err == nil || err.Error() != want {
			t.Fatalf("got\n%v\nwant\n%s", err, want)
		}
	}
}

func TestEnvironmentSetsWhatItNames(t *testing.T) {
	t.Setenv("PLATEN_MAX_SANDBOXES", "12")
	t.Setenv("PLATEN_GRACE", "soon")
	t.Setenv("PLATEN_KEY_RATE", "")
	c := config.Default()
	err := c.Environment()
	if err == nil || !strings.Contains(err.Error(), `PLATEN_GRACE: grace cannot be "soon"`) ||
		!strings.Contains(err.Error(), `PLATEN_KEY_RATE: key-rate cannot be ""`) {
		t.Errorf("got %v", err)
	}
	if c.MaxSandboxes != 12 {
		t.Errorf("max-sandboxes is %d", c.MaxSandboxes)
	}
}

// TestADatabaseIsNamedWithoutItsPassword, and without whatever else an address
// may hold.
func TestADatabaseIsNamedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for database, want := range map[string]string{
		"data/platen.db": "data/platen.db",
		"postgres://platen:hunter2secret@db.example:5432/platen?sslmode=require&password=hunter2secret": "PostgreSQL " +
			"db.example:5432/platen",
		"postgresql:///platen?host=/run/postgresql&password=hunter2secret": "PostgreSQL /platen",
		"postgres://platen:hunter2secret@[db/platen":                       "PostgreSQL",
	} {
		c := config.Default()
		c.Database = database
		if got := c.Place(); got != want {
			t.Errorf("%s is shown as %q, want %q", database, got, want)
		}
	}
}

// TestAProfileIsATableOfSettings: each row changes one setting, and nothing else changes.
func TestAURLThatCanBeReadInTwoWaysIsRefusedWithoutItsText(t *testing.T) {
	t.Parallel()
	for rest, refused := range map[string]bool{
		"u:geh@heim@h:1/p": true, "u:geh/heim@h/p": true, "u:ge@h/heim@h/p": true, "u:12?heim@h/p": true,
		"u:12#heim@h/p": true, "heim@u@h/p": true, "u:heim@h/p#heim": true, "h/p?user=heim@h": true,
		"u:heim@h/a@heim": true, "u@h/p?password=heim@": true,
		"u:heim@h:1/0": false, "u:h%40heim@h/0": false, "u:%2F%3F%23heim@[::1]:1/0": false, "h/0": false, "@h/0": false,
		"u:he:im@h,h2:1/0": false, "/0?host=/run": false, "": false,
	} {
		for _, c := range []config.Config{
			{Database: "postgres://" + rest}, {Database: "PostgreSQL://" + rest}, {Valkey: "redis://" + rest},
			{Valkey: "rediss://" + rest}, {Valkey: "valkey://" + rest},
		} {
			whole := *config.Default()
			whole.Valkey, whole.SecretKey = c.Valkey, strings.Repeat("k", config.SecretLeast)
			if c.Database != "" {
				whole.Database = c.Database
			}
			err := whole.Check()
			if refused != (err != nil) || err != nil && (strings.Contains(err.Error(), "heim") ||
				!strings.Contains(err.Error(), "encode @ as %40")) {
				t.Errorf("%s%s: got %v, refused should be %t", c.Database, c.Valkey, err, refused)
			}
		}
	}
	c := config.Default()
	if c.Valkey = "unix:///run/valkey@1.sock"; c.Check() != nil {
		t.Errorf("a socket is refused: %v", c.Check())
	}
}

func TestADatabaseOfAnotherKindIsRefusedWithoutItsPassword(t *testing.T) {
	t.Parallel()
	for database, names := range map[string]string{
		"postgress://u:secretpw@h/db":              "postgress:",
		"postgresql+psycopg2://u:secretpw@h/db":    "postgresql+psycopg2:",
		"jdbc:postgresql://h/db?password=secretpw": "jdbc:",
		"mysql://u:secretpw@h/db":                  "mysql:",
		"sqlite:///data/platen.db":                 "sqlite:",
		"sqlite:platen.db":                         "sqlite:",
		"file:x.db?mode=memory":                    "file:",
		"postgres:/u:secretpw@h/db":                "without //",
		"Postgres:u:secretpw@h/db":                 "without //",
		"postgres//u:secretpw@h/db":                "part of a URL",
		"//u:secretpw@h/db":                        "part of a URL",
		":memory:":                                 "in memory",
		"u:secretpw@h/db":                          "end of a URL",
		"u:secretpw@h":                             "end of a URL",
		"host=h dbname=d password=secretpw":        "host=…",
		"password = secretpw host=h":               "password =…",
		"~/platen.db":                              "begins with ~",
		"":                                         "must not be empty",
	} {
		c := config.Default()
		c.Database, c.SecretKey = database, strings.Repeat("k", 40)
		err := c.Check()
		if err == nil || !strings.Contains(err.Error(), names) || strings.Contains(err.Error(), "secretpw") {
			t.Errorf("%q is refused with %v, want %q and no password", database, err, names)
		}
	}
	for _, database := range []string{
		"data/platen.db", "/data/a b.db", `C:\data\platen.db`, "./a=b:c.db", "../~x.db", "user@home.db",
	} {
		if c := (config.Config{Database: database}); c.CheckDatabase() != nil || c.Postgres() {
			t.Errorf("%q is refused: %v", database, c.CheckDatabase())
		}
	}
	for _, database := range []string{"postgres://u@h/db", "POSTGRES://u@h/Db", "PostgreSQL://u@h/Db"} {
		c := config.Config{Database: database}
		if c.CheckDatabase() != nil || !c.Postgres() || !strings.HasPrefix(c.DatabaseURL(), "postgres") ||
			!strings.HasSuffix(c.DatabaseURL(), database[len(database)-2:]) {
			t.Errorf("%q is refused, or taken as %q: %v", database, c.DatabaseURL(), c.CheckDatabase())
		}
	}
}

func TestAProfileIsATableOfSettings(t *testing.T) {
	t.Parallel()
	c, want := config.Default(), config.Default()
	c.MaxSandboxes = 1 // is taken back
	if !c.Use(config.Local) {
		t.Fatal("there is no profile local")
	}
	want.Profile = config.Local
	fields := want.Fields()
	for _, row := range config.ProfileRows() {
		i := slices.IndexFunc(fields, func(f config.Field) bool { return f.Name == row.Setting })
		if i < 0 {
			t.Fatalf("there is no setting %s", row.Setting)
		}
		before := reflect.ValueOf(fields[i].Target).Elem().Interface()
		if err := fields[i].Set(row.Local); err != nil {
			t.Fatal(err)
		}
		if reflect.DeepEqual(before, reflect.ValueOf(fields[i].Target).Elem().Interface()) {
			t.Errorf("%s is %s by default, too", row.Setting, row.Local)
		}
	}
	if difference := cmp.Diff(want, c); difference != "" {
		t.Errorf("the profile differs from its table:\n%s", difference)
	}
	if err := c.Check(); err != nil {
		t.Error(err)
	}
	if config.Default().Use("public") {
		t.Error("there is a profile public")
	}
}
