package docsite

import (
	"strings"

	"platen/internal/operation"
)

// Agents is the part of the docs about the agent endpoint.
type Agents struct {
	Tools []Tool
	// Documents are found by agents only.
	Documents []Document
}

// Document is a text in Markdown that the agent endpoint serves itself, as a
// resource of its protocol. A browser cannot open its URL.
type Document struct{ Title, URL, Text string }

// Tool is a tool of the agent endpoint, as its page shows it.
type Tool struct {
	Name, Title, Description string
	// System is the one whose address has it; Shared tools are everywhere.
	System operation.System
	// Writes is set for a tool that may change the company.
	Writes bool
}

// host is a program that people let agents run in, and how it is told of the
// endpoint.
type host struct {
	Name, Anchor string
	// File is where the text belongs: a file, or a terminal.
	File, Text string
	// Keyed is the alternative text that sends a key.
	Keyed string
}

// hosts lists the usual ones. Each URL in a text is that of this server.
func (s *Site) hosts() []host {
	url := s.AgentURL()
	return []host{
		{
			Name: "Claude Code", Anchor: "claude-code", File: "in a terminal",
			Text: "claude mcp add --transport http platen " + url,
			Keyed: `claude mcp add --transport http platen ` + url +
				` --header "Authorization: Bearer $PLATEN_OFFICE_KEY"`,
		},
		{
			Name: "Claude Desktop", Anchor: "claude-desktop", File: "claude_desktop_config.json; it starts local " +
				"programs only, so the bridge mcp-remote carries the messages and needs Node.js",
			Text: "{\n  \"mcpServers\": {\n" +
				"    \"platen\": {\"command\": \"npx\", \"args\": [\"-y\", \"mcp-remote\", \"" + url + "\"]}\n  }\n}",
			Keyed: "{\n  \"mcpServers\": {\n    \"platen\": {\n      \"command\": \"npx\",\n" +
				"      \"args\": [\"-y\", \"mcp-remote\", \"" +
				url + "\", \"--header\", \"Authorization:${PLATEN_AUTH}\"],\n" +
				"      \"env\": {\"PLATEN_AUTH\": \"Bearer lab_off_…\"}\n    }\n  }\n}",
		},
		{
			Name: "Cursor", Anchor: "cursor", File: "~/.cursor/mcp.json, or .cursor/mcp.json in a project",
			Text: "{\n  \"mcpServers\": {\n    \"platen\": {\"url\": \"" + url + "\"}\n  }\n}",
			Keyed: "{\n  \"mcpServers\": {\n    \"platen\": {\"url\": \"" + url +
				"\", \"headers\": {\"Authorization\": \"Bearer lab_off_…\"}}\n  }\n}",
		},
		{
			Name: "VS Code", Anchor: "vs-code", File: ".vscode/mcp.json",
			Text: "{\n  \"servers\": {\n    \"platen\": {\"type\": \"http\", \"url\": \"" + url + "\"}\n  }\n}",
			Keyed: "{\n  \"inputs\": [{\"type\": \"promptString\", \"id\": " +
				"\"platen-key\", \"description\": \"Head Office key\", \"password\": true}],\n  \"servers\": {\n" +
				"    \"platen\": {\"type\": \"http\", \"url\": \"" + url +
				"\", \"headers\": {\"Authorization\": \"Bearer ${input:platen-key}\"}}\n  }\n}",
		},
		{
			Name: "Codex CLI", Anchor: "codex", File: "~/.codex/config.toml",
			Text:  "[mcp_servers.platen]\nurl = \"" + url + "\"",
			Keyed: "[mcp_servers.platen]\nurl = \"" + url + "\"\nbearer_token_env_var = \"PLATEN_OFFICE_KEY\"",
		},
		{
			Name: "Gemini CLI", Anchor: "gemini",
			File: "~/.gemini/settings.json, or .gemini/settings.json in a project",
			Text: "{\n  \"mcpServers\": {\n    \"platen\": {\"httpUrl\": \"" + url + "\"}\n  }\n}",
			Keyed: "{\n  \"mcpServers\": {\n    \"platen\": {\"httpUrl\": \"" + url +
				"\", \"headers\": {\"Authorization\": \"Bearer lab_off_…\"}}\n  }\n}",
		},
		{
			Name: "Anything else", Anchor: "other",
			File: "where it keeps its servers; the transport is named HTTP, Streamable HTTP or remote",
			Text: "{\n  \"mcpServers\": {\n    \"platen\": {\"type\": \"http\", \"url\": \"" + url + "\"}\n  }\n}",
			Keyed: "{\n  \"mcpServers\": {\n    \"platen\": {\"type\": \"http\", \"url\": \"" + url +
				"\", \"headers\": {\"Authorization\": \"Bearer lab_off_…\"}}\n  }\n}",
		},
	}
}

// AgentURL is where agents connect (contract: OPEN.MCP.ADDRESS).
func (s *Site) AgentURL() string { return s.origin + "/mcp" }

// toolGroup is the tools of a system.
type toolGroup struct {
	System operation.System
	Tools  []Tool
}

func (l *library) addAgents() error {
	const path = "/docs/agents"
	return l.add(path, guides, func() (page, error) {
		view := struct {
			Hosts  []host
			Groups []toolGroup
		}{Hosts: l.hosts()}
		for _, system := range []operation.System{operation.Shared, operation.Office, operation.Factory} {
			group := toolGroup{System: system}
			for _, t := range l.agents.Tools {
				if t.System == system {
					t.Description = strings.TrimSpace(t.Description)
					group.Tools = append(group.Tools, t)
				}
			}
			view.Groups = append(view.Groups, group)
		}
		p := page{
			Template: "agents", Title: "Agents", Contents: l.sections(), Content: view,
			Description: "How agents connect by the Model Context Protocol: ready configuration, the tools, " +
				"sessions, handles and keys.",
		}
		p.Previous, p.Next = l.around(path)
		return p, nil
	})
}
