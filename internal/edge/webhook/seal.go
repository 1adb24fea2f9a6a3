package webhook

import (
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/sha256"
	"errors"
	"fmt"
)

// sealVersion is the first byte of a sealed text, so that the way of sealing
// can change.
const sealVersion = 1

// sealPurpose keeps this key apart from others made of the same secret.
const sealPurpose = "platen webhooks at rest"

// errSealed is the error of a sealed text that is not ours: another key,
// another context, or an altered text.
var errSealed = errors.New("it was sealed with another key, for something else, or has been changed")

// Sealer encrypts the values that may not be stored as they are: secrets and
// URLs (contract: OPEN.WHK.SECRET.STORED). It uses AES-256-GCM with a random
// nonce, under a key derived by HKDF from the server's. It is safe for
// concurrent use.
type Sealer struct {
	seal cipher.AEAD
}

// NewSealer returns a sealer by the server's key.
func NewSealer(key []byte) (*Sealer, error) {
	derived, err := hkdf.Key(sha256.New, key, nil, sealPurpose, sha256.Size)
	if err != nil {
		return nil, fmt.Errorf("derive the key of webhooks: %w", err)
	}
	block, err := aes.NewCipher(derived)
	if err != nil {
		return nil, fmt.Errorf("encrypt webhooks: %w", err)
	}
	seal, err := cipher.NewGCMWithRandomNonce(block)
	if err != nil {
		return nil, fmt.Errorf("encrypt webhooks: %w", err)
	}
	return &Sealer{seal: seal}, nil
}

// SealContext is the context in which the values of a subscription are sealed,
// so that none of them can be moved to another.
func SealContext(sandboxID, subscriptionID string) string {
	return sandboxID + "/" + subscriptionID
}

// Seal encrypts a text for a context.
func (s *Sealer) Seal(plain, context string) []byte {
	//nolint:gosec // the nonce is random, and made inside
	return s.seal.Seal([]byte{sealVersion}, nil, []byte(plain), []byte(context))
}

// Open decrypts a text that was sealed for the same context.
func (s *Sealer) Open(sealed []byte, context string) (string, error) {
	if len(sealed) == 0 || sealed[0] != sealVersion {
		return "", errSealed
	}
	plain, err := s.seal.Open(nil, nil, sealed[1:], []byte(context))
	if err != nil {
		return "", errSealed
	}
	return string(plain), nil
}
