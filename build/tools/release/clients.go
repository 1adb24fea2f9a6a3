package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"strings"
)

// Where the clients are, and which of their files are published.
const (
	pythonFolder     = "clients/python"
	javascriptFolder = "clients/javascript"
)

// clients writes the clients as files that pip and npm install without a network: a wheel and a package.
func (r *release) clients() error {
	if err := r.wheel(); err != nil {
		return fmt.Errorf("%s: %w", pythonFolder, err)
	}
	if err := r.npm(); err != nil {
		return fmt.Errorf("%s: %w", javascriptFolder, err)
	}
	return nil
}

// checkClient refuses a client of another version than the release; a release candidate has that of its release.
func (r *release) checkClient(version string) error {
	if whole, _, _ := strings.Cut(r.number(), "-"); version != whole && !r.untagged {
		return fmt.Errorf("the client has the version %s, and the release is %s", version, r.version)
	}
	return nil
}

// published are the files of a folder that match one of some patterns, in their order.
func (r *release) published(folder, prefix string, patterns ...string) ([]file, error) {
	var all []file
	for _, pattern := range patterns {
		paths, err := filepath.Glob(filepath.Join(r.root, folder, pattern))
		if err != nil {
			return nil, err
		}
		for _, at := range paths {
			text, err := os.ReadFile(at)
			if err != nil {
				return nil, err
			}
			all = append(all, file{name: prefix + filepath.Base(at), text: text, mode: 0o644})
		}
	}
	if len(all) == 0 {
		return nil, fmt.Errorf("nothing in %s is like %v", folder, patterns)
	}
	return all, nil
}

// npm writes what npm pack would: the client of JavaScript in a folder called package.
func (r *release) npm() error {
	var known struct {
		Version string   `json:"version"`
		Files   []string `json:"files"`
	}
	description, err := r.published(javascriptFolder, "package/", "package.json")
	if err != nil {
		return err
	}
	if err := json.Unmarshal(description[0].text, &known); err != nil {
		return err
	}
	if err := r.checkClient(known.Version); err != nil {
		return err
	}
	files, err := r.published(javascriptFolder, "package/", known.Files...)
	if err != nil {
		return err
	}
	licence, err := r.published("", "package/", "LICENSE")
	if err != nil {
		return err
	}
	var packed bytes.Buffer
	if err := gzipped(&packed, append(append(description, files...), licence...), r.at); err != nil {
		return err
	}
	return r.write("platen-"+known.Version+".tgz", packed.Bytes(), 0o644)
}

// Parts of the Python project's description that its wheel repeats.
var (
	pythonVersion  = regexp.MustCompile(`VERSION = "([^"]+)"`)
	pythonSummary  = regexp.MustCompile(`(?m)^description = "([^"]+)"`)
	pythonRequires = regexp.MustCompile(`(?m)^requires-python = "([^"]+)"`)
	pythonPlugin   = regexp.MustCompile(`(?m)^\[project\.entry-points\.pytest11\]\nplaten = "([^"]+)"`)
)

// wheel writes the client of Python as pip installs it, built without setuptools: the package, and beside it its
// metadata and the sums of all files, as the Binary Distribution Format says.
func (r *release) wheel() error {
	project, err := os.ReadFile(filepath.Join(r.root, pythonFolder, "pyproject.toml"))
	if err != nil {
		return err
	}
	readme, err := os.ReadFile(filepath.Join(r.root, pythonFolder, "README.md"))
	if err != nil {
		return err
	}
	stamp, err := os.ReadFile(filepath.Join(r.root, pythonFolder, "platen", "_version.py"))
	if err != nil {
		return err
	}
	part := func(of []byte, pattern *regexp.Regexp) string {
		if found := pattern.FindSubmatch(of); found != nil {
			return string(found[1])
		}
		err = fmt.Errorf("nothing is like %s", pattern)
		return ""
	}
	version, summary := part(stamp, pythonVersion), part(project, pythonSummary)
	requires, plugin := part(project, pythonRequires), part(project, pythonPlugin)
	if err != nil {
		return err
	}
	if err := r.checkClient(version); err != nil {
		return err
	}
	files, err := r.published(pythonFolder+"/platen", "platen/", "*.py", "py.typed")
	if err != nil {
		return err
	}
	about := "platen-" + version + ".dist-info/"
	licence, err := r.published("", about+"licenses/", "LICENSE")
	if err != nil {
		return err
	}
	files = append(append(files, licence...),
		file{name: about + "METADATA", text: fmt.Appendf(nil, "Metadata-Version: 2.4\nName: platen\nVersion: %s\n"+
			"Summary: %s\nLicense-Expression: Apache-2.0\nLicense-File: LICENSE\nRequires-Python: %s\n"+
			"Description-Content-Type: text/markdown\n\n%s", version, summary, requires, readme)},
		file{name: about + "WHEEL", text: []byte("Wheel-Version: 1.0\nGenerator: platen\nRoot-Is-Purelib: true\n" +
			"Tag: py3-none-any\n")},
		file{name: about + "entry_points.txt", text: []byte("[pytest11]\nplaten = " + plugin + "\n")})
	var record strings.Builder
	for i := range files {
		files[i].mode = 0o644
		sum := sha256.Sum256(files[i].text)
		fmt.Fprintf(&record, "%s,sha256=%s,%d\n", files[i].name, base64.RawURLEncoding.EncodeToString(sum[:]),
			len(files[i].text))
	}
	record.WriteString(path.Join(about, "RECORD") + ",,\n")
	files = append(files, file{name: about + "RECORD", text: []byte(record.String()), mode: 0o644})
	var packed bytes.Buffer
	if err := zipped(&packed, files, r.at); err != nil {
		return err
	}
	return r.write("platen-"+version+"-py3-none-any.whl", packed.Bytes(), 0o644)
}
