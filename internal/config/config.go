// Package config holds every setting of an operator, in one place: each field
// has a flag, an environment variable and a field of the optional configuration
// file, all of the same name. Nothing else in the program reads the
// environment.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"math"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dustin/go-humanize"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// MaxRate is the largest rate, in requests per minute, and the largest burst.
// It is also the value that a caller is shown for a budget that is off
// (contract: OPEN.RATE.HEADERS).
const MaxRate = 1_000_000

const (
	// MemoryLeast is the least memory of a server, in bytes: with less it would do
	// little but load companies and let go of them.
	MemoryLeast = 64 << 20
	// SecretLeast is the least number of characters of a secret key.
	SecretLeast = 32
	// MaxDifficulty is the hardest proof of work: a minute or more of a client
	// that does nothing else.
	MaxDifficulty = 32
)

// Config holds the values.
type Config struct {
	Profile   string
	Listen    string
	OpsListen string
	// PublicURL are the origins under which clients know the server. Links begin with the first.
	PublicURL []string
	Database  string
	Valkey    string
	// NodeAddress is where other servers of the database reach this one, NodeListen where
	// it listens for them.
	NodeAddress string
	NodeListen  string
	// Memory is a number of bytes as text, "" for a part of what there is.
	Memory string
	// SecretKey is the key itself, SecretKeyFile a file that holds it.
	SecretKey     string
	SecretKeyFile string
	NewSecretKey  bool

	TrustedProxy  []string
	ProxyProtocol bool
	IPv4Prefix    int
	IPv6Prefix    int
	IPv4Block     int
	IPv6Block     int
	BlockFactor   int

	Connections   int
	IPConnections int

	MaxSandboxes int
	QueueLength  int
	IPActive     int
	IPCreations  int

	KeyRate               int
	KeyBurst              int
	IPRate, AnonymousRate int
	PageRate              int
	Cooldown              time.Duration
	Ban                   time.Duration
	PowDifficulty         int

	CreationKey string
	// Graded has no flag: commands set it on a server that they start for a player who is graded, and whose docs say
	// nothing about grading.
	Graded           bool
	EvaluationSecret string

	SandboxDuration time.Duration
	Extension       time.Duration
	ExtensionWindow time.Duration
	Grace           time.Duration
	TickPause       time.Duration
	IdlePause       time.Duration
	ClaimWindow     time.Duration

	PrivateWebhooks, RequestBodies bool
	Presets                        string
	LogFormat                      string
	LogLevel                       string
	// EnginesAhead makes a server of later rules of the simulation, as far as others can
	// tell. No flag sets it: tests of upgrades make a newer server with it.
	EnginesAhead int
}

// Field describes one setting.
type Field struct {
	// Group is the subject of the setting.
	Group string
	// Name is the name of the flag and of the file's field.
	Name string
	// Doc is one sentence.
	Doc string
	// Target points at the value: *string, *[]string, *bool, *int or
	// *time.Duration, already holding the default.
	Target any
	// Secret marks a setting that may hold a password or a key: it is in no
	// output.
	Secret bool
	// Key marks a key or a secret that has no flag: other users of the machine can read a
	// command line.
	Key bool
}

// Variable returns the name of the environment variable.
func (f Field) Variable() string {
	return "PLATEN_" + strings.ToUpper(strings.ReplaceAll(f.Name, "-", "_"))
}

// Default returns a configuration in which nothing was set.
func Default() *Config {
	return &Config{
		Profile: Contract, Listen: "127.0.0.1:8080", Database: "data/platen.db",
		Connections: 10_000, IPConnections: 256, MaxSandboxes: 1000, QueueLength: 500, IPActive: 10, IPCreations: 60,
		IPv4Prefix: 32, IPv6Prefix: 64, IPv4Block: 24, IPv6Block: 48, BlockFactor: 8,
		KeyRate: 120, KeyBurst: 30, IPRate: 360, AnonymousRate: 30, PageRate: 600,
		Cooldown: 30 * time.Second, Ban: 15 * time.Minute,
		RequestBodies:   true,
		SandboxDuration: 30 * time.Minute, Extension: 30 * time.Minute, ExtensionWindow: 10 * time.Minute,
		Grace: 10 * time.Minute, TickPause: time.Second, IdlePause: 10 * time.Minute,
		ClaimWindow: 120 * time.Second,
		LogFormat:   "auto", LogLevel: "info",
	}
}

// Fields lists the settings in the order of the reference page. Their targets
// are those of c.
func (c *Config) Fields() []Field {
	fields := []Field{
		{Group: "Profile", Name: "profile", Doc: "The defaults of all other settings: contract, or local for your " +
			"own machine: no limits per network, no minimum time between clock moves, private webhooks, " +
			"sandboxes for 24 hours.", Target: &c.Profile},
		{Group: "Addresses", Name: "listen", Doc: "Address to listen on.", Target: &c.Listen},
		{Name: "ops-listen", Doc: "A second address for health, metrics and lifting bans, with its own connection " +
			"limit. If set, /metrics is served only there. Disabled by default.", Target: &c.OpsListen},
		{Name: "public-url",
			Doc: "Origin used in links, such as https://sandbox.example; derived from the address by default. " +
				"Repeat it, or separate by commas, for a server with several names: links begin with the first.",
			Target: &c.PublicURL},
		{Group: "Storage", Name: "database", Doc: "A SQLite file, created if missing, or postgres://….",
			Target: &c.Database, Secret: true},
		{Name: "valkey", Doc: "redis://… of a Valkey or Redis, for rate limits that several servers share. While it " +
			"does not respond, each server keeps its own.", Target: &c.Valkey, Secret: true},
		{Group: "Several servers", Name: "node-address", Doc: "Host and port at which the other servers of a " +
			"PostgreSQL database reach this one. Leave it empty for a single server.",
			Target: &c.NodeAddress},
		{Name: "node-listen", Doc: "Address to listen on for other servers. Defaults to node-address.",
			Target: &c.NodeListen},
		{Group: "Memory and keys at rest", Name: "memory", Doc: "Memory that the server aims to stay within, such as " +
			"512MiB. Companies in memory use up to 40 % of it, and connections up to a quarter. The process stays " +
			"within 1.15 times of it. Defaults to 60 % of the memory of the container or machine.", Target: &c.Memory},
		{Name: "secret-key", Doc: "Key of the encryption at rest, 32 characters or more. Generated in a file next to " +
			"the database by default. Set it in the environment or in a file: it has no flag, since other users of " +
			"the machine can read the command line.",
			Target: &c.SecretKey, Secret: true, Key: true},
		{Name: "secret-key-file", Doc: "File with the key of the encryption at rest, instead of secret-key.",
			Target: &c.SecretKeyFile},
		{Name: "new-secret-key", Doc: "Start with a new secret key if you lost the old one. Recreate webhook " +
			"subscriptions afterwards.", Target: &c.NewSecretKey},
		{Group: "Networks of clients", Name: "trusted-proxy", Doc: "Networks (CIDR) whose X-Forwarded-For is trusted.",
			Target: &c.TrustedProxy},
		{Name: "proxy-protocol", Doc: "Expect the PROXY protocol, as behind a plain TCP load balancer. If " +
			"trusted-proxy is set, only from those addresses.", Target: &c.ProxyProtocol},
		{Name: "ipv4-prefix", Doc: "Leading bits of an IPv4 address that form a network group.", Target: &c.IPv4Prefix},
		{Name: "ipv6-prefix", Doc: "Leading bits of an IPv6 address that form a network group.", Target: &c.IPv6Prefix},
		{Name: "ipv4-block", Doc: "Leading bits of an IPv4 address that form a block of network groups.",
			Target: &c.IPv4Block},
		{Name: "ipv6-block", Doc: "Leading bits of an IPv6 address that form a block of network groups.",
			Target: &c.IPv6Block},
		{Name: "block-factor", Doc: "Limit of a network block, as a multiple of the limits of a network " +
			"group, capped at " +
			"10 % of all sandboxes and of the queue. 0 disables the limit.", Target: &c.BlockFactor},
		{Group: "Capacity", Name: "connections", Doc: "Maximum number of open connections, and one for " +
			"every 64 KiB of a quarter of memory at most.", Target: &c.Connections},
		{Name: "ip-connections", Doc: "Open connections per network group. This machine and trusted " +
			"proxies have only the " +
			"total limit. 0 disables the limit.", Target: &c.IPConnections},
		{Name: "max-sandboxes", Doc: "Maximum number of sandboxes.", Target: &c.MaxSandboxes},
		{Name: "queue-length", Doc: "Maximum number of creations in the queue.", Target: &c.QueueLength},
		{Name: "ip-active", Doc: "Active sandboxes per network group. 0 disables the limit.", Target: &c.IPActive},
		{Name: "ip-creations", Doc: "Creations per hour and network group. 0 disables the " +
			"limit.", Target: &c.IPCreations},
		{Group: "Rates", Name: "key-rate", Doc: "Requests per minute and key. 0 disables the " +
			"limit.", Target: &c.KeyRate},
		{Name: "key-burst", Doc: "Requests that a key may send at once.", Target: &c.KeyBurst},
		{Name: "ip-rate", Doc: "Requests per minute and network group. 0 disables the limit.", Target: &c.IPRate},
		{Name: "anonymous-rate", Doc: "Requests without a valid key per minute and network group. 0 " +
			"disables the limit.",
			Target: &c.AnonymousRate},
		{Name: "page-rate", Doc: "Requests for pages, files, documents and metrics per minute and network group, " +
			"counted by each server separately. This machine has no limit. 0 disables the limit.", Target: &c.PageRate},
		{Name: "cooldown", Doc: "How long to reject a key that keeps exceeding its limit. 0 disables it.",
			Target: &c.Cooldown},
		{Name: "ban", Doc: "How long to ban a network group that keeps exceeding its limits. 0 disables bans.",
			Target: &c.Ban},
		{Name: "pow-difficulty", Doc: "Leading zero bits of the proof of work on creation. 0 disables it.",
			Target: &c.PowDifficulty},
		{Group: "Evaluations", Name: "creation-key", Doc: "Key that clients need to create a sandbox, 32 " +
			"characters or more. By default, every client can. It has no flag.",
			Target: &c.CreationKey, Secret: true, Key: true},
		{Name: "evaluation-secret", Doc: "Secret of the worlds of evaluations with the split test, 32 characters or " +
			"more. Requires a creation-key. It has no flag.", Target: &c.EvaluationSecret, Secret: true, Key: true},
		{Group: "Time", Name: "sandbox-duration", Doc: "How long a sandbox lasts.", Target: &c.SandboxDuration},
		{Name: "extension", Doc: "How much an extension adds.", Target: &c.Extension},
		{Name: "extension-window", Doc: "How long before it expires a sandbox can be extended.",
			Target: &c.ExtensionWindow},
		{Name: "tick-pause", Doc: "Minimum time between two manual ticks. 0 disables the pause.",
			Target: &c.TickPause},
		{Name: "idle-pause", Doc: "How long after the last request the clock of a starter, manual or empty company " +
			"pauses. 0 disables the pause.", Target: &c.IdlePause},
		{Name: "grace", Doc: "How long an expired sandbox stays readable before it is deleted.", Target: &c.Grace},
		{Name: "claim-window", Doc: "How long a ready ticket waits to be claimed.", Target: &c.ClaimWindow},
		{Group: "Other", Name: "private-webhooks",
			Doc:    "Allow http, any port and private addresses in webhook URLs, for your own machine.",
			Target: &c.PrivateWebhooks},
		{Name: "request-bodies", Doc: "Keep the bodies of the newest requests of each sandbox for a while.",
			Target: &c.RequestBodies},
		{Name: "presets", Doc: "A folder with more preset files.", Target: &c.Presets},
		{Name: "log-format", Doc: "text, json, or auto: text on a terminal.", Target: &c.LogFormat},
		{Name: "log-level", Doc: "debug, info, warn or error.", Target: &c.LogLevel},
	}
	for i := range fields[1:] {
		fields[i+1].Group = cmp.Or(fields[i+1].Group, fields[i].Group)
	}
	return fields
}

// Set gives a field a value as text.
func (f Field) Set(text string) error {
	var err error
	switch target := f.Target.(type) {
	case *string:
		*target = text
	case *[]string:
		*target = nil
		if text != "" {
			*target = strings.Split(text, ",")
			for i, element := range *target {
				(*target)[i] = strings.TrimSpace(element)
			}
		}
	case *bool:
		err = unmarshal(text, target)
	case *int:
		err = unmarshal(text, target)
	case *time.Duration:
		*target, err = time.ParseDuration(text)
	default:
		panic(fmt.Sprintf("field %s has a target of type %T", f.Name, f.Target))
	}
	if err != nil {
		return fmt.Errorf("%s cannot be %q", f.Name, text)
	}
	return nil
}

func unmarshal(text string, target any) error {
	return json.Unmarshal([]byte(text), target) //nolint:wrapcheck // Set has a clearer error
}

// FileVariable names the environment variable with the configuration file.
const FileVariable = "PLATEN_CONFIG"

// FileFromEnvironment returns the configuration file that the environment
// names, "" for none.
func FileFromEnvironment() string { return os.Getenv(FileVariable) }

// PlainTerminal reports whether the environment asks for output without
// colours.
func PlainTerminal() bool { return os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" }

// Environment sets the fields whose variables are set.
func (c *Config) Environment() error {
	var errs []error
	for _, f := range c.Fields() {
		if text, ok := os.LookupEnv(f.Variable()); ok {
			if err := f.Set(text); err != nil {
				errs = append(errs, fmt.Errorf("%s: %w", f.Variable(), err))
			}
		}
	}
	return errors.Join(errs...)
}

// File sets the fields that a configuration file names: a JSON object whose
// fields are the flags' names and whose values are texts, lists of texts,
// numbers, true or false. Unknown fields are refused.
func (c *Config) File(b []byte) error {
	var members map[string]jsontext.Value
	if err := json.Unmarshal(b, &members); err != nil {
		return fmt.Errorf("read configuration file: %w", err)
	}
	var errs []error
	for _, f := range c.Fields() {
		value, ok := members[f.Name]
		delete(members, f.Name)
		if !ok {
			continue
		}
		if text, ok := f.text(value); !ok {
			errs = append(errs, fmt.Errorf("%s cannot be %s", f.Name, kinds[value.Kind()]))
		} else if err := f.Set(text); err != nil {
			errs = append(errs, err)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(members)) {
		errs = append(errs, fmt.Errorf("there is no setting called %q", name))
	}
	return errors.Join(errs...)
}

// text is a value of the file as a flag would have it; ok is false for a kind
// of value that the field cannot have.
func (f Field) text(v jsontext.Value) (text string, ok bool) {
	switch v.Kind() {
	case '"':
		return text, json.Unmarshal(v, &text) == nil
	case '0':
		return v.String(), true
	case 't', 'f':
		_, ok = f.Target.(*bool)
		return v.String(), ok
	case '[':
		return f.list(v)
	default:
		return "", false
	}
}

// list is a list of texts as a flag would have it.
func (f Field) list(v jsontext.Value) (text string, ok bool) {
	var elements []jsontext.Value
	if _, ok := f.Target.(*[]string); !ok || json.Unmarshal(v, &elements) != nil {
		return "", false
	}
	texts := make([]string, len(elements))
	for i, element := range elements {
		if element.Kind() != '"' || json.Unmarshal(element, &texts[i]) != nil {
			return "", false
		}
	}
	return strings.Join(texts, ","), true
}

// kinds names the kinds of JSON values.
var kinds = map[jsontext.Kind]string{ //nolint:gochecknoglobals // read only
	'n': "null", 't': "true", 'f': "false", '{': "an object", '[': "such a list",
}

// MemoryBytes is the setting memory in bytes, 0 when it is empty.
func (c *Config) MemoryBytes() (uint64, error) {
	if c.Memory == "" {
		return 0, nil
	}
	return humanize.ParseBytes(c.Memory) //nolint:wrapcheck // Check has a clearer error
}

// checkNodes refuses settings of a server among others that cannot be.
func (c *Config) checkNodes(refuse func(ok bool, format string, values ...any)) {
	if c.NodeListen != "" {
		_, _, err := net.SplitHostPort(c.NodeListen)
		refuse(err == nil, "node-listen must be an address such as 0.0.0.0:7000, not %q", c.NodeListen)
		refuse(c.NodeAddress != "", "node-listen needs a node-address")
	}
	if c.NodeAddress == "" {
		return
	}
	host, port, err := net.SplitHostPort(c.NodeAddress)
	refuse(err == nil && host != "" && port != "" && port != "0",
		"node-address must be a host and port such as 10.0.0.1:7000, not %q", c.NodeAddress)
	refuse(c.Postgres(), "node-address needs a PostgreSQL database: a SQLite file is one server's alone")
	refuse(len(c.PublicURL) > 0, "node-address needs a public-url: all servers of a database write the same links")
}

// unprintable reports whether a character cannot be in a key of a header.
func unprintable(c rune) bool { return c <= ' ' || c >= 0x7f }

// Check reports every value that cannot be.
func (c *Config) Check() error {
	var errs []error
	refuse := func(ok bool, format string, values ...any) {
		if !ok {
			errs = append(errs, fmt.Errorf(format, values...))
		}
	}
	refuse(slices.Contains(Profiles(), c.Profile), "profile must be %s, not %q", strings.Join(Profiles(), " or "),
		c.Profile)
	_, _, err := net.SplitHostPort(c.Listen)
	refuse(err == nil, "listen must be an address such as 127.0.0.1:8080, not %q", c.Listen)
	if c.OpsListen != "" {
		_, port, err := net.SplitHostPort(c.OpsListen)
		refuse(err == nil, "ops-listen must be an address such as 127.0.0.1:9090, not %q", c.OpsListen)
		// Port 0 is another one for each.
		refuse(c.OpsListen != c.Listen || port == "0", "ops-listen must not be the address of listen, %s", c.Listen)
	}
	c.checkNodes(refuse)
	for _, origin := range c.PublicURL {
		if strings.Contains(origin, "@") {
			refuse(false, "public-url must not have a user or a password: all who read a link would see them")
			continue
		}
		u, err := url.Parse(origin)
		refuse(err == nil && (u.Scheme == "http" || u.Scheme == "https") && u.Hostname() != "" &&
			strings.Trim(u.Path, "/") == "" && !strings.ContainsAny(origin, "?#"),
			"public-url must be an origin such as https://sandbox.example, not %q", origin)
	}
	for _, network := range c.TrustedProxy {
		_, _, err := net.ParseCIDR(network)
		refuse(err == nil, "trusted-proxy must be networks such as 10.0.0.0/8, not %q", network)
	}
	if err := c.CheckDatabase(); err != nil {
		errs = append(errs, err)
	}
	refuse(strings.HasPrefix(c.Valkey, "unix:") || !misread(c.Valkey),
		"valkey is a URL that can be read in two ways: %s", encode)
	memory, err := c.MemoryBytes()
	refuse(err == nil, "memory must be a size such as 512MiB or 2GiB, not %q", c.Memory)
	refuse(err != nil || memory == 0 || memory >= MemoryLeast && memory <= math.MaxInt64/2,
		"memory must be at least %dMiB, not %s", MemoryLeast>>20, c.Memory)
	refuse(c.Connections > 0, "connections must be at least 1, not %d", c.Connections)
	refuse(c.MaxSandboxes > 0, "max-sandboxes must be at least 1, not %d", c.MaxSandboxes)
	for name, n := range map[string]int{
		"ip-connections": c.IPConnections, "queue-length": c.QueueLength, "ip-active": c.IPActive,
		"ip-creations": c.IPCreations, "key-rate": c.KeyRate,
		"key-burst": c.KeyBurst, "ip-rate": c.IPRate, "anonymous-rate": c.AnonymousRate,
		"page-rate": c.PageRate, "block-factor": c.BlockFactor, "pow-difficulty": c.PowDifficulty,
	} {
		refuse(n >= 0, "%s must not be negative, not %d", name, n)
	}
	for name, d := range map[string]time.Duration{
		"sandbox-duration": c.SandboxDuration, "extension": c.Extension, "extension-window": c.ExtensionWindow,
		"claim-window": c.ClaimWindow,
	} {
		refuse(d >= time.Second, "%s must be at least 1s, not %s", name, d)
	}
	for name, d := range map[string]time.Duration{
		"grace": c.Grace, "tick-pause": c.TickPause, "idle-pause": c.IdlePause,
		"cooldown": c.Cooldown, "ban": c.Ban,
	} {
		refuse(d >= 0, "%s must not be negative, not %s", name, d)
	}
	for name, n := range map[string]int{
		"key-rate": c.KeyRate, "key-burst": c.KeyBurst, "ip-rate": c.IPRate, "anonymous-rate": c.AnonymousRate,
		"page-rate": c.PageRate,
	} {
		refuse(n <= MaxRate, "%s must be at most %d, not %d", name, MaxRate, n)
	}
	refuse(c.KeyBurst != 0 || c.KeyRate == 0, "key-burst must be at least 1, not %d", c.KeyBurst)
	refuse(c.IPv4Prefix >= 1 && c.IPv4Prefix <= 32, "ipv4-prefix must be 1 to 32, not %d", c.IPv4Prefix)
	refuse(c.IPv6Prefix >= 1 && c.IPv6Prefix <= 128, "ipv6-prefix must be 1 to 128, not %d", c.IPv6Prefix)
	refuse(c.BlockFactor <= MaxRate, "block-factor must be at most %d, not %d", MaxRate, c.BlockFactor)
	if whole := Default(); c.BlockFactor > 0 { // the default of a block gives way to a shorter prefix
		refuse(c.IPv4Block >= 1 && (c.IPv4Block <= c.IPv4Prefix || c.IPv4Block == whole.IPv4Block),
			"ipv4-block must be 1 to %d, the ipv4-prefix, not %d", c.IPv4Prefix, c.IPv4Block)
		refuse(c.IPv6Block >= 1 && (c.IPv6Block <= c.IPv6Prefix || c.IPv6Block == whole.IPv6Block),
			"ipv6-block must be 1 to %d, the ipv6-prefix, not %d", c.IPv6Prefix, c.IPv6Block)
	}
	refuse(c.PowDifficulty <= MaxDifficulty, "pow-difficulty must be at most %d, not %d",
		MaxDifficulty, c.PowDifficulty)
	refuse(c.SecretKey == "" || len(c.SecretKey) >= SecretLeast, "secret-key must have at least %d characters",
		SecretLeast)
	for name, secret := range map[string]string{
		"creation-key": c.CreationKey, "evaluation-secret": c.EvaluationSecret,
	} {
		refuse(secret == "" || len(secret) >= SecretLeast, "%s must have at least %d characters", name, SecretLeast)
	}
	refuse(!strings.ContainsFunc(c.CreationKey, unprintable), "creation-key must consist of printable characters of "+
		"ASCII without spaces, since it travels in a header")
	refuse(c.SecretKey == "" || c.SecretKeyFile == "", "set secret-key or secret-key-file, not both")
	refuse(c.SecretKey != "" || c.SecretKeyFile != "" || !c.Postgres(), "secret-key must be set when the database is "+
		"PostgreSQL: it has no file to store a key in; generate one with `openssl rand -base64 32`")
	refuse(slices.Contains([]string{"auto", "text", "json"}, c.LogFormat),
		"log-format must be auto, text or json, not %q", c.LogFormat)
	refuse(slices.Contains([]string{"debug", "info", "warn", "error"}, c.LogLevel),
		"log-level must be debug, info, warn or error, not %q", c.LogLevel)
	slices.SortFunc(errs, func(a, b error) int { return strings.Compare(a.Error(), b.Error()) })
	return errors.Join(errs...)
}
