package server

import (
	"fmt"
	"os"
	"path/filepath"

	"platen/internal/company/preset"
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
		if _, taken := presets[p.Name]; taken {
			return nil, fmt.Errorf("preset %s: there is a preset called %q already", name, p.Name)
		}
		presets[p.Name] = p
	}
	return presets, nil
}
