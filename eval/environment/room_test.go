package environment

import (
	"net/http"
	"testing"
)

// TestEpisodesThatAreDoneMakeRoom: a trainer that closes none goes on, and reads the grade of the last ones. Those that
// are being played stay.
func TestEpisodesThatAreDoneMakeRoom(t *testing.T) {
	t.Parallel()
	e, url := served(t, "first-order")
	e.MaxEpisodes = 3
	reset := func(id string) { done(t, http.MethodPost, url+"/reset", object{"episode_id": id, "index": 0}) }
	finish := func(id string) {
		done(t, http.MethodPost, url+"/step", object{"episode_id": id, "action": object{"finish": true}})
	}
	reset("played")
	for _, id := range []string{"first", "second", "third", "fourth"} {
		reset(id)
		finish(id)
	}
	for id, want := range map[string]int{
		"played": http.StatusOK, "first": http.StatusNotFound, "second": http.StatusNotFound, "third": http.StatusOK,
		"fourth": http.StatusOK,
	} {
		if status, _ := ask(t, http.MethodGet, url+"/state?episode_id="+id, nil); status != want {
			t.Errorf("the state of %s is answered with %d, want %d", id, status, want)
		}
	}
	finish("played")
}
