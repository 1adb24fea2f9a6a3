package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/parser"
	"go/token"
	"go/types"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// module is the Go code of the module that this program was started in.
type module struct {
	// path is its import path, dir where it is.
	path, dir string
	fset      *token.FileSet
	packages  []*unit
	// files are all Go files by their path in the module.
	files map[string]*source
	// info has the types of the program's files.
	info *types.Info
	// declared are the functions, methods, types, constants and variables of
	// the program's packages, with the code that declares them. uses are the places
	// of the program that name them.
	declared map[types.Object]span
	uses     map[types.Object][]token.Pos
}

// unit is a package.
type unit struct {
	// path is relative to the module.
	path, name string
	// files are those that this machine builds, and then its tests.
	files []*source
}

// source is a Go file.
type source struct {
	path   string
	text   string
	syntax *ast.File
	// built is set for files of the program that this machine builds, whose types
	// are known.
	built bool
}

// byHand reports whether people write the file. This program is left out, since
// the names that it searches for are in it.
func (s *source) byHand() bool {
	return !ast.IsGenerated(s.syntax) && filepath.Dir(s.path) != ownFolder
}

// listed is a package in the output of go list.
type listed struct {
	ImportPath, Name, Dir, Export                      string
	GoFiles, IgnoredGoFiles, TestGoFiles, XTestGoFiles []string

	Module *struct {
		Path, Dir string
		Main      bool
	}
}

// readModule asks the go command for the packages and reads them with their
// types.
func readModule(ctx context.Context) (*module, error) {
	cmd := exec.CommandContext(ctx, "go", "list", "-deps", "-export",
		"-json=ImportPath,Name,Dir,Export,GoFiles,IgnoredGoFiles,TestGoFiles,XTestGoFiles,Module", "./...")
	cmd.Env = append(cmd.Environ(), "CGO_ENABLED=0")
	cmd.Stderr = os.Stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go list: %w", err)
	}
	m := &module{
		fset: token.NewFileSet(), files: map[string]*source{}, declared: map[types.Object]span{},
		uses: map[types.Object][]token.Pos{},
		info: &types.Info{
			Uses: map[*ast.Ident]types.Object{}, Defs: map[*ast.Ident]types.Object{},
			Types: map[ast.Expr]types.TypeAndValue{},
		},
	}
	exports := map[string]string{}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var l listed
		if err := d.Decode(&l); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, fmt.Errorf("read go list: %w", err)
		}
		exports[l.ImportPath] = l.Export
		if l.Module != nil && l.Module.Main {
			m.path, m.dir = l.Module.Path, l.Module.Dir
			if err := m.read(&l); err != nil {
				return nil, err
			}
		}
	}
	if err := m.check(exports); err != nil {
		return nil, err
	}
	m.index()
	return m, nil
}

func (m *module) read(l *listed) error {
	u := &unit{path: strings.TrimPrefix(strings.TrimPrefix(l.ImportPath, m.path), "/"), name: l.Name}
	for i, names := range [][]string{l.GoFiles, l.IgnoredGoFiles, l.TestGoFiles, l.XTestGoFiles} {
		for _, name := range names {
			text, err := os.ReadFile(filepath.Join(l.Dir, name))
			if err != nil {
				return fmt.Errorf("read the module: %w", err)
			}
			path := u.path + "/" + name
			syntax, err := parser.ParseFile(m.fset, path, text, parser.ParseComments|parser.SkipObjectResolution)
			if err != nil {
				return fmt.Errorf("read the module: %w", err)
			}
			f := &source{path: path, text: string(text), syntax: syntax, built: i == 0}
			u.files, m.files[path] = append(u.files, f), f
		}
	}
	m.packages = append(m.packages, u)
	return nil
}

// check finds out which name means which object. Packages come in the order of
// their imports, so that one object is the same in all of them.
func (m *module) check(exports map[string]string) error {
	foreign := importer.ForCompiler(m.fset, "gc", func(path string) (io.ReadCloser, error) {
		return os.Open(exports[path])
	})
	done := map[string]*types.Package{}
	config := types.Config{Importer: importing(func(path string) (*types.Package, error) {
		if p := done[path]; p != nil {
			return p, nil
		}
		return foreign.Import(path) //nolint:wrapcheck // it says which
	})}
	for _, u := range m.packages {
		var files []*ast.File
		for _, f := range u.files {
			if f.built {
				files = append(files, f.syntax)
			}
		}
		p, err := config.Check(m.path+"/"+u.path, m.fset, files, m.info)
		if err != nil {
			return fmt.Errorf("check %s: %w", u.path, err)
		}
		done[m.path+"/"+u.path] = p
	}
	return nil
}

// importing is an importer that is a function.
type importing func(path string) (*types.Package, error)

// Import implements types.Importer.
func (f importing) Import(path string) (*types.Package, error) { return f(path) }

// program lists the files of the program, also generated ones, without tests.
func (m *module) program() []*source {
	var files []*source
	for _, f := range m.files {
		if f.built && !isTest(f.path) {
			files = append(files, f)
		}
	}
	slices.SortFunc(files, func(a, b *source) int { return strings.Compare(a.path, b.path) })
	return files
}

// index notes declarations and uses of the program.
func (m *module) index() {
	for _, f := range m.program() {
		for _, declaration := range f.syntax.Decls {
			m.declare(declaration)
		}
		ast.Inspect(f.syntax, func(n ast.Node) bool {
			id, ok := n.(*ast.Ident)
			if !ok {
				return true
			}
			object := m.info.Uses[id]
			if fn, ok := object.(*types.Func); ok {
				object = fn.Origin() // of a method of a generic type
			}
			if object != nil {
				m.uses[object] = append(m.uses[object], id.Pos())
			}
			return true
		})
	}
}

func (m *module) declare(declaration ast.Decl) {
	switch d := declaration.(type) {
	case *ast.FuncDecl:
		m.declared[m.info.Defs[d.Name]] = span{d.Pos(), d.End()}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch s := spec.(type) {
			case *ast.TypeSpec:
				m.declared[m.info.Defs[s.Name]] = span{s.Pos(), s.End()}
			case *ast.ValueSpec:
				for _, name := range s.Names {
					m.declared[m.info.Defs[name]] = span{s.Pos(), s.End()}
				}
			}
		}
	}
}
