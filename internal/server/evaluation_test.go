package server

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"platen/internal/config"
)

const testCreationKey = "creation-key-creation-key-creation-key"

// TestAnEvaluationIsOneAtEveryServer: its player is kept out and its grader let in wherever
// they ask, and only the holder of the creation key makes one.
func TestAnEvaluationIsOneAtEveryServer(t *testing.T) {
	t.Parallel()
	servers := several(t, 3, func(c *config.Config) { c.CreationKey = testCreationKey })
	for i, s := range servers {
		ask(t, s, http.MethodPost, "/v1/sandboxes", "", "{}").want(t, http.StatusUnauthorized)
		made := ask(t, s, http.MethodPost, "/v1/sandboxes", testCreationKey,
			`{"preset":"manual","clock":"manual","seed":11,"evaluation":true}`).want(t, http.StatusCreated)
		office, grading := fmt.Sprint(made.Data["office_key"]), fmt.Sprint(made.Data["grading_key"])
		for j := range servers {
			other := servers[(i+j)%3]
			a := ask(t, other, http.MethodGet, "/v1/sandbox", office, "").want(t, http.StatusOK)
			if a.Data["seed"] != nil {
				t.Errorf("server %d shows the player %v", j, a.Data["seed"])
			}
			a = ask(t, other, http.MethodGet, "/v1/sandbox", grading, "").want(t, http.StatusOK)
			if fmt.Sprint(a.Data["seed"]) != "11" {
				t.Errorf("server %d shows the grader %s", j, a.body)
			}
			for _, path := range []string{"/v1/sandbox/report", "/v1/sandbox/faults", "/v1/sandbox/integration"} {
				ask(t, other, http.MethodGet, path, office, "").want(t, http.StatusForbidden)
				ask(t, other, http.MethodGet, path, grading, "").want(t, http.StatusOK)
			}
			ask(t, other, http.MethodPost, "/v1/sandbox/forks", office, "").want(t, http.StatusForbidden)
			ask(t, other, http.MethodGet, "/v1/office/cash", grading, "").want(t, http.StatusForbidden)
			if strings.Contains(ask(t, other, http.MethodGet, "/v1/requests", office, "").body, "/v1/sandbox/series") {
				t.Error("a request of the grader is in the list of the player's")
			}
			ask(t, other, http.MethodGet, "/v1/sandbox/series", grading, "").want(t, http.StatusOK)
		}
		fork := ask(t, servers[(i+1)%3], http.MethodPost, "/v1/sandbox/forks", grading, "").want(t, http.StatusCreated)
		if key := fmt.Sprint(fork.Data["grading_key"]); !strings.HasPrefix(key, "lab_grd_") || key == grading {
			t.Errorf("the fork has the grading key %s", key)
		}
		ask(t, servers[(i+2)%3], http.MethodGet, "/v1/sandbox?key="+grading, "", "").want(t, http.StatusBadRequest)
		for _, other := range servers {
			ask(t, other, http.MethodGet, "/v1/sandbox", grading, "").want(t, http.StatusUnauthorized)
			ask(t, other, http.MethodGet, "/v1/sandbox/report", office, "").want(t, http.StatusForbidden)
		}
	}
}

// TestAnEvaluationOutlivesARestart: its keys, and what each of them opens.
func TestAnEvaluationOutlivesARestart(t *testing.T) {
	t.Parallel()
	path := t.TempDir() + "/platen.db"
	begin := func() *Server { return start(t, func(c *config.Config) { c.Database = path }) }
	s := begin()
	made := ask(t, s, http.MethodPost, "/v1/sandboxes", "",
		`{"preset":"starter","seed":11,"evaluation":true,"split":"dev"}`).want(t, http.StatusCreated)
	office, grading := fmt.Sprint(made.Data["office_key"]), fmt.Sprint(made.Data["grading_key"])
	for range 2 {
		a := ask(t, s, http.MethodGet, "/v1/sandbox", grading, "")
		if fmt.Sprintf("%v %v", a.Data["seed"], a.Data["split"]) != "11 dev" {
			t.Errorf("the grader sees %s", a.body)
		}
		ask(t, s, http.MethodGet, "/v1/sandbox/report", grading, "").want(t, http.StatusOK)
		ask(t, s, http.MethodGet, "/v1/sandbox/report", office, "").want(t, http.StatusForbidden)
		ask(t, s, http.MethodDelete, "/v1/sandbox", office, "").want(t, http.StatusForbidden)
		if err := s.Stop(t.Context()); err != nil {
			t.Fatal(err)
		}
		s = begin()
	}
}
