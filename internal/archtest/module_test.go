package archtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	module = "platen"
	root   = "../.."
	core   = "internal/company"
)

// program is all source code of the module, read once for all tests.
type program struct {
	fset     *token.FileSet
	packages []*unit
	// exports are the files of compiled export data by import path.
	exports map[string]string
}

// unit is one package with its tests, and with the files that this machine
// would not build.
type unit struct {
	// path is relative to the module, such as internal/event.
	path  string
	name  string
	files []*source
}

// source is one file.
type source struct {
	*ast.File
	unit *unit
	// path is relative to the module.
	path string
	test bool
	// built is unset for files of other operating systems.
	built bool
	text  []byte
}

func (s *source) generated() bool { return ast.IsGenerated(s.File) }

func (s *source) lines() []string {
	return strings.Split(strings.TrimSuffix(string(s.text), "\n"), "\n")
}

// inCore reports whether a package belongs to the simulation.
func (u *unit) inCore() bool { return u.path == core || strings.HasPrefix(u.path, core+"/") }

// listed is what `go list` says of a package.
type listed struct {
	ImportPath, Name, Dir, Export                      string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
}

var load = sync.OnceValues(readProgram)

func theProgram(t *testing.T) *program {
	t.Helper()
	p, err := load()
	if err != nil {
		t.Fatal(err)
	}
	return p
}

// readProgram asks the go command once. Packages that do not compile are read
// all the same: only what needs their types fails then.
func readProgram() (*program, error) {
	cmd := exec.Command("go", "list", "-e", "-deps", "-export",
		"-json=ImportPath,Name,Dir,Export,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles", "./...")
	cmd.Dir = root
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w\n%s", err, stderr.Bytes())
	}
	top, err := filepath.Abs(root)
	if err != nil {
		return nil, err
	}
	if err := noticeNewFiles(top); err != nil {
		return nil, err
	}
	p := &program{fset: token.NewFileSet(), exports: map[string]string{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		p.exports[l.ImportPath] = l.Export
		if path, ok := ours(l.ImportPath); ok && l.Dir != "" {
			u, err := p.read(top, path, l)
			if err != nil {
				return nil, err
			}
			p.packages = append(p.packages, u)
		}
	}
}

// noticeNewFiles reads every folder. The cache of test results looks at what
// this process opens, not at what the go command does: without this, a file
// that is added would not make these tests run again.
func noticeNewFiles(top string) error {
	return filepath.WalkDir(top, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := strings.HasPrefix(entry.Name(), ".") || entry.Name() == "bin" || entry.Name() == "data"
		if entry.IsDir() && hidden && path != top {
			return fs.SkipDir
		}
		return nil
	})
}

// ours returns an import path of this module relative to it.
func ours(path string) (string, bool) { return strings.CutPrefix(path, module+"/") }

func (p *program) read(top, path string, l listed) (*unit, error) {
	u := &unit{path: path, name: l.Name}
	for _, names := range [][]string{l.GoFiles, l.IgnoredGoFiles, l.TestGoFiles, l.XTestGoFiles} {
		for _, name := range names {
			full := filepath.Join(l.Dir, name)
			text, err := os.ReadFile(full)
			if err != nil {
				return nil, err
			}
			relative, err := filepath.Rel(top, full)
			if err != nil {
				return nil, err
			}
			relative = filepath.ToSlash(relative)
			// Positions are relative to the module, to be clicked on.
			f, err := parser.ParseFile(p.fset, relative, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return nil, err
			}
			u.files = append(u.files, &source{
				File: f, unit: u, path: relative, text: text,
				test: strings.HasSuffix(name, "_test.go"), built: slices.Contains(l.GoFiles, name),
			})
		}
	}
	return u, nil
}

// sources calls yield for each file that is no test.
func (p *program) sources(yield func(*source) bool) {
	for f := range p.all {
		if !f.test && !yield(f) {
			return
		}
	}
}

// all calls yield for each file.
func (p *program) all(yield func(*source) bool) {
	for _, u := range p.packages {
		for _, f := range u.files {
			if !yield(f) {
				return
			}
		}
	}
}

func (p *program) at(pos token.Pos) token.Position { return p.fset.Position(pos) }

// checked is a package with its types.
type checked struct {
	*unit
	info *types.Info
}

// check adds types to the packages that are wanted. Their imports come from
// the export data of the go command, so each is checked by itself.
func (p *program) check(t *testing.T, wanted func(*unit) bool) []checked {
	t.Helper()
	imports := importer.ForCompiler(p.fset, "gc", func(path string) (io.ReadCloser, error) {
		if p.exports[path] == "" {
			return nil, fmt.Errorf("%s does not compile", path)
		}
		return os.Open(p.exports[path])
	})
	var all []checked
	for _, u := range p.packages {
		if !wanted(u) {
			continue
		}
		var files []*ast.File
		for _, f := range u.files {
			if f.built {
				files = append(files, f.File)
			}
		}
		info := &types.Info{
			Types: map[ast.Expr]types.TypeAndValue{}, Uses: map[*ast.Ident]types.Object{},
			Defs: map[*ast.Ident]types.Object{},
		}
		config := types.Config{Importer: imports}
		if _, err := config.Check(module+"/"+u.path, p.fset, files, info); err != nil {
			t.Fatalf("%s does not compile: %v", u.path, err)
		}
		all = append(all, checked{unit: u, info: info})
	}
	if len(all) == 0 {
		t.Fatal("no package to check: has the layout changed?")
	}
	return all
}

// sourcesOf returns the files that were checked.
func (c *checked) sources() []*source {
	return slices.DeleteFunc(slices.Clone(c.files), func(f *source) bool { return !f.built })
}
