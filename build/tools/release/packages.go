package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/goreleaser/nfpm/v2"
	_ "github.com/goreleaser/nfpm/v2/deb" // the formats of packages
	"github.com/goreleaser/nfpm/v2/files"
	_ "github.com/goreleaser/nfpm/v2/rpm"
)

// homes are where packages put the files of an archive.
var homes = map[string]string{ //nolint:gochecknoglobals // read only
	"LICENSE":                 "/usr/share/doc/platen/copyright",
	"README.md":               "/usr/share/doc/platen/README.md",
	"CHANGELOG.md":            "/usr/share/doc/platen/CHANGELOG.md",
	"completions/platen.bash": "/usr/share/bash-completion/completions/platen",
	"completions/_platen":     "/usr/share/zsh/site-functions/_platen",
	"completions/platen.fish": "/usr/share/fish/vendor_completions.d/platen.fish",
	"platen.service":          "/usr/lib/systemd/system/platen.service",
}

// packages writes a package of each format for a Linux. The service is there and not enabled.
func (r *release) packages(b built) error {
	service, err := os.ReadFile(filepath.Join(r.root, "build", "deploy", "platen.service"))
	if err != nil {
		return err
	}
	service = bytes.ReplaceAll(service, []byte("/usr/local/bin/platen"), []byte("/usr/bin/platen"))
	contents := files.Contents{r.placed(b.path, "/usr/bin/platen", 0o755)}
	for _, f := range append(slices.Clone(r.shared), file{name: "platen.service", text: service}) {
		to := homes[f.name]
		if to == "" {
			continue
		}
		source := filepath.Join(r.stage, "shared", f.name)
		if err := os.MkdirAll(filepath.Dir(source), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(source, f.text, 0o644); err != nil {
			return err
		}
		contents = append(contents, r.placed(source, to, 0o644))
	}
	for _, format := range []string{"deb", "rpm"} {
		packager, err := nfpm.Get(format)
		if err != nil {
			return err
		}
		info := nfpm.WithDefaults(&nfpm.Info{
			Name: "platen", Arch: b.arch, Platform: "linux", Version: r.number(), MTime: r.at, License: "see copyright",
			Section: "devel", Priority: "optional", Maintainer: "Platen", Vendor: "Platen", Homepage: r.url,
			Description: "A simulated printing company with two HTTP systems, for those who write integrations.",
			Overridables: nfpm.Overridables{
				Contents: contents, RPM: nfpm.RPM{BuildHost: "platen", Summary: "A simulated printing company"},
			},
		})
		var packed bytes.Buffer
		if err := packager.Package(info, &packed); err != nil {
			return fmt.Errorf("%s: %w", format, err)
		}
		if err := r.write(packager.ConventionalFileName(info), packed.Bytes(), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// placed is a file of a package.
func (r *release) placed(source, to string, mode os.FileMode) *files.Content {
	return &files.Content{
		Source: source, Destination: to,
		FileInfo: &files.ContentFileInfo{Owner: "root", Group: "root", Mode: mode, MTime: r.at},
	}
}
