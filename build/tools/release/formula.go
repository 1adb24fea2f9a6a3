package main

import (
	"bytes"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// formulaText is a formula for Homebrew.
//
//nolint:dupword // blocks of Ruby end with end
const formulaText = `class Platen < Formula
  desc "Simulated printing company with two HTTP systems, for those who write integrations"
  homepage "{{.URL}}"
  version "{{.Number}}"
{{range .Archives}}
  on_{{.System}} do
    on_{{.Processor}} do
      url "{{$.URL}}/{{.File}}"
      sha256 "{{.Sum}}"
    end
  end
{{end}}
  def install
    bin.install "platen"
    bash_completion.install "completions/platen.bash" => "platen"
    zsh_completion.install "completions/_platen"
    fish_completion.install "completions/platen.fish"
  end

  service do
    run [opt_bin/"platen", "serve", "--database", var/"platen/platen.db"]
  end

  test do
    assert_match version.to_s, shell_output("#{bin}/platen --version")
  end
end
`

// formulaArchive is one that Homebrew may take, in its words.
type formulaArchive struct{ System, Processor, File, Sum string }

// formula writes the formula, if it is known where the archives will be.
func (r *release) formula() error {
	if r.url == "" {
		return nil
	}
	archives := []formulaArchive{{"macos", "arm", "darwin_arm64", ""}, {"macos", "intel", "darwin_amd64", ""},
		{"linux", "arm", "linux_arm64", ""}, {"linux", "intel", "linux_amd64", ""}}
	made := archives[:0]
	for _, a := range archives {
		a.File = fmt.Sprintf("platen_%s_%s.tar.gz", r.number(), a.File)
		text, err := os.ReadFile(filepath.Join(r.out, a.File))
		if errors.Is(err, fs.ErrNotExist) {
			continue // not one of the platforms of this release
		}
		if err != nil {
			return err
		}
		a.Sum = fmt.Sprintf("%x", sha256.Sum256(text))
		made = append(made, a)
	}
	var text bytes.Buffer
	err := template.Must(template.New("formula").Parse(formulaText)).Execute(&text, struct {
		URL, Number string
		Archives    []formulaArchive
	}{strings.TrimSuffix(r.url, "/"), r.number(), made})
	if err != nil {
		return err
	}
	return r.write("platen.rb", text.Bytes(), 0o644)
}
