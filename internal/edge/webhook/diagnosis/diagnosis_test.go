package diagnosis_test

import (
	"bytes"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"platen/internal/edge/webhook"
	"platen/internal/edge/webhook/diagnosis"
)

var sentAt = time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)

// The secret has characters that base64 writes otherwise in URLs.
const (
	secret = "whsec_+/+/r8GKYqrTwjUPD8ILPZIo2LaLaSw+"
	other  = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
	raw    = `{"id":"evt_1","type":"office.payment.received","data":{"name":"Brightwell & Söhne","amount_minor":1250,` +
		`"list":[1,2]},"links":{"self":"/x"}}`
)

// delivered is a request as it is really sent.
func delivered(t *testing.T, secrets ...string) *diagnosis.Capture {
	t.Helper()
	if len(secrets) == 0 {
		secrets = []string{secret}
	}
	signature, err := webhook.Sign(secrets, "evt_1", sentAt, []byte(raw))
	if err != nil {
		t.Fatal(err)
	}
	return &diagnosis.Capture{
		Header: http.Header{"Webhook-Id": {"evt_1"}, "webhook-timestamp": {strconv.FormatInt(sentAt.Unix(), 10)},
			"WEBHOOK-SIGNATURE": {signature}},
		Body: []byte(raw), Secret: secret, Now: sentAt.Add(time.Second),
	}
}

func hash(key, content string) []byte {
	h := hmac.New(sha256.New, []byte(key))
	h.Write([]byte(content))
	return h.Sum(nil)
}

func TestAGoodDeliveryIsVerified(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]*diagnosis.Capture{
		"one secret": delivered(t), "during a rotation": delivered(t, secret, other),
	} {
		if r := diagnosis.Examine(c); !r.Verified || !r.Genuine || len(r.Findings) != 0 {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestEachMistakeIsFound(t *testing.T) {
	t.Parallel()
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(secret, "whsec_"))
	if err != nil {
		t.Fatal(err)
	}
	stamp := strconv.FormatInt(sentAt.Unix(), 10)
	content := "evt_1." + stamp + "." + raw
	right := hash(string(key), content)
	var value any
	json.Unmarshal([]byte(raw), &value)
	sorted, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	body := func(text string) func(*diagnosis.Capture) {
		return func(c *diagnosis.Capture) { c.Body = []byte(text) }
	}
	signed := func(signature string) func(*diagnosis.Capture) {
		return func(c *diagnosis.Capture) {
			c.Header.Set("Webhook-Signature", signature)
			delete(c.Header, "WEBHOOK-SIGNATURE")
		}
	}
	computes := func(signature string) func(*diagnosis.Capture) {
		return func(c *diagnosis.Capture) { c.Computed = signature }
	}
	standard := base64.StdEncoding.EncodeToString
	for name, c := range map[string]struct {
		change            func(*diagnosis.Capture)
		want              []diagnosis.Code
		certain, verified bool
	}{
		"no id": {func(c *diagnosis.Capture) { c.Header.Del("webhook-id") },
			[]diagnosis.Code{diagnosis.HeaderMissing}, true, false},
		"no signature": {signed(""), []diagnosis.Code{diagnosis.HeaderMissing}, true, false},
		"no header": {func(c *diagnosis.Capture) { c.Header = nil },
			[]diagnosis.Code{diagnosis.HeaderMissing, diagnosis.HeaderMissing, diagnosis.HeaderMissing}, true, false},
		"version 2":  {signed("v2,abc"), []diagnosis.Code{diagnosis.VersionUnknown}, true, false},
		"no version": {signed(standard(right)), []diagnosis.Code{diagnosis.VersionUnknown}, true, false},
		"clock fast": {func(c *diagnosis.Capture) { c.Now = sentAt.Add(301 * time.Second) },
			[]diagnosis.Code{diagnosis.ClockOff}, true, false},
		"clock slow": {func(c *diagnosis.Capture) { c.Now = sentAt.Add(-time.Hour) },
			[]diagnosis.Code{diagnosis.ClockOff}, true, false},
		"clock just right": {func(c *diagnosis.Capture) { c.Now = sentAt.Add(300 * time.Second) },
			nil, true, true},
		"timestamp in ms": {func(c *diagnosis.Capture) {
			c.Header["webhook-timestamp"] = []string{stamp + "000"}
		}, []diagnosis.Code{diagnosis.TimestampMalformed}, true, false},
		"timestamp no number": {func(c *diagnosis.Capture) { c.Header["webhook-timestamp"] = []string{"now"} },
			[]diagnosis.Code{diagnosis.TimestampMalformed}, true, false},
		"line break at the end": {body(raw + "\n"), []diagnosis.Code{diagnosis.BodyEnding}, true, false},
		"CR LF at the end":      {body(raw + "\r\n"), []diagnosis.Code{diagnosis.BodyEnding}, true, false},
		"byte order mark":       {body("\xef\xbb\xbf" + raw), []diagnosis.Code{diagnosis.BodyEnding}, true, false},
		"Python's spaces": {body(strings.ReplaceAll(strings.ReplaceAll(raw, ":", ": "), ",", ", ")),
			[]diagnosis.Code{diagnosis.BodyReserialised}, true, false},
		"escaped": {body(strings.ReplaceAll(strings.ReplaceAll(raw, "ö", `\u00f6`), "&", `\u0026`)),
			[]diagnosis.Code{diagnosis.BodyReserialised}, true, false},
		"PHP's slashes": {body(strings.ReplaceAll(raw, "/", `\/`)),
			[]diagnosis.Code{diagnosis.BodyReserialised}, true, false},
		"sorted and indented": {body(indented(t, sorted)),
			[]diagnosis.Code{diagnosis.BodyReserialised}, false, false},
		"a value changed": {body(strings.Replace(raw, "1250", "1251", 1)),
			[]diagnosis.Code{diagnosis.SecretWrong, diagnosis.BodyChanged}, false, false},
		"another request's body": {body(strings.Replace(raw, "evt_1", "evt_2", 1)),
			[]diagnosis.Code{diagnosis.BodyChanged}, true, false},
		"half of the body": {body(raw[:40]), []diagnosis.Code{diagnosis.BodyChanged}, true, false},
		"no body":          {body(""), []diagnosis.Code{diagnosis.BodyChanged}, true, false},
		"another secret": {func(c *diagnosis.Capture) { c.Secret = other },
			[]diagnosis.Code{diagnosis.SecretWrong, diagnosis.BodyChanged}, false, false},
		"no secret at all": {func(c *diagnosis.Capture) { c.Secret = "password!" },
			[]diagnosis.Code{diagnosis.SecretMalformed, diagnosis.SecretWrong, diagnosis.BodyChanged}, false, false},
		"no prefix": {func(c *diagnosis.Capture) { c.Secret = strings.TrimPrefix(secret, "whsec_") },
			[]diagnosis.Code{diagnosis.SecretPrefixMissing}, true, true},
		"quotes": {func(c *diagnosis.Capture) { c.Secret = `"` + secret + "\"\n" },
			[]diagnosis.Code{diagnosis.SecretPadded}, true, false},
		"a version": {func(c *diagnosis.Capture) { c.Secret = "v1," + secret },
			[]diagnosis.Code{diagnosis.SecretPadded}, true, false},
		"URL-safe": {func(c *diagnosis.Capture) {
			c.Secret = "whsec_" + strings.NewReplacer("+", "-", "/", "_").Replace(strings.TrimPrefix(secret, "whsec_"))
		}, []diagnosis.Code{diagnosis.SecretURLSafe}, true, false},
		"signed with the text": {signed("v1," + standard(hash(secret, content))),
			[]diagnosis.Code{diagnosis.SecretNotDecoded}, true, false},
		"signed with part": {signed("v1," + standard(hash(strings.TrimPrefix(secret, "whsec_"), content))),
			[]diagnosis.Code{diagnosis.SecretNotDecoded}, true, false},
		"line break and text": {
			func(c *diagnosis.Capture) { signed("v1," + standard(hash(secret, content)))(c); body(raw + "\n")(c) },
			[]diagnosis.Code{diagnosis.BodyEnding, diagnosis.SecretNotDecoded}, true, false,
		},
		"old one after rotation": {func(c *diagnosis.Capture) { c.Secret, c.OldSecret = other, secret },
			[]diagnosis.Code{diagnosis.OldSecret}, true, true},
		"old one during rotation": {func(c *diagnosis.Capture) { signed("v1,bm8= v1," + standard(right))(c) },
			[]diagnosis.Code{diagnosis.OldSecret}, true, true},
		"computes the same": {computes("v1," + standard(right)), nil, true, true},
		"computes hexadecimal": {computes(hex.EncodeToString(right)),
			[]diagnosis.Code{diagnosis.ComputedOtherwise}, true, true},
		"computes for URLs": {computes(base64.RawURLEncoding.EncodeToString(right)),
			[]diagnosis.Code{diagnosis.ComputedOtherwise}, true, true},
		"computes the body alone": {computes(standard(hash(string(key), raw))),
			[]diagnosis.Code{diagnosis.ComputedOtherwise}, true, true},
		"computes without the id": {computes(standard(hash(string(key), stamp+"."+raw))),
			[]diagnosis.Code{diagnosis.ComputedOtherwise}, true, true},
		"computes with the text": {computes(standard(hash(secret, content))),
			[]diagnosis.Code{diagnosis.ComputedOtherwise}, true, true},
		"computes sorted": {computes(standard(hash(string(key), "evt_1."+stamp+"."+string(sorted)))),
			[]diagnosis.Code{diagnosis.BodyReserialised}, true, true},
		"computes Python's spaces": {computes(standard(hash(string(key),
			"evt_1."+stamp+"."+strings.ReplaceAll(strings.ReplaceAll(raw, ":", ": "), ",", ", ")))),
			[]diagnosis.Code{diagnosis.BodyReserialised}, true, true},
		"computes something": {computes("abc"), []diagnosis.Code{diagnosis.ComputedOtherwise}, false, true},
	} {
		capture := delivered(t)
		c.change(capture)
		r := diagnosis.Examine(capture)
		var got []diagnosis.Code
		certain := true
		for _, f := range r.Findings {
			got = append(got, f.Code)
			certain = certain && f.Certain
			if f.Text == "" || strings.Contains(f.Text, "%!") {
				t.Errorf("%s: %s says %q", name, f.Code, f.Text)
			}
		}
		if !slices.Equal(got, c.want) || certain != c.certain || r.Verified != c.verified {
			t.Errorf("%s: %+v, want %v, certain %t, verified %t", name, r, c.want, c.certain, c.verified)
		}
	}
}

func indented(t *testing.T, compact []byte) string {
	t.Helper()
	var b bytes.Buffer
	if err := json.Indent(&b, compact, "", "  "); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestFindingsShowNoSecret: they are pasted into tickets.
func TestFindingsShowNoSecret(t *testing.T) {
	t.Parallel()
	for _, s := range []string{secret, other, "password!", "whsec_%%%%%%%%%%%%"} {
		capture := delivered(t)
		capture.Secret, capture.OldSecret = s, s
		for _, f := range diagnosis.Examine(capture).Findings {
			if strings.Contains(f.Text, strings.TrimPrefix(s, "whsec_")) {
				t.Errorf("%q shows the secret", f.Text)
			}
		}
	}
}

// FuzzExamine: nothing that was captured makes it panic, and nothing but the
// right signature is verified.
func FuzzExamine(f *testing.F) {
	f.Add("evt_1", "1795262400", "v1,abc", []byte(raw), secret, other, "v1,x")
	f.Add("", "", "", []byte(`{"a":"\u00`), "", "", "")
	f.Add("evt_1", "99999999999999", "v2 v1, v3,", []byte(`"\`), "whsec_", "x", "=")
	f.Fuzz(func(t *testing.T, id, stamp, signature string, body []byte, s, old, computed string) {
		c := &diagnosis.Capture{
			Header: http.Header{"Webhook-Id": {id}, "Webhook-Timestamp": {stamp}, "Webhook-Signature": {signature}},
			Body:   body, Secret: s, OldSecret: old, Computed: computed, Now: sentAt,
		}
		r := diagnosis.Examine(c)
		if !r.Verified && len(r.Findings) == 0 {
			t.Errorf("%+v: refused without a reason", c)
		}
	})
}
