package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"

	"platen/client"
)

// RequestExport writes the remembered requests of a sandbox as an HTTP Archive.
type RequestExport struct {
	Target

	// File gets the archive, Out when it is empty.
	File       string
	Out, Notes io.Writer
}

// archive is an HTTP Archive whose entries are as they came.
type archive struct {
	Log struct {
		Version string            `json:"version"`
		Creator json.RawMessage   `json:"creator"`
		Entries []json.RawMessage `json:"entries"`
		Comment string            `json:"comment"`
	} `json:"log"`
}

// Run asks with each key, since a key is shown its own bodies only.
func (e *RequestExport) Run(ctx context.Context) error {
	origin, err := e.Origin()
	if err != nil {
		return err
	}
	keys, err := e.Keys()
	if err != nil {
		return err
	}
	var whole archive
	for _, one := range []client.Keys{{Office: keys.Office}, {Factory: keys.Factory}} {
		if one == (client.Keys{}) {
			continue
		}
		part, err := requestArchive(ctx, connect(origin, one))
		if err != nil {
			return err
		}
		system := "factory"
		if one.Office != "" {
			system = "office"
		}
		if err := whole.take(part, system); err != nil {
			return err
		}
	}
	if whole.Log.Version == "" {
		return UsageError{errNoKeys}
	}
	text, err := json.MarshalIndent(whole, "", "  ")
	if err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	text = append(text, '\n')
	if e.File == "" {
		_, err := e.Out.Write(text)
		return err //nolint:wrapcheck // the error of standard output is enough
	}
	if err := os.WriteFile(e.File, text, 0o600); err != nil {
		return fmt.Errorf("write the archive: %w", err)
	}
	fmt.Fprintf(e.Notes, "%d requests are in %s.\n", len(whole.Log.Entries), e.File)
	return nil
}

// requestArchive reads the archive of a key.
func requestArchive(ctx context.Context, c *client.Client) (*archive, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "/requests.har", http.NoBody)
	if err != nil {
		return nil, fmt.Errorf("ask for the requests: %w", err)
	}
	response, err := c.Do(request)
	if err != nil {
		return nil, Brief(err)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(response.Body)
	if err != nil {
		return nil, fmt.Errorf("read the requests: %w", err)
	}
	if response.StatusCode != http.StatusOK {
		return nil, rejection(response, body)
	}
	part := &archive{}
	if err := json.Unmarshal(body, part); err != nil {
		return nil, fmt.Errorf("read the requests: %w", err)
	}
	return part, nil
}

// take takes the entries of another archive that are of its key's system: it alone has their bodies.
func (a *archive) take(part *archive, system string) error {
	if a.Log.Version == "" {
		*a = *part
		return nil
	}
	whole := map[string]json.RawMessage{}
	for _, entries := range [][]json.RawMessage{part.Log.Entries, a.Log.Entries} {
		for i, raw := range entries {
			var about struct {
				System string `json:"_system"`     //nolint:tagliatelle // a member that is none of HAR's
				ID     string `json:"_request_id"` //nolint:tagliatelle // as well
			}
			if err := json.Unmarshal(raw, &about); err != nil {
				return fmt.Errorf("read the requests: %w", err)
			}
			if about.System != system {
				continue
			}
			if better, has := whole[about.ID]; has {
				entries[i] = better
			} else {
				whole[about.ID] = raw
			}
		}
	}
	return nil
}
