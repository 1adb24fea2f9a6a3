package main

import (
	"context"
	"errors"
	"fmt"
	"path"
	"strings"
)

// ownerLabel is the label by which a registry of agent servers sees whose an image is.
const ownerLabel = "io.modelcontextprotocol.server.name"

// checkRegistration checks what is known about the registry of agent servers. The program checks
// the values themselves.
func (r *release) checkRegistration() error {
	switch {
	case (r.repository == "") != (r.agentName == ""):
		return errors.New("a server.json needs both --image (IMAGE) and --mcp-name (MCP_NAME)")
	case r.agentURL != "" && r.agentName == "":
		return errors.New("--mcp-url (MCP_URL) is for a server.json, which needs --image and --mcp-name as well")
	case strings.ContainsAny(path.Base(r.repository), ":@"):
		return fmt.Errorf("the image is %q; it has to be without a tag, which is the version", r.repository)
	}
	return nil
}

// registration writes the server.json of the program for this machine, if it is known where the
// image will be.
func (r *release) registration(ctx context.Context, program string) error {
	if r.repository == "" {
		return nil
	}
	args := []string{"server-json", "--name", r.agentName, "--image", r.repository + ":" + r.number()}
	if r.agentURL != "" {
		args = append(args, "--url", r.agentURL)
	}
	text, err := r.run(ctx, nil, program, args...)
	if err != nil {
		return err
	}
	return r.write("server.json", text, 0o644)
}
