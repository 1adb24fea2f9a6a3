package server

import (
	"fmt"
	"os"
	"path/filepath"

	"platen/internal/company/preset"
	"platen/internal/operation"
)

// loadPresets returns the embedded presets and those of a folder.
func loadPresets(folder string) (map[string]preset.Preset, error) {
	presets, err := preset.Builtin()
	if err != nil || folder == "" {
		return presets, err
	}
	files, err := os.ReadDir(folder)
	if err != nil {
		return nil, fmt.Errorf("list presets: %w", err)
	}
	for _, file := range files {
		name := filepath.Join(folder, file.Name())
		if filepath.Ext(name) != ".json" {
			continue
		}
		b, err := os.ReadFile(name)
		if err != nil {
			return nil, fmt.Errorf("read preset: %w", err)
		}
		p, err := preset.Parse(b)
		if err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
		if err := suffers(&p); err != nil {
			return nil, fmt.Errorf("preset %s: %w", name, err)
		}
		if _, taken := presets[p.Name]; taken {
			return nil, fmt.Errorf("preset %s: there is a preset called %q already", name, p.Name)
		}
		presets[p.Name] = p
	}
	return presets, nil
}

// suffers rejects faults of operations that there are not, or with which nothing goes wrong
// (contract: OPEN.FAULT.ORDER).
func suffers(p *preset.Preset) error {
	if p.Faults == nil {
		return nil
	}
	if _, wrong := p.Faults.Checked("faults", 0, operation.MaySuffer); len(wrong) > 0 {
		return fmt.Errorf("%s: %s", wrong[0].Field, wrong[0].Message)
	}
	return nil
}

// PresetNames returns the names of the presets that every server has, in the order in which
// they are taught.
func PresetNames() []string {
	presets, err := preset.Builtin()
	if err != nil {
		return nil // a mistake in a file, which the tests of presets find
	}
	var names []string
	for _, p := range preset.Ordered(presets) {
		names = append(names, p.Name)
	}
	return names
}
