package main

import "context"

// ownerLabel is the label by which a registry of agent servers sees whose an image is.
const ownerLabel = "io.modelcontextprotocol.server.name"

// registration writes the server.json, if it is known where the image will be.
func (r *release) registration(ctx context.Context) error {
	if r.repository+r.agentName+r.agentURL == "" {
		return nil
	}
	args := []string{"run", "./internal/publish/serverjson", "--name", r.agentName, "--version", r.version}
	if r.repository != "" {
		args = append(args, "--image", r.repository+":"+r.number())
	}
	if r.agentURL != "" {
		args = append(args, "--url", r.agentURL)
	}
	text, err := r.run(ctx, nil, "go", args...)
	if err != nil {
		return err
	}
	return r.write("server.json", text, 0o644)
}
