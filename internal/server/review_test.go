package server

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"platen/internal/api"
	"platen/internal/config"
	"platen/internal/sandbox/apikey"
	"platen/internal/store/sqlite"
	"platen/test/testclient"
)

// TestACopyOfTheDatabaseAloneOpensNothing: a token of a reviewer's link that is made from all that is stored of a
// sandbox is refused. That of the server lives as long as the secret key.
func TestACopyOfTheDatabaseAloneOpensNothing(t *testing.T) {
	t.Parallel()
	database, copied := filepath.Join(t.TempDir(), "platen.db"), filepath.Join(t.TempDir(), "copy.db")
	run := func() (s *Server, opens func(token string, status int)) {
		t.Helper()
		s = start(t, func(c *config.Config) { c.Database = database })
		return s, func(token string, status int) {
			t.Helper()
			a := testclient.Request{Method: http.MethodGet, URL: s.Origin() + api.ConsoleState, Key: token}.Send(t)
			if a.Status != status {
				t.Errorf("the token %s opens the console with %d", token, a.Status)
			}
		}
	}
	s, opens := run()
	made := testclient.Request{Method: http.MethodPost, URL: s.BaseURL() + "/sandboxes"}.Send(t).
		Want(http.StatusCreated, "").Data()
	office, factory := made["office_key"].(string), made["factory_key"].(string)
	var review struct{ Token string }
	if err := json.Unmarshal(testclient.Request{
		Method: http.MethodGet, URL: s.Origin() + api.ConsoleReview, Key: office,
		Headers: []string{"Platen-Other-Key", factory},
	}.Send(t).Raw, &review); err != nil {
		t.Fatal(err)
	}
	opens(review.Token, http.StatusOK)

	if _, err := Backup(t.Context(), &config.Config{Database: database}, copied, true); err != nil {
		t.Fatal(err)
	}
	db, err := sqlite.OpenMoment(t.Context(), copied)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	headers, err := db.Due(t.Context(), time.Date(9999, 1, 1, 0, 0, 0, 0, time.UTC), 1)
	if err != nil || len(headers) != 1 {
		t.Fatalf("the copy has %d sandboxes, %v", len(headers), err)
	}
	stored := apikey.Pair{Office: headers[0].OfficeKey, Factory: headers[0].FactoryKey}
	sealed := hmac.New(sha256.New, stored.Factory[:])
	sealed.Write(append([]byte(apikey.ReviewPrefix), stored.Office[:]...))
	opens(apikey.ReviewPrefix+base64.RawURLEncoding.EncodeToString(append(stored.Office[:], sealed.Sum(nil)[:16]...)),
		http.StatusUnauthorized)
	for _, secret := range []string{"", "platen", headers[0].ID, strings.Repeat("0", sha256.Size)} {
		token, _ := apikey.NewReviews([]byte(secret)).Token(&stored)
		opens(token, http.StatusUnauthorized)
	}

	if err := s.Stop(t.Context()); err != nil {
		t.Fatal(err)
	}
	_, opens = run()
	opens(review.Token, http.StatusOK)
}

// TestServersWithOneSecretHaveTheSameLinks, and another secret has others.
func TestServersWithOneSecretHaveTheSameLinks(t *testing.T) {
	t.Parallel()
	pair := &apikey.Pair{Office: [32]byte{1}, Factory: [32]byte{2}}
	token := func(secret string) string {
		token, ok := apikey.NewReviews([]byte(secret)).Token(pair)
		if !ok {
			t.Fatal("there is no token")
		}
		return token
	}
	one, another, strange := token("a"), token("a"), token("b")
	if one != another || one == strange {
		t.Errorf("the tokens are %s, %s and %s", one, another, strange)
	}
}
