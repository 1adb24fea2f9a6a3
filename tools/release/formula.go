package main

import (
	"bytes"
	"crypto/sha256"
	"fmt"
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
{{range .Systems}}
  on_{{.Name}} do
{{- range .Archives}}
    on_{{.Processor}} do
      url "{{$.URL}}/{{.File}}"
      sha256 "{{.Sum}}"
    end
{{- end}}
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

type formulaArchive struct{ Processor, File, Sum string }

type formulaSystem struct {
	Name     string
	Archives []formulaArchive
}

// formula writes the formula, if it is known where the archives will be.
func (r *release) formula() error {
	if r.url == "" {
		return nil
	}
	systems := []formulaSystem{}
	for _, system := range []struct{ name, os string }{{"macos", "darwin"}, {"linux", "linux"}} {
		s := formulaSystem{Name: system.name}
		for _, processor := range []struct{ name, arch string }{{"arm", "arm64"}, {"intel", "amd64"}} {
			name, made := r.archives[platform{system.os, processor.arch}]
			if !made {
				continue
			}
			text, err := os.ReadFile(filepath.Join(r.out, name))
			if err != nil {
				return err
			}
			sum := fmt.Sprintf("%x", sha256.Sum256(text))
			s.Archives = append(s.Archives, formulaArchive{processor.name, name, sum})
		}
		if len(s.Archives) > 0 {
			systems = append(systems, s)
		}
	}
	var text bytes.Buffer
	err := template.Must(template.New("formula").Parse(formulaText)).Execute(&text, struct {
		URL, Number string
		Systems     []formulaSystem
	}{strings.TrimSuffix(r.url, "/"), r.number(), systems})
	if err != nil {
		return err
	}
	return r.write("platen.rb", text.Bytes(), 0o644)
}
