package command

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/spf13/pflag"

	"platen/internal/config"
)

// samples are three values of each setting that are not its default.
func samples(f config.Field) [3]string {
	switch f.Target.(type) {
	case *int:
		return [3]string{"21", "22", "23"}
	case *time.Duration:
		return [3]string{"41s", "42s", "43s"}
	case *bool:
		return [3]string{"true", "false", "true"}
	}
	switch f.Name {
	case "trusted-proxy":
		return [3]string{"10.1.0.0/16,10.2.0.0/16", "10.3.0.0/16", "::1/128"}
	case "profile":
		return [3]string{"local", "contract", "local"}
	case "listen":
		return [3]string{"127.0.0.1:1", "127.0.0.1:2", "[::1]:3"}
	case "ops-listen":
		return [3]string{"127.0.0.1:4", "127.0.0.1:5", "[::1]:6"}
	case "node-address", "node-listen":
		return [3]string{"10.0.0.1:7000", "node-2:7000", "[::1]:7000"}
	case "public-url":
		return [3]string{"https://a.example,http://a:8080", "https://b.example", "https://c.example"}
	case "memory":
		return [3]string{"512MiB", "2GB", "100000000"}
	case "log-format":
		return [3]string{"json", "text", "json"}
	case "log-level":
		return [3]string{"debug", "warn", "error"}
	case "secret-key", "creation-key", "evaluation-secret":
		return [3]string{
			strings.Repeat("1", config.SecretLeast), strings.Repeat("2", config.SecretLeast),
			strings.Repeat("3", config.SecretLeast),
		}
	}
	return [3]string{"one", "two", "three"}
}

// value is the content of a field, as text.
func value(f config.Field) string {
	switch target := f.Target.(type) {
	case *string:
		return *target
	case *int:
		return fmt.Sprint(*target)
	case *time.Duration:
		return fmt.Sprintf("%ds", int(target.Seconds()))
	case *bool:
		return fmt.Sprint(*target)
	case *[]string:
		return strings.Join(*target, ",")
	}
	panic(f.Name)
}

// TestEachSettingIsTakenFromItsNearestSource sets every setting in all
// combinations of sources: the flag wins over the variable, the variable over
// the member of the file. A key has no flag.
func TestEachSettingIsTakenFromItsNearestSource(t *testing.T) {
	for _, f := range config.Default().Fields() {
		for sources := range 8 {
			t.Run(fmt.Sprintf("%s/%03b", f.Name, sources), func(t *testing.T) {
				c := config.Default()
				if strings.HasPrefix(f.Name, "node-") { // these need others
					t.Setenv("PLATEN_DATABASE", "postgres://db")
					t.Setenv("PLATEN_PUBLIC_URL", "https://a.example")
					t.Setenv("PLATEN_SECRET_KEY", strings.Repeat("1", config.SecretLeast))
				}
				if f.Name == "node-listen" {
					t.Setenv("PLATEN_NODE_ADDRESS", "10.0.0.1:7000")
				}
				target := fieldOf(t, c, f.Name)
				want, values := value(target), samples(f)
				file := ""
				if sources&1 != 0 {
					want = values[0]
					file = filepath.Join(t.TempDir(), "settings.json")
					if err := os.WriteFile(file, fmt.Appendf(nil, `{%q: %q}`, f.Name, want), 0o600); err != nil {
						t.Fatal(err)
					}
				}
				if sources&2 != 0 {
					want = values[1]
					t.Setenv(f.Variable(), want)
				}
				flags := pflag.NewFlagSet("serve", pflag.ContinueOnError)
				flags.SetOutput(io.Discard)
				bind(flags, c)
				if sources&4 != 0 {
					err := flags.Parse([]string{"--" + f.Name + "=" + values[2]})
					if !f.Key {
						want = values[2]
					}
					if (err != nil) != f.Key {
						t.Fatalf("the flag is a key's: %t, %v", f.Key, err)
					}
				}
				if err := completeSettings(c, flags, file); err != nil {
					t.Fatal(err)
				}
				if got := value(target); got != want {
					t.Errorf("%s is %q, want %q", f.Name, got, want)
				}
			})
		}
	}
}

func fieldOf(t *testing.T, c *config.Config, name string) config.Field {
	t.Helper()
	for _, f := range c.Fields() {
		if f.Name == name {
			return f
		}
	}
	t.Fatalf("there is no setting %s", name)
	return config.Field{}
}
