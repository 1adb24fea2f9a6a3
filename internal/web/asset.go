package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path"
)

//go:embed static
var embedded embed.FS

// contentTypes are those of the files that are served; a file of another kind
// is a mistake.
var contentTypes = map[string]string{ //nolint:gochecknoglobals // read only
	".css": "text/css; charset=utf-8",
	".svg": "image/svg+xml",
}

// assets are the files beside the pages. All of them share one prefix that is
// made from their content, so a browser may keep them for ever: when one
// changes, the pages name another path.
type assets struct {
	prefix string
	files  map[string]asset
}

type asset struct {
	contentType string
	body        []byte
}

// hashLength is how many hexadecimal digits of the content's hash a path has.
const hashLength = 12

func loadAssets(from fs.FS) (*assets, error) {
	sum := sha256.New()
	bodies := map[string]asset{}
	err := fs.WalkDir(from, "static", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		contentType, ok := contentTypes[path.Ext(name)]
		if !ok {
			return fmt.Errorf("no content type for %s", name)
		}
		body, err := fs.ReadFile(from, name)
		if err != nil {
			return err
		}
		fmt.Fprintf(sum, "%s %d\n", name, len(body))
		sum.Write(body)
		bodies[path.Base(name)] = asset{contentType, body}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load static files: %w", err)
	}
	a := &assets{prefix: "/static/" + hex.EncodeToString(sum.Sum(nil))[:hashLength], files: map[string]asset{}}
	for name, file := range bodies {
		a.files[a.path(name)] = file
	}
	return a, nil
}

// path returns where a file is served.
func (a *assets) path(name string) string { return a.prefix + "/" + name }
