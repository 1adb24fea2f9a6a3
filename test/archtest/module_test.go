package archtest_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
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
	// listed has each package of the program, those of others too, by import path.
	listed map[string]listed

	checking sync.Mutex // guards what follows
	// imported has the packages whose declarations were wanted, types those that were
	// checked whole.
	imported map[string]*types.Package
	types    map[*unit]*types.Info
}

// unit is one package with its tests, and with the files that this machine
// would not build.
type unit struct {
	// path is relative to the module, such as internal/words/event.
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

// inCore reports whether a package belongs to the simulation, or decides for the desk beside it: it is pure.
func (u *unit) inCore() bool {
	return u.path == core || strings.HasPrefix(u.path, core+"/") || strings.HasPrefix(u.path, "internal/desk/")
}

// listed has the fields of a package in `go list`.
type listed struct {
	ImportPath, Name, Dir                              string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string
	// ImportMap has the paths of packages that the standard library has copies of.
	ImportMap map[string]string
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
	cmd := exec.Command("go", "list", "-e", "-deps",
		"-json=ImportPath,Name,Dir,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,ImportMap", "./...")
	cmd.Dir, cmd.Env = root, append(os.Environ(), "CGO_ENABLED=0") // without the types of C
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
	p := &program{fset: token.NewFileSet(), listed: map[string]listed{}, imported: map[string]*types.Package{},
		types: map[*unit]*types.Info{}}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			return p, nil
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		p.listed[l.ImportPath] = l
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

// importsOf finds what a package imports: the declarations, without what functions do. They are
// read from source, since compiled packages would be compiled a second time beside the
// go command that runs this test.
type importsOf struct {
	*program

	listed listed
}

// Import implements types.Importer.
func (f importsOf) Import(path string) (*types.Package, error) {
	if mapped, ok := f.listed.ImportMap[path]; ok {
		path = mapped
	}
	if path == "unsafe" {
		return types.Unsafe, nil
	}
	if known, ok := f.imported[path]; ok {
		return known, nil
	}
	l := f.program.listed[path]
	var files []*ast.File
	for _, name := range l.GoFiles {
		file, err := parser.ParseFile(f.fset, filepath.Join(l.Dir, name), nil, parser.SkipObjectResolution)
		if err != nil {
			return nil, err
		}
		files = append(files, file)
	}
	config := types.Config{Importer: importsOf{f.program, l}, IgnoreFuncBodies: true}
	declared, err := config.Check(path, f.fset, files, nil)
	f.imported[path] = declared
	return declared, err
}

// check adds types to the packages that are wanted, each by itself.
func (p *program) check(t *testing.T, wanted func(*unit) bool) []checked {
	t.Helper()
	p.checking.Lock()
	defer p.checking.Unlock()
	var all []checked
	for _, u := range p.packages {
		if !wanted(u) {
			continue
		}
		if _, known := p.types[u]; !known {
			info, err := p.typesOf(u)
			if err != nil {
				t.Fatalf("%s does not compile: %v", u.path, err)
			}
			p.types[u] = info
		}
		all = append(all, checked{unit: u, info: p.types[u]})
	}
	if len(all) == 0 {
		t.Fatal("no package to check: has the layout changed?")
	}
	return all
}

func (p *program) typesOf(u *unit) (*types.Info, error) {
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
	path := module + "/" + u.path
	config := types.Config{Importer: importsOf{p, p.listed[path]}}
	_, err := config.Check(path, p.fset, files, info)
	return info, err
}

// sourcesOf returns the files that were checked.
func (c *checked) sources() []*source {
	return slices.DeleteFunc(slices.Clone(c.files), func(f *source) bool { return !f.built })
}
