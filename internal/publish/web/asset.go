package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"sync"
)

//go:embed static
var embedded embed.FS

// contentTypes are those of the files that are served; a file of another kind
// is a mistake.
var contentTypes = map[string]string{ //nolint:gochecknoglobals // read only
	".css":   "text/css; charset=utf-8",
	".js":    "text/javascript; charset=utf-8",
	".svg":   "image/svg+xml",
	".txt":   "text/plain; charset=utf-8",
	".webp":  "image/webp",
	".woff2": "font/woff2",
}

// assets are the files beside the pages. All of them share one prefix that is
// made from their content, so a browser may keep them for ever: when one
// changes, the pages name another path. Modules import each other by relative
// paths, and so stay below the same prefix without anything that rewrites them.
type assets struct {
	prefix string
	files  map[string]asset
}

// asset is a file, plain and compressed. A file that is compressed already has
// no second form.
type asset struct {
	contentType string
	body        []byte
	zipped      func() []byte
}

// hashLength is how many hexadecimal digits of the content's hash a path has.
const hashLength = 12

// ownAssets are those of this program, read once however many servers it has.
//
//nolint:gochecknoglobals // read only
var ownAssets = sync.OnceValues(func() (*assets, error) { return loadAssets(embedded) })

func loadAssets(from fs.FS) (*assets, error) {
	sum := sha256.New()
	files := map[string]asset{}
	err := fs.WalkDir(from, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		file := asset{contentType: contentTypes[path.Ext(name)]}
		if file.contentType == "" {
			return fmt.Errorf("no content type for %s", name)
		}
		if file.body, err = fs.ReadFile(from, name); err != nil {
			return err
		}
		file.zipped = whenAsked(file.body)
		if slices.Contains([]string{".woff2", ".webp"}, path.Ext(name)) {
			file.zipped = func() []byte { return nil }
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(file.body))
		sum.Write(file.body)
		files[strings.TrimPrefix(name, "static/")] = file
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load static files: %w", err)
	}
	a := &assets{prefix: "/static/" + hex.EncodeToString(sum.Sum(nil))[:hashLength], files: map[string]asset{}}
	for name, file := range files {
		a.files[a.path(name)] = file
	}
	return a, nil
}

// Asset returns the path at which a script, a style sheet or a picture of this
// package is served.
func Asset(name string) string {
	files, err := ownAssets()
	if err != nil {
		return "" // New returns the error
	}
	return files.path(name)
}

// path returns where a file is served.
func (a *assets) path(name string) string { return a.prefix + "/" + name }
