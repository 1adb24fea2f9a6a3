package cli

import (
	"cmp"
	"errors"
	"net/http"
	"regexp"
	"strings"
	"time"

	"platen/client"
	"platen/internal/config"
)

// Variables in which commands look for a server, its keys and the signing secret
// when no flag names them, in the environment and then in a .env file. platen new
// writes the first three and the examples read them.
const (
	urlVariable     = "PLATEN_URL"
	officeVariable  = "PLATEN_OFFICE_KEY"
	factoryVariable = "PLATEN_FACTORY_KEY"
	gradingVariable = "PLATEN_GRADING_KEY"
	keyVariable     = "PLATEN_KEY"
	// creationVariable names the key without which a closed server makes no sandbox.
	creationVariable = "PLATEN_CREATION_KEY"
	secretVariable   = "PLATEN_WEBHOOK_SECRET" //nolint:gosec // the name of a variable
)

const (
	// DefaultOrigin is that of a server on this machine with default settings.
	DefaultOrigin = "http://127.0.0.1:8080"
	// UserAgent is that of the commands.
	UserAgent = "platen-cli"
	// attemptTimeout leaves room for the pollSeconds that the server may hold a
	// poll.
	attemptTimeout = 35 * time.Second
	// maxRetries lets a person know soon that no server is there.
	maxRetries = 5
)

var errNoKeys = errors.New("no key: set --key, or PLATEN_OFFICE_KEY or PLATEN_FACTORY_KEY, in " +
	"the environment or a .env file (platen new --env .env writes one)")

// Target is a server and a sandbox there, as flags name them. Empty fields are
// looked for in the environment and in a .env file.
type Target struct {
	Server, Key string
	// Here is where the server is when nothing names it, DefaultOrigin when empty.
	Here string
}

// Origin returns the server's, without a slash at its end.
func (t *Target) Origin() (string, error) {
	given, err := config.Secret(t.Server, urlVariable)
	if err != nil {
		return "", err //nolint:wrapcheck // the error names the variable
	}
	origin := strings.TrimSuffix(strings.TrimRight(given, "/"), client.BasePath)
	switch {
	case origin == "":
		return cmp.Or(t.Here, DefaultOrigin), nil
	case !strings.HasPrefix(origin, "http://") && !strings.HasPrefix(origin, "https://"):
		return "", usagef("the server must be an origin such as %s, not %q", DefaultOrigin, given)
	}
	return origin, nil
}

// Keys returns the keys that can be found. One that a flag names comes alone.
func (t *Target) Keys() (client.Keys, error) {
	if t.Key != "" {
		return keysOf(t.Key), checkKey("--key", t.Key)
	}
	var found client.Keys
	var err error
	if found.Office, err = oneOf(officeVariable, "OFFICE_KEY"); err != nil {
		return found, err
	}
	if found.Factory, err = oneOf(factoryVariable, "FACTORY_KEY"); err != nil {
		return found, err
	}
	if found.Grading, err = config.Secret("", gradingVariable); err != nil {
		return found, err //nolint:wrapcheck // the error names the variable
	}
	if found != (client.Keys{}) {
		return found, errors.Join(checkKey(officeVariable, found.Office), checkKey(factoryVariable, found.Factory),
			checkKey(gradingVariable, found.Grading))
	}
	one, err := config.Secret("", keyVariable)
	if err != nil {
		return found, err //nolint:wrapcheck // the error names the variable
	}
	if one == "" {
		return found, UsageError{errNoKeys}
	}
	return keysOf(one), checkKey(keyVariable, one)
}

// keyForm is the form of every key.
var keyForm = regexp.MustCompile(`^lab_(off|fac|grd)_[A-Za-z0-9_-]{43}$`)

// checkKey refuses a key that no server can have made: part of it was not copied. It does not
// repeat it, since output is kept.
func checkKey(source, key string) error {
	if key == "" || keyForm.MatchString(key) {
		return nil
	}
	return usagef("invalid %s: a key begins with lab_off_, lab_fac_ or lab_grd_ and has 51 characters; this one has %d",
		source, len(key))
}

// kept reports whether the keys are in a .env file, where new ones can take their place.
func (t *Target) kept() (bool, error) {
	if t.Key != "" {
		return false, nil
	}
	for _, variable := range []string{officeVariable, factoryVariable} {
		if in, err := config.InDotEnv(variable); in || err != nil {
			return in, err //nolint:wrapcheck // the error names the variable
		}
	}
	return false, nil
}

// oneOf finds a key under its name, or under the one that it had before.
func oneOf(variable, before string) (string, error) {
	for _, name := range []string{variable, before} {
		if value, err := config.Secret("", name); err != nil || value != "" {
			return value, err //nolint:wrapcheck // the error names the variable
		}
	}
	return "", nil
}

// keysOf puts a key into the field of its system.
func keysOf(key string) client.Keys {
	switch {
	case strings.HasPrefix(key, "lab_fac_"):
		return client.Keys{Factory: key}
	case strings.HasPrefix(key, "lab_grd_"):
		return client.Keys{Grading: key}
	default:
		return client.Keys{Office: key}
	}
}

// Connect returns a client for the sandbox. It repeats requests for a minute unless
// options say otherwise.
func (t *Target) Connect(options ...client.Option) (*client.Client, error) {
	origin, err := t.Origin()
	if err != nil {
		return nil, err
	}
	keys, err := t.Keys()
	if err != nil {
		return nil, err
	}
	return connect(origin, keys, options...), nil
}

func connect(origin string, keys client.Keys, options ...client.Option) *client.Client {
	return client.New(origin+client.BasePath, keys, append([]client.Option{
		client.UserAgent(UserAgent), client.MaxElapsed(time.Minute), client.MaxRetries(maxRetries),
		client.HTTPClient(&http.Client{Timeout: attemptTimeout}),
	}, options...)...)
}
