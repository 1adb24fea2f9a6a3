package web

import (
	"fmt"

	"platen/docs"
)

// receiver is a program that the page of webhooks shows.
type receiver struct {
	Language, Anchor, File string
	// Needs says what it runs with, Raw how one gets the raw body in frameworks
	// of its language.
	Needs, Raw string
	Text       string
}

// receivers lists the programs in the order of the page. Each is a file of
// docs/webhooks that a test runs as it stands.
func receivers() []receiver {
	return []receiver{
		{Language: "Go", Anchor: "go", File: "receiver.go", Needs: "Go 1.24", Raw: "io.ReadAll(request.Body), before any decoder."},
		{Language: "Python", Anchor: "python", File: "receiver.py", Needs: "Python 3.9", Raw: "request.get_data() in Flask, request.body in Django, await request.body() in FastAPI."},
		{Language: "JavaScript", Anchor: "javascript", File: "receiver.mjs", Needs: "Node.js 18", Raw: "express.raw({ type: 'application/json' }) in Express instead of express.json(); await request.text() in handlers of the fetch kind."},
		{Language: "PHP", Anchor: "php", File: "receiver.php", Needs: "PHP 8", Raw: "$request->getContent() in Laravel and Symfony."},
		{Language: "Ruby", Anchor: "ruby", File: "receiver.rb", Needs: "Ruby 3 and the gem webrick", Raw: "request.raw_post in Rails, request.body.read in Sinatra."},
		{Language: "Java", Anchor: "java", File: "Receiver.java", Needs: "Java 17", Raw: "@RequestBody byte[] in Spring."},
	}
}

func (s *site) addWebhooks() error {
	list := receivers()
	beside := contents{Title: "Receivers"}
	for i := range list {
		text, err := docs.Receivers.ReadFile("webhooks/" + list[i].File)
		if err != nil {
			return fmt.Errorf("read the receiver in %s: %w", list[i].Language, err)
		}
		list[i].Text = string(text)
		beside.Links = append(beside.Links, link{Path: "/docs/webhooks#" + list[i].Anchor, Text: list[i].Language})
	}
	return s.add(page{
		Template: "webhooks", Title: "Webhooks", Path: "/docs/webhooks", Section: "/docs/webhooks", Contents: []contents{sections(), beside}, Content: list,
		Description: "How events are sent to your program, how it knows that they are genuine, and a receiver in six languages.",
	})
}
