//go:build unix

package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// bare are the programs of a machine without Go: those of the system alone.
const bare = "PATH=/usr/bin:/bin:/usr/sbin:/sbin"

// unpacked is the program of the release's archive.
func unpacked(t *testing.T) (program string) {
	t.Helper()
	result(t)
	folder := t.TempDir()
	archive := filepath.Join(published.release.out, archiveName())
	output(t, nil, "tar", "-xzf", archive, "-C", folder, "--strip-components", "1")
	return filepath.Join(folder, "platen")
}

// serving starts the program of the release, until the test ends.
func serving(t *testing.T) (origin string) {
	t.Helper()
	listen, folder := free(t), t.TempDir()
	cmd := exec.CommandContext(t.Context(), unpacked(t), "serve", "--profile", "local", "--listen", listen,
		"--database", filepath.Join(folder, "platen.db"))
	cmd.Env = []string{bare, "HOME=" + folder}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _, _ = cmd.Process.Kill(), cmd.Wait() })
	origin = "http://" + listen
	output(t, nil, "curl", "-fsS", "--retry", "120", "--retry-delay", "1", "--retry-all-errors", origin+"/readyz")
	return origin
}

// TestTheWheelIsInstalledWithoutANetwork, and accepts an order.
func TestTheWheelIsInstalledWithoutANetwork(t *testing.T) {
	needs(t, "python3")
	needs(t, "curl")
	folder, origin := t.TempDir(), serving(t)
	wheel := filepath.Join(published.release.out, "platen-"+clientVersion(t)+"-py3-none-any.whl")
	output(t, nil, "python3", "-m", "venv", folder)
	python := filepath.Join(folder, "bin", "python")
	output(t, nil, python, "-m", "pip", "install", "--no-index", wheel)
	said := output(t, []string{"PYTHONPATH="}, python, "-c", `
import importlib.metadata as metadata, pathlib, platen
assert pathlib.Path(platen.__file__).is_relative_to("`+folder+`"), platen.__file__
assert metadata.version("platen") == platen.VERSION
assert (pathlib.Path(platen.__file__).parent / "py.typed").exists()
[plugin] = metadata.entry_points(group="pytest11", name="platen")
sandbox = platen.create_sandbox("`+origin+`/v1", preset="starter", clock="manual")
order = next(iter(sandbox.client.sales_orders(status="received")))
print(sandbox.client.accept_sales_order(order["id"])["status"])
`)
	if strings.TrimSpace(said) != "in_production" {
		t.Errorf("it said %s", said)
	}
	output(t, nil, python, "-m", "pip", "check")
}

// TestTheNpmPackageIsInstalledWithoutANetwork, and accepts an order.
func TestTheNpmPackageIsInstalledWithoutANetwork(t *testing.T) {
	needs(t, "npm")
	needs(t, "curl")
	folder, origin := t.TempDir(), serving(t)
	archive := filepath.Join(published.release.out, "platen-"+clientVersion(t)+".tgz")
	for name, text := range map[string]string{
		"package.json": `{"name": "mine", "type": "module", "private": true}`,
		"mine.js": `import { createSandbox } from 'platen';
import { fileCheckpoint } from 'platen/checkpoint';
import * as fixture from 'platen/fixture';
if (!fileCheckpoint || Object.keys(fixture).length === 0) throw new Error('an entry is missing');
const { client } = await createSandbox('` + origin + `/v1', { preset: 'starter', clock: 'manual' });
for await (const order of client.salesOrders({ status: 'received' })) {
  console.log((await client.acceptSalesOrder(order.id)).status);
  break;
}
`} {
		if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	output(t, nil, "npm", "install", "--offline", "--no-audit", "--no-fund", "--prefix", folder, archive)
	if said := output(t, nil, "node", filepath.Join(folder, "mine.js")); strings.TrimSpace(said) != "in_production" {
		t.Errorf("it said %s", said)
	}
	for _, name := range []string{"README.md", "LICENSE", "platen.d.ts", "fixture.d.ts", "operations.gen.d.ts"} {
		if _, err := os.Stat(filepath.Join(folder, "node_modules", "platen", name)); err != nil {
			t.Error(err)
		}
	}
}

// clientVersion is the version of the clients, which this release is a trial of.
func clientVersion(t *testing.T) string {
	t.Helper()
	stamp, err := os.ReadFile(filepath.Join("..", "..", "..", pythonFolder, "platen", "_version.py"))
	if err != nil {
		t.Fatal(err)
	}
	found := pythonVersion.FindSubmatch(stamp)
	if found == nil {
		t.Fatalf("no version in %s", stamp)
	}
	return string(found[1])
}

// TestTheProgramStartsInSilence: the package that keeps others from writing to the log initialises before that of
// metrics, which writes on machines without pressure stall information.
func TestTheProgramStartsInSilence(t *testing.T) {
	said := output(t, []string{"GODEBUG=inittrace=1"}, unpacked(t), "--version")
	quiet := strings.Index(said, "/cmd/platen/quiet @")
	if metrics := strings.Index(said, "VictoriaMetrics/metrics @"); quiet < 0 || metrics < quiet {
		t.Errorf("the order of initialisation is\n%s", said)
	}
}

// TestThePackageOfDebianPlaysAnOrder where there is no Go.
func TestThePackageOfDebianPlaysAnOrder(t *testing.T) {
	needs(t, "dpkg-deb")
	result(t)
	packages, err := filepath.Glob(filepath.Join(published.release.out, "platen*.deb"))
	if err != nil || len(packages) != 1 {
		t.Fatalf("there are the packages %v, %v", packages, err)
	}
	root := t.TempDir()
	output(t, nil, "dpkg-deb", "--extract", packages[0], root)
	cmd := exec.CommandContext(t.Context(), filepath.Join(root, "usr", "bin", "platen"), "demo")
	cmd.Env, cmd.Dir = []string{bare, "HOME=" + root}, root
	if said, err := cmd.CombinedOutput(); err != nil || !strings.Contains(string(said), "Paid.") {
		t.Errorf("the demo said %v\n%s", err, said)
	}
}

// TestMakeReleaseWritesTheFiles into the folder dist of the clone, and nowhere else.
func TestMakeReleaseWritesTheFiles(t *testing.T) {
	needs(t, "make")
	source := copied(t)
	t.Setenv("SOURCE_DATE_EPOCH", "1767225600")
	output(t, nil, "make", "-C", source, "release", "VERSION="+version, "URL="+place, "PLATFORMS="+here.String(),
		"UNTAGGED=1", "IMAGE="+repository, "MCP_NAME="+agentName)
	for name := range result(t) {
		if _, err := os.Stat(filepath.Join(source, "dist", name)); err != nil {
			t.Error(err)
		}
	}
	left, err := filepath.Glob(filepath.Join(filepath.Dir(source), "*"))
	if err != nil || len(left) != 1 {
		t.Errorf("beside the clone there is %v, %v", left, err)
	}
}

// TestGoInstallFindsTheModule once build/module.sh has given it the path of a repository and there is a tag.
func TestGoInstallFindsTheModule(t *testing.T) {
	needs(t, "git")
	needs(t, "perl")
	const path, tag = "github.com/you/platen", "v0.1.0"
	source, folder := copied(t), t.TempDir()
	git := func(args ...string) {
		output(t, nil, "git", append([]string{
			"-C", source, "-c", "user.name=you", "-c", "user.email=you@example.com", "-c", "commit.gpgsign=false",
		}, args...)...)
	}
	git("init", "--quiet")
	git("add", "--all")
	git("commit", "--quiet", "--message", "before")
	output(t, nil, "sh", filepath.Join(source, "build", "module.sh"), path)
	git("commit", "--quiet", "--all", "--message", "after")
	git("tag", tag)
	again := exec.CommandContext(t.Context(), "sh", filepath.Join(source, "build", "module.sh"), path)
	if said, err := again.CombinedOutput(); err == nil || !strings.Contains(string(said), "already") {
		t.Errorf("a second time it said %v %s", err, said)
	}
	cached := strings.TrimSpace(output(t, nil, "go", "env", "GOMODCACHE"))
	output(t, []string{
		"GOBIN=" + folder, "CGO_ENABLED=0", "GOFLAGS=-modcacherw", "GOMODCACHE=" + t.TempDir(),
		"GOPROXY=file://" + filepath.Join(cached, "cache", "download"), "GOSUMDB=off", "GONOPROXY=" + path,
		"GIT_CONFIG_COUNT=1", "GIT_CONFIG_KEY_0=url.file://" + source + ".insteadOf",
		"GIT_CONFIG_VALUE_0=https://" + path,
	}, "go", "install", path+"/cmd/platen@"+tag)
	if said := output(t, nil, filepath.Join(folder, "platen"), "--version"); said != "platen "+tag+"\n" {
		t.Errorf("what was installed says %q", said)
	}
}
