package diagnosis_test

import (
	"encoding/json"
	"flag"
	"os"
	"strings"
	"testing"

	"platen/internal/edge/webhook/diagnosis"
)

var update = flag.Bool("update", false, "write the diagnoses that the console has to agree with")

// diagnoses are the vectors that test/console checks the console's diagnoses by.
const diagnoses = "../../../../test/console/testdata/diagnoses.json"

// vector is a captured request, and what is said of it.
type vector struct {
	ID        string           `json:"id"`
	Timestamp string           `json:"timestamp"`
	Signature string           `json:"signature"`
	Body      string           `json:"body"`
	Secret    string           `json:"secret"`
	Now       int64            `json:"now"`
	Report    diagnosis.Report `json:"report"`
}

func vectorOf(c *diagnosis.Capture, r diagnosis.Report) vector {
	v := vector{Body: string(c.Body), Secret: c.Secret, Now: c.Now.Unix(), Report: r}
	for name, values := range c.Header {
		for header, field := range map[string]*string{
			"webhook-id": &v.ID, "webhook-timestamp": &v.Timestamp, "webhook-signature": &v.Signature,
		} {
			if strings.EqualFold(name, header) {
				*field = values[0]
			}
		}
	}
	return v
}

// agree compares vectors with those of the console, or writes them.
func agree(t *testing.T, vectors map[string]vector) {
	t.Helper()
	got, err := json.MarshalIndent(vectors, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	if *update {
		if err := os.WriteFile(diagnoses, got, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(diagnoses)
	if err != nil || string(want) != string(got) {
		t.Errorf("%s has other diagnoses; write them with -update (%v)", diagnoses, err)
	}
}
