// Command release makes what users download: an archive for each platform with the program,
// its licence and the completions for shells, packages for Linux, an image for containers, lists
// of the modules inside, a formula for Homebrew, a server.json for registries of agent servers, the
// clients as files for pip and npm, the script that installs an archive, and the sums of all of them.
//
//	go run -C build/tools/release . --version v0.1.0 --root ../../.. --out ../../../dist --url https://…/v0.1.0
//
// The same commit gives the same bytes: nothing of the machine, its clock or its folders gets
// into a file. Times are those of the commit.
package main

import (
	"bytes"
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"time"
)

// platform is one that the program is built for, in Go's names.
type platform struct{ os, arch string }

func (p platform) String() string { return p.os + "_" + p.arch }

// program is the name of the program's file there.
func (p platform) program() string {
	if p.os == "windows" {
		return "platen.exe"
	}
	return "platen"
}

// platforms are those of a release.
var platforms = []platform{ //nolint:gochecknoglobals // read only
	{"darwin", "amd64"}, {"darwin", "arm64"}, {"linux", "amd64"}, {"linux", "arm64"}, {"windows", "amd64"},
	{"windows", "arm64"},
}

// versions are those of Semantic Versioning, with a v, as modules have them.
var versions = regexp.MustCompile(`^v(0|[1-9]\d*)\.(0|[1-9]\d*)\.(0|[1-9]\d*)(-[0-9A-Za-z-]+(\.[0-9A-Za-z-]+)*)?$`)

func main() {
	var r release
	only := flag.String("platforms", "all", "platforms such as linux_arm64,darwin_arm64, or all")
	flag.StringVar(&r.version, "version", "", "version to stamp, such as v0.1.0")
	flag.StringVar(&r.url, "url", "", "URL of the folder that the files will be in; without it there is no formula")
	flag.StringVar(&r.repository, "image", "", "where the image will be, without a tag, such as ghcr.io/you/platen; "+
		"without it there is no server.json")
	flag.StringVar(&r.agentName, "mcp-name", "", "name in the registry of agent servers, such as io.github.you/platen")
	flag.StringVar(&r.agentURL, "mcp-url", "", "agent endpoint of a server that others can reach; empty for none")
	flag.StringVar(&r.root, "root", ".", "folder of the module")
	flag.StringVar(&r.out, "out", "dist", "folder for the files, which it makes")
	flag.BoolVar(&r.untagged, "untagged", false,
		"for a trial: the commit needs no tag of the version, and files may be changed")
	flag.Parse()
	if err := r.make(context.Background(), *only); err != nil {
		fmt.Fprintln(os.Stderr, "release:", err)
		os.Exit(1)
	}
}

// release describes the release to make.
type release struct {
	version, url, root, out string
	// repository is where the image will be, agentName the name of the server in a registry of
	// agent servers, and agentURL its endpoint; all may be empty.
	repository, agentName, agentURL string
	// untagged lets the source be another one than that of the version.
	untagged bool
	// at is the time of every file.
	at time.Time
	// stage is a folder for what is not to be published.
	stage string
	// shared are the files of every archive beside the program.
	shared []file
}

// number is the version without its v.
func (r *release) number() string { return strings.TrimPrefix(r.version, "v") }

// write publishes a file of the release.
func (r *release) write(name string, text []byte, mode os.FileMode) error {
	return os.WriteFile(filepath.Join(r.out, name), text, mode)
}

func (r *release) make(ctx context.Context, only string) error {
	if !versions.MatchString(r.version) {
		return fmt.Errorf("the version is %q; it has to be like v0.1.0 or v0.1.0-rc.1", r.version)
	}
	chosen, err := choose(only)
	if err != nil {
		return err
	}
	// Go writes the program, from the folder of the module.
	for _, folder := range []*string{&r.root, &r.out} {
		if *folder, err = filepath.Abs(*folder); err != nil {
			return err
		}
	}
	if err := r.checkSource(ctx); err != nil {
		return err
	}
	if r.at, err = r.committed(ctx); err != nil {
		return err
	}
	if _, err := os.Stat(r.out); err == nil {
		return fmt.Errorf("there is %s: remove it, or choose another folder with --out", r.out)
	}
	// Beside the folder of the files, so that a release is there as a whole or not at all.
	if r.stage, err = os.MkdirTemp(filepath.Dir(filepath.Clean(r.out)), ".release-"); err != nil {
		return err
	}
	defer os.RemoveAll(r.stage) //nolint:errcheck // a temporary folder
	whole := r.out
	r.out = filepath.Join(r.stage, "dist")
	defer func() { r.out = whole }()
	if err := os.Mkdir(r.out, 0o755); err != nil {
		return err
	}
	if err := r.share(ctx); err != nil {
		return err
	}
	var images []built
	for _, p := range chosen {
		b, err := r.platform(ctx, p)
		if err != nil {
			return fmt.Errorf("%s: %w", p, err)
		}
		if p.os == "linux" {
			images = append(images, b)
		}
	}
	if len(images) > 0 {
		if err := r.image(images); err != nil {
			return fmt.Errorf("image: %w", err)
		}
	}
	if err := r.clients(); err != nil {
		return err
	}
	if err := r.installer(); err != nil {
		return err
	}
	if err := r.formula(); err != nil {
		return err
	}
	if err := r.sums(os.Stdout); err != nil {
		return err
	}
	return os.Rename(r.out, whole)
}

// checkSource reports why the source is not that of the version: a file is changed, or the commit has another tag.
func (r *release) checkSource(ctx context.Context) error {
	if r.untagged {
		return nil
	}
	changed, err := r.run(ctx, nil, "git", "status", "--porcelain")
	if err != nil {
		return err
	}
	if len(changed) > 0 {
		return fmt.Errorf("files are changed: commit them, or add --untagged for a trial\n%s", changed)
	}
	tags, err := r.run(ctx, nil, "git", "tag", "--points-at", "HEAD")
	if err != nil {
		return err
	}
	if !slices.Contains(strings.Fields(string(tags)), r.version) {
		return fmt.Errorf("the commit has no tag %s: git tag %[1]s, or add --untagged for a trial", r.version)
	}
	return nil
}

// built is the program for a platform.
type built struct {
	platform

	path    string
	program []byte
}

// platform makes all that is for one platform alone.
func (r *release) platform(ctx context.Context, p platform) (built, error) {
	b := built{platform: p, path: filepath.Join(r.stage, p.String(), p.program())}
	if err := r.build(ctx, p, b.path); err != nil {
		return b, err
	}
	var err error
	if b.program, err = os.ReadFile(b.path); err != nil {
		return b, err
	}
	if err := r.archive(b); err != nil {
		return b, err
	}
	if err := r.modules(ctx, b); err != nil {
		return b, err
	}
	if p.os != "linux" {
		return b, nil
	}
	return b, r.packages(b)
}

// choose are the platforms that a list names.
func choose(list string) ([]platform, error) {
	if list == "all" {
		return platforms, nil
	}
	var chosen []platform
	for name := range strings.SplitSeq(list, ",") {
		at := slices.IndexFunc(platforms, func(p platform) bool { return p.String() == name })
		if at < 0 {
			return nil, fmt.Errorf("there is no platform %q; there are %v", name, platforms)
		}
		chosen = append(chosen, platforms[at])
	}
	return chosen, nil
}

// committed is when the commit was made, or what SOURCE_DATE_EPOCH says.
func (r *release) committed(ctx context.Context) (time.Time, error) {
	seconds := os.Getenv("SOURCE_DATE_EPOCH")
	if seconds == "" {
		out, err := r.run(ctx, nil, "git", "log", "-1", "--format=%ct")
		if err != nil {
			return time.Time{}, err
		}
		seconds = strings.TrimSpace(string(out))
	}
	n, err := strconv.ParseInt(seconds, 10, 64)
	if err != nil {
		return time.Time{}, fmt.Errorf("the time of the commit is %q: %w", seconds, err)
	}
	return time.Unix(n, 0).UTC(), nil
}

// build makes the program for a platform.
func (r *release) build(ctx context.Context, p platform, to string) error {
	_, err := r.run(ctx, []string{"CGO_ENABLED=0", "GOOS=" + p.os, "GOARCH=" + p.arch, "GOFLAGS="},
		"go", "build", "-trimpath", "-buildvcs=false",
		"-ldflags=-s -w -buildid= -X platen/internal/server.stamped="+r.version, "-o", to, "./cmd/platen")
	return err
}

// share collects the files of every archive beside the program: what a person reads, and the
// completions, which the program for this machine writes.
func (r *release) share(ctx context.Context) error {
	for _, name := range []string{"LICENSE", "README.md", "CHANGELOG.md"} {
		text, err := os.ReadFile(filepath.Join(r.root, name))
		if err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: name, text: text, mode: 0o644})
	}
	here := platform{runtime.GOOS, runtime.GOARCH}
	program := filepath.Join(r.stage, here.program())
	if err := r.build(ctx, here, program); err != nil {
		return err
	}
	for shell, name := range completions {
		text, err := r.run(ctx, nil, program, "completion", shell)
		if err != nil {
			return err
		}
		r.shared = append(r.shared, file{name: "completions/" + name, text: text, mode: 0o644})
	}
	return r.registration(ctx)
}

// completions are the files of completions, by their shells.
var completions = map[string]string{ //nolint:gochecknoglobals // read only
	"bash": "platen.bash", "zsh": "_platen", "fish": "platen.fish", "powershell": "platen.ps1",
}

// archive writes the archive of a platform: a zip for Windows, a tarball elsewhere.
func (r *release) archive(b built) error {
	name := fmt.Sprintf("platen_%s_%s", r.number(), b.platform)
	files := append([]file{{name: b.platform.program(), text: b.program, mode: 0o755}}, r.shared...)
	slices.SortFunc(files, func(a, b file) int { return strings.Compare(a.name, b.name) })
	for i := range files {
		files[i].name = name + "/" + files[i].name
	}
	var packed bytes.Buffer
	pack, ending := gzipped, ".tar.gz"
	if b.os == "windows" {
		pack, ending = zipped, ".zip"
	}
	if err := pack(&packed, files, r.at); err != nil {
		return err
	}
	return r.write(name+ending, packed.Bytes(), 0o644)
}

// run runs a command in the folder of the module, and returns what it printed.
func (r *release) run(ctx context.Context, environment []string, name string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir, cmd.Env = r.root, append(os.Environ(), environment...)
	var complaints bytes.Buffer
	cmd.Stderr = &complaints
	out, err := cmd.Output()
	if err != nil {
		return nil, errors.Join(fmt.Errorf("%s: %w", cmd, err), errors.New(complaints.String()))
	}
	return out, nil
}
