package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// modules writes the list of the modules in a program, as CycloneDX has it: read from the program
// itself, so that it lists what was really built.
func (r *release) modules(ctx context.Context, b built) error {
	out, err := filepath.Abs(filepath.Join(r.out, fmt.Sprintf("platen_%s_%s.cdx.json", r.number(), b.platform)))
	if err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, "go", "tool", "cyclonedx-gomod", "bin", "-json", "-std", "-noserial",
		"-notimestamp", "-output-version", "1.6", "-version", r.version, "-output", out, b.path)
	cmd.Dir, cmd.Env = filepath.Join(r.root, "build", "tools", "release"), append(os.Environ(), "GOFLAGS=-trimpath")
	if said, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("list the modules: %w\n%s", err, said)
	}
	return os.Chmod(out, 0o644)
}
