package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
)

const (
	// version and place are those of the release that is tested.
	version = "v0.0.1-test.1"
	place   = "https://releases.example/v0.0.1-test.1"
	// repository and agentName are where the image of it would be, and its name among agent servers.
	repository = "ghcr.io/you/platen"
	agentName  = "io.github.you/platen"

	// mostArchive and mostImage are how much a user downloads at most, in bytes: today's size and half a megabyte. They
	// find a jump, such as symbols or data that nobody meant to ship.
	mostArchive = 13 << 20
	mostImage   = 30 << 20
)

// here is the only platform of which a release is made.
var here = platform{"linux", runtime.GOARCH}

// made makes a release of a folder of source.
func made(t *testing.T, root, out string) *release {
	t.Helper()
	r := &release{
		version: version, url: place, root: root, out: out,
		repository: repository, agentName: agentName, agentURL: "https://platen.example/mcp", untagged: true,
	}
	if err := r.make(t.Context(), here.String()); err != nil {
		t.Fatal(err)
	}
	return r
}

// published is the release that all tests look at, made when the first of them wants it.
var published struct {
	folder  string
	once    sync.Once
	release *release
	files   map[string][]byte
}

func TestMain(m *testing.M) {
	var err error
	if published.folder, err = os.MkdirTemp("", "platen-release-"); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	code := m.Run()
	os.RemoveAll(published.folder)
	os.Exit(code)
}

// result are the files of the release of this source, by their names.
func result(t *testing.T) map[string][]byte {
	t.Helper()
	published.once.Do(func() {
		published.release = made(t, filepath.Join("..", "..", ".."), filepath.Join(published.folder, "dist"))
		published.files = read(t, published.release.out)
	})
	if published.files == nil {
		t.Fatal("there is no release")
	}
	return published.files
}

func read(t *testing.T, folder string) map[string][]byte {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string][]byte{}
	for _, e := range entries {
		if e.IsDir() {
			continue
		}
		if texts[e.Name()], err = os.ReadFile(filepath.Join(folder, e.Name())); err != nil {
			t.Fatal(err)
		}
	}
	return texts
}

// needs skips a test without a program, but for where all of them have to run.
func needs(t *testing.T, program string) {
	t.Helper()
	if _, err := exec.LookPath(program); err != nil {
		if os.Getenv("PLATEN_TEST_ALL") != "" {
			t.Fatalf("there is no %s", program)
		}
		t.Skipf("SKIPPED: there is no %s", program)
	}
}

// output runs a program, which has to succeed, and returns what it said.
func output(t *testing.T, environment []string, name string, args ...string) string {
	t.Helper()
	cmd := exec.CommandContext(t.Context(), name, args...)
	cmd.Env = append(os.Environ(), environment...)
	said, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", cmd, err, said)
	}
	return string(said)
}

// TestTwoBuildsAreTheSame to the byte: of two copies of the source, in two folders. A thorough run
// lets the second use nothing that the first has compiled, which takes minutes.
func TestTwoBuildsAreTheSame(t *testing.T) {
	first := result(t)
	needs(t, "git")
	source := copied(t)
	t.Setenv("SOURCE_DATE_EPOCH", fmt.Sprint(published.release.at.Unix()))
	if os.Getenv("PLATEN_TEST_THOROUGH") != "" {
		t.Setenv("GOCACHE", t.TempDir())
	}
	second := read(t, made(t, source, filepath.Join(t.TempDir(), "dist")).out)
	if a, b := slices.Sorted(maps.Keys(first)), slices.Sorted(maps.Keys(second)); !slices.Equal(a, b) {
		t.Fatalf("one has the files %v, the other %v", a, b)
	}
	for name, text := range first {
		if !bytes.Equal(text, second[name]) {
			t.Errorf("%s differs: %x and %x", name, sha256.Sum256(text), sha256.Sum256(second[name]))
		}
	}
}

// copied is the source in another folder, without its history.
func copied(t *testing.T) string {
	t.Helper()
	root := filepath.Join("..", "..", "..")
	copied := filepath.Join(t.TempDir(), "another", "place")
	for name := range strings.SplitSeq(output(t, nil, "git", "-C", root, "ls-files", "--cached", "--others",
		"--exclude-standard"), "\n") {
		if name == "" {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, name))
		if errors.Is(err, os.ErrNotExist) {
			continue // deleted, and not yet committed
		}
		if err == nil {
			err = os.MkdirAll(filepath.Join(copied, filepath.Dir(name)), 0o755)
		}
		if err == nil {
			err = os.WriteFile(filepath.Join(copied, name), text, 0o644)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return copied
}

// TestAFolderThatIsThereIsLeftAlone.
func TestAFolderThatIsThereIsLeftAlone(t *testing.T) {
	needs(t, "git")
	r := release{version: "v0.0.1", root: repositoryOf(t, "v0.0.1"), out: t.TempDir()}
	if err := r.make(t.Context(), here.String()); err == nil || !strings.Contains(err.Error(), r.out) {
		t.Errorf("got %v, want the folder %s", err, r.out)
	}
}

// TestAReleaseIsOfItsTag, with nothing changed, unless it is a trial.
func TestAReleaseIsOfItsTag(t *testing.T) {
	needs(t, "git")
	root := repositoryOf(t, "v0.0.1")
	fails := func(want string, r release) {
		t.Helper()
		r.root, r.out = root, filepath.Join(t.TempDir(), "dist")
		if err := r.make(t.Context(), here.String()); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want %q", err, want)
		}
	}
	fails("LICENSE", release{version: "v0.0.1"}) // it goes on, to a source that has nothing
	fails("no tag v0.0.2", release{version: "v0.0.2"})
	fails("LICENSE", release{version: "v0.0.2", untagged: true})
	if err := os.WriteFile(filepath.Join(root, "new"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	fails("files are changed", release{version: "v0.0.1"})
}

// repositoryOf is a repository with a tagged commit of one file.
func repositoryOf(t *testing.T, tag string) string {
	t.Helper()
	root := t.TempDir()
	if err := os.WriteFile(filepath.Join(root, "go.mod"), []byte("module none\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{
		{"init", "-q"}, {"add", "-A"},
		{"-c", "user.name=n", "-c", "user.email=e@example.com", "commit", "-qm", "one"}, {"tag", tag},
	} {
		output(t, nil, "git", append([]string{"-C", root}, args...)...)
	}
	return root
}

// TestTheSumsAreThoseOfAllFiles, as sha256sum reads them.
func TestTheSumsAreThoseOfAllFiles(t *testing.T) {
	all := result(t)
	summed := 0
	for line := range strings.Lines(string(all[sumsName])) {
		sum, name, _ := strings.Cut(strings.TrimSpace(line), "  ")
		if summed++; fmt.Sprintf("%x", sha256.Sum256(all[name])) != sum {
			t.Errorf("%s has not the sum %s", name, sum)
		}
	}
	if summed != len(all)-1 {
		t.Errorf("%d of %d files have a sum", summed, len(all)-1)
	}
}

func archiveName() string { return "platen_0.0.1-test.1_" + here.String() + ".tar.gz" }

// TestTheArchiveHasTheProgramAndWhatBelongsToIt, and is small.
func TestTheArchiveHasTheProgramAndWhatBelongsToIt(t *testing.T) {
	packed := result(t)[archiveName()]
	t.Logf("%.1f MB", float64(len(packed))/1e6)
	if len(packed) == 0 || len(packed) > mostArchive {
		t.Errorf("the archive has %d bytes, and may have %d", len(packed), mostArchive)
	}
	plain, err := gzip.NewReader(bytes.NewReader(packed))
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]int64{}
	for archive := tar.NewReader(plain); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		_, name, _ := strings.Cut(h.Name, "/")
		names[name] = h.Mode
		if h.Uid != 0 || h.Uname != "" || !h.ModTime.Equal(published.release.at) {
			t.Errorf("%s is of %d %q at %s", h.Name, h.Uid, h.Uname, h.ModTime)
		}
	}
	for _, name := range []string{
		"LICENSE", "README.md", "CHANGELOG.md", "completions/platen.bash", "completions/_platen",
		"completions/platen.fish", "completions/platen.ps1",
	} {
		if names[name] != 0o644 {
			t.Errorf("%s has the mode %o", name, names[name])
		}
	}
	if names["platen"] != 0o755 {
		t.Errorf("the program has the mode %o", names["platen"])
	}
}

// TestTheScriptInstallsWhatHasTheRightSum, and nothing else.
func TestTheScriptInstallsWhatHasTheRightSum(t *testing.T) {
	all := maps.Clone(result(t))
	s := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		text, there := all[strings.TrimPrefix(r.URL.Path, "/a/")]
		if !there {
			http.NotFound(w, r)
			return
		}
		w.Write(text)
	}))
	t.Cleanup(s.Close)
	script := filepath.Join(t.TempDir(), "install.sh")
	if err := os.WriteFile(script, all["install.sh"], 0o755); err != nil {
		t.Fatal(err)
	}
	if text := string(all["install.sh"]); !strings.Contains(text, place) || !strings.Contains(text, version) {
		t.Error("the script does not say which release it installs")
	}
	folder := t.TempDir()
	environment := []string{"PLATEN_RELEASES=" + s.URL + "/a", "PLATEN_INSTALL=" + folder}
	for range 2 { // the second replaces the first
		output(t, environment, "sh", script)
	}
	if said := output(t, nil, filepath.Join(folder, "platen"), "--version"); said != "platen "+version+"\n" {
		t.Errorf("what was installed says %q", said)
	}

	broken := bytes.Clone(all[archiveName()])
	broken[len(broken)/2] ^= 1
	all[archiveName()] = broken
	another := t.TempDir()
	cmd := exec.CommandContext(t.Context(), "sh", script)
	cmd.Env = append(os.Environ(), "PLATEN_RELEASES="+s.URL+"/a", "PLATEN_INSTALL="+another)
	said, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(said), "nothing was installed") {
		t.Errorf("a broken archive: %v\n%s", err, said)
	}
	if left := read(t, another); len(left) != 0 {
		t.Errorf("a broken archive leaves %v", slices.Sorted(maps.Keys(left)))
	}
}

// TestThePackagesPutThingsWhereTheyBelong, as dpkg and rpm read them.
func TestThePackagesPutThingsWhereTheyBelong(t *testing.T) {
	result(t)
	out := published.release.out
	for format, list := range map[string][]string{
		"deb": {"dpkg-deb", "--contents"}, "rpm": {"rpm", "-qlp", "--nosignature"},
	} {
		t.Run(format, func(t *testing.T) {
			needs(t, list[0])
			found, err := filepath.Glob(filepath.Join(out, "platen*."+format))
			if err != nil || len(found) != 1 {
				t.Fatalf("there are the packages %v, %v", found, err)
			}
			said := output(t, nil, list[0], append(list[1:], found[0])...)
			for _, name := range append(slices.Collect(maps.Values(homes)), "/usr/bin/platen") {
				if !strings.Contains(said, name) {
					t.Errorf("there is no %s in\n%s", name, said)
				}
			}
		})
	}
}

// TestTheListOfModulesNamesWhatIsInside.
func TestTheListOfModulesNamesWhatIsInside(t *testing.T) {
	text := string(result(t)["platen_0.0.1-test.1_"+here.String()+".cdx.json"])
	for _, name := range []string{`"modernc.org/sqlite"`, `"github.com/spf13/cobra"`, `"std"`, `"` + version + `"`} {
		if !strings.Contains(text, name) {
			t.Errorf("the list does not name %s", name)
		}
	}
}

// TestTheFormulaNamesTheArchive with its sum.
func TestTheFormulaNamesTheArchive(t *testing.T) {
	text := string(result(t)["platen.rb"])
	for _, want := range []string{
		place + "/" + archiveName(), fmt.Sprintf("%x", sha256.Sum256(result(t)[archiveName()])), "on_linux do",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("the formula does not say %s:\n%s", want, text)
		}
	}
}

// TestTheServerJSONNamesTheImage that was made, which says in its label to whom it belongs.
func TestTheServerJSONNamesTheImage(t *testing.T) {
	var listed struct {
		Name, Version string
		Packages      []struct{ Identifier string }
		Remotes       []struct{ URL string }
	}
	if err := json.Unmarshal(result(t)["server.json"], &listed); err != nil {
		t.Fatal(err)
	}
	if listed.Name != agentName || listed.Version != "0.0.1-test.1" || len(listed.Packages) != 1 ||
		listed.Packages[0].Identifier != repository+":0.0.1-test.1" || len(listed.Remotes) != 1 {
		t.Errorf("the server.json is %+v", listed)
	}
	if labels := labelsOf(t, result(t)["platen_0.0.1-test.1_image.tar"]); labels[ownerLabel] != agentName {
		t.Errorf("the image has the labels %v", labels)
	}
}

// labelsOf are the labels of the only image in an OCI archive.
func labelsOf(t *testing.T, packed []byte) map[string]string {
	t.Helper()
	for archive := tar.NewReader(bytes.NewReader(packed)); ; {
		if _, err := archive.Next(); err != nil {
			t.Fatalf("there is no configuration in the image: %v", err)
		}
		text, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		var image struct {
			Config struct{ Labels map[string]string }
		}
		if json.Unmarshal(text, &image) == nil && image.Config.Labels != nil {
			return image.Config.Labels
		}
	}
}

// TestTheImagePlaysAnOrder: one that the release has, and one that buildah makes with the
// Dockerfile of the program that is built. In both, in a root of its own with nothing else in it,
// an order comes to its money.
func TestTheImagePlaysAnOrder(t *testing.T) {
	packed := result(t)["platen_0.0.1-test.1_image.tar"]
	t.Logf("%.1f MB", float64(len(packed))/1e6)
	if len(packed) == 0 || len(packed) > mostImage {
		t.Errorf("the image has %d bytes, and may have %d", len(packed), mostImage)
	}
	needs(t, "buildah")
	store := t.TempDir()
	buildah := func(args ...string) string {
		t.Helper()
		return output(t, []string{"BUILDAH_ISOLATION=chroot"}, "buildah", append([]string{
			"--root", filepath.Join(store, "root"), "--runroot", filepath.Join(store, "run"), "--storage-driver", "vfs",
		}, args...)...)
	}
	context := filepath.Join(t.TempDir(), "ready")
	layOut(t, filepath.Join(context, "out", "root"))
	buildah("build", "--quiet", "--build-context", "build="+context, "--tag", "built", filepath.Join("..", "..", ".."))
	for name, image := range map[string]string{
		"of the release": "oci-archive:" + filepath.Join(published.release.out, "platen_0.0.1-test.1_image.tar"),
		"of Dockerfile":  "built",
	} {
		t.Run(name, func(t *testing.T) {
			container := last(buildah("from", "--pull-never", image))
			defer buildah("rm", container)
			config := buildah("inspect", "--format", "{{.OCIv1.Config.User}} {{.OCIv1.Config.Entrypoint}} "+
				"{{.OCIv1.Config.Cmd}} {{.OCIv1.Config.Volumes}} {{.OCIv1.Config.ExposedPorts}}", container)
			if want := "65532:65532 [/platen] [serve] map[/data:{}] map[8080/tcp:{}]"; last(config) != want {
				t.Errorf("the image is %q, want %q", config, want)
			}
			if said := buildah("run", container, "--", "/platen", "demo"); !strings.Contains(said, "Paid.") {
				t.Errorf("the demo said\n%s", said)
			}
			root := last(buildah("mount", container))
			defer buildah("umount", container)
			for name := range inside(t, root) {
				if !slices.Contains([]string{"platen", "LICENSE", "data", "tmp"}, name) && !mounted(name) {
					t.Errorf("the image has %s, too", name)
				}
			}
		})
	}
}

// TestTheDockerfileStampsTheVersion: its first stage, over the files that .dockerignore lets in.
func TestTheDockerfileStampsTheVersion(t *testing.T) {
	root, source, out := filepath.Join("..", "..", ".."), t.TempDir(), t.TempDir()
	ignored, err := os.ReadFile(filepath.Join(root, ".dockerignore"))
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(ignored)) {
		if name, lets := strings.CutPrefix(strings.TrimSpace(line), "!"); lets {
			absolute, err := filepath.Abs(filepath.Join(root, name))
			if err == nil {
				err = os.Symlink(absolute, filepath.Join(source, name))
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
	text, err := os.ReadFile(filepath.Join(root, "Dockerfile"))
	if err != nil {
		t.Fatal(err)
	}
	_, steps, found := strings.Cut(strings.ReplaceAll(string(text), "\\\n", " "), "\nRUN CGO_ENABLED=0")
	steps, _, made := strings.Cut(steps, "&& mkdir")
	if !found || !made {
		t.Fatalf("the Dockerfile builds in another way:\n%s", text)
	}
	script := "cd '" + source + "' && CGO_ENABLED=0 " + strings.ReplaceAll(steps, "/out/root/", out+"/")
	output(t, []string{"VERSION=" + version}, "sh", "-ec", script)
	if said := output(t, nil, filepath.Join(out, "platen"), "--version"); said != "platen "+version+"\n" {
		t.Errorf("the program says %q", said)
	}
}

// mounted reports whether a name in the root of a container is one that buildah itself makes to
// run something there.
func mounted(name string) bool {
	return slices.Contains([]string{"dev", "proc", "sys", "etc", "run", "var"}, name)
}

// inside are the names in a folder.
func inside(t *testing.T, folder string) map[string]bool {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	for _, e := range entries {
		names[e.Name()] = true
	}
	return names
}

// last is the last line of what a program said.
func last(said string) string {
	lines := strings.Split(strings.TrimSpace(said), "\n")
	return lines[len(lines)-1]
}

// layOut puts the program into a folder as the first stage of the Dockerfile does.
func layOut(t *testing.T, root string) {
	t.Helper()
	for _, folder := range []struct {
		name string
		mode os.FileMode
	}{{"data", 0o700}, {"tmp", 0o777 | os.ModeSticky}} {
		path := filepath.Join(root, folder.name)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(path, folder.mode); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chown(filepath.Join(root, "data"), nobody, nobody); err != nil {
		t.Fatal(err)
	}
	packed, err := gzip.NewReader(bytes.NewReader(result(t)[archiveName()]))
	if err != nil {
		t.Fatal(err)
	}
	for archive := tar.NewReader(packed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if name := filepath.Base(h.Name); name == "platen" || name == "LICENSE" {
			text, err := io.ReadAll(archive)
			if err == nil {
				err = os.WriteFile(filepath.Join(root, name), text, h.FileInfo().Mode())
			}
			if err != nil {
				t.Fatal(err)
			}
		}
	}
}
