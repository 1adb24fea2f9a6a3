package main

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user that the image runs as, and the owner of what it may write.
const nobody = 65532

// image writes one image for all the Linuxes that were built: an OCI archive, which podman and
// docker load and skopeo copies to a registry. In it are the program, its licence and two folders
// that it may write, and nothing else.
func (r *release) image(all []built) error {
	index := mutate.IndexMediaType(empty.Index, types.OCIImageIndex)
	for _, b := range all {
		image, err := r.imageOf(b)
		if err != nil {
			return err
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{
			Add:        image,
			Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: b.os, Architecture: b.arch}},
		})
	}
	named := mutate.AppendManifests(mutate.IndexMediaType(empty.Index, types.OCIImageIndex), mutate.IndexAddendum{
		Add: index,
		Descriptor: v1.Descriptor{Annotations: map[string]string{
			"org.opencontainers.image.ref.name": r.number(),
			"io.containerd.image.name":          "docker.io/library/platen:" + r.number(),
		}},
	})
	folder := filepath.Join(r.stage, "image")
	if _, err := layout.Write(folder, named); err != nil {
		return err
	}
	packed, err := r.folded(folder)
	if err != nil {
		return err
	}
	return r.write(fmt.Sprintf("platen_%s_image.tar", r.number()), packed, 0o644)
}

// imageOf is the image for one platform.
func (r *release) imageOf(b built) (v1.Image, error) {
	root, err := r.rootOf(b)
	if err != nil {
		return nil, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) {
		return io.NopCloser(bytes.NewReader(root)), nil
	}, tarball.WithMediaType(types.OCILayer), tarball.WithCompressionLevel(gzip.BestCompression))
	if err != nil {
		return nil, err
	}
	image := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	history := v1.History{Created: v1.Time{Time: r.at}, CreatedBy: "make release"}
	if image, err = mutate.Append(image, mutate.Addendum{Layer: layer, History: history}); err != nil {
		return nil, err
	}
	made, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config := made.DeepCopy()
	config.OS, config.Architecture, config.Created = b.os, b.arch, v1.Time{Time: r.at}
	config.Config = v1.Config{
		User:         fmt.Sprintf("%d:%d", nobody, nobody),
		Env:          []string{"PLATEN_LISTEN=0.0.0.0:8080", "PLATEN_DATABASE=/data/platen.db"},
		ExposedPorts: map[string]struct{}{"8080/tcp": {}},
		Volumes:      map[string]struct{}{"/data": {}},
		Entrypoint:   []string{"/platen"},
		Cmd:          []string{"serve"},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "/platen", "doctor"}, Interval: 10 * time.Second,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title": "Platen", "org.opencontainers.image.version": r.version,
		},
	}
	if r.agentName != "" {
		config.Config.Labels[ownerLabel] = r.agentName
	}
	return mutate.ConfigFile(image, config)
}

// rootOf is the file system of the image.
func (r *release) rootOf(b built) ([]byte, error) {
	files := []file{{name: "data/", mode: 0o700, owner: nobody}, {name: "tmp/", mode: 0o1777}}
	for _, f := range r.shared {
		if f.name == "LICENSE" {
			files = append(files, f)
		}
	}
	files = append(files, file{name: "platen", text: b.program, mode: 0o755})
	var packed bytes.Buffer
	err := tarred(&packed, files, r.at)
	return packed.Bytes(), err
}

// folded is a folder as a tarball, with nothing of this machine.
func (r *release) folded(folder string) ([]byte, error) {
	var files []file
	err := filepath.WalkDir(folder, func(path string, e os.DirEntry, err error) error {
		if err != nil || e.IsDir() {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		name, err := filepath.Rel(folder, path)
		files = append(files, file{name: filepath.ToSlash(name), text: text, mode: 0o644})
		return err
	})
	if err != nil {
		return nil, err
	}
	var packed bytes.Buffer
	err = tarred(&packed, files, r.at)
	return packed.Bytes(), err
}
