package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// file is one of an archive, or a folder where its name ends in a slash.
type file struct {
	name  string
	text  []byte
	mode  int64
	owner int
}

// tarred packs files into a tarball, all of one time.
func tarred(w io.Writer, files []file, at time.Time) error {
	packed := tar.NewWriter(w)
	for _, f := range files {
		head := tar.Header{
			Name: f.name, Size: int64(len(f.text)), Mode: f.mode, Uid: f.owner, Gid: f.owner,
			ModTime: at, Format: tar.FormatUSTAR,
		}
		if err := packed.WriteHeader(&head); err != nil {
			return err
		}
		if _, err := packed.Write(f.text); err != nil {
			return err
		}
	}
	return packed.Close()
}

// gzipped is tarred, and compressed.
func gzipped(w io.Writer, files []file, at time.Time) error {
	compressed, err := gzip.NewWriterLevel(w, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := tarred(compressed, files, at); err != nil {
		return err
	}
	return compressed.Close()
}

// zipped packs files into a zip.
func zipped(w io.Writer, files []file, at time.Time) error {
	packed := zip.NewWriter(w)
	for _, f := range files {
		head := zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: at}
		head.SetMode(os.FileMode(f.mode))
		entry, err := packed.CreateHeader(&head)
		if err != nil {
			return err
		}
		if _, err := entry.Write(f.text); err != nil {
			return err
		}
	}
	return packed.Close()
}

// sumsName is the file of sums, as sha256sum --check reads it.
const sumsName = "SHA256SUMS"

// sums writes the sum of each file of the release, and says how large each is.
func (r *release) sums(said io.Writer) error {
	entries, err := os.ReadDir(r.out)
	if err != nil {
		return err
	}
	var lines strings.Builder
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(r.out, e.Name()))
		if err != nil {
			return err
		}
		fmt.Fprintf(&lines, "%x  %s\n", sha256.Sum256(text), e.Name())
		fmt.Fprintf(said, "%6.1f MB  %s\n", float64(len(text))/1e6, e.Name())
	}
	return r.write(sumsName, []byte(lines.String()), 0o644)
}

// installer puts the script that installs a release beside it, with its version and place.
func (r *release) installer() error {
	text, err := os.ReadFile(filepath.Join(r.root, "build", "deploy", "install.sh"))
	if err != nil {
		return err
	}
	for unset, value := range map[string]string{
		"version=${PLATEN_VERSION:-}": r.version, "releases=${PLATEN_RELEASES:-}": r.url,
	} {
		if bytes.Count(text, []byte(unset)) != 1 {
			return fmt.Errorf("build/deploy/install.sh has no line %s", unset)
		}
		text = bytes.Replace(text, []byte(unset), []byte(strings.TrimSuffix(unset, "}")+value+"}"), 1)
	}
	return r.write("install.sh", text, 0o755)
}
