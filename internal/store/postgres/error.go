package postgres

import (
	"errors"
	"fmt"

	"github.com/jackc/pgx/v5/pgconn"

	"platen/internal/store"
)

// SQLSTATEs that callers need to distinguish.
const (
	uniqueViolation = "23505"
	diskFull        = "53100"
	readOnly        = "25006"
	undefinedTable  = "42P01"
)

// refusal is the error of a server that has undone the transaction and stays
// connected, nil for every other error. Only after a refusal is it certain that
// nothing was written: FATAL and PANIC end the connection, and then a commit
// may have been under way.
func refusal(err error) *pgconn.PgError {
	var answer *pgconn.PgError
	if errors.As(err, &answer) && severity(answer) == "ERROR" {
		return answer
	}
	return nil
}

// severity is never translated since PostgreSQL 9.6; something that only speaks
// like a server may leave it out.
func severity(answer *pgconn.PgError) string {
	if answer.SeverityUnlocalized != "" {
		return answer.SeverityUnlocalized
	}
	return answer.Severity
}

// failure is the caller's error for a write that failed.
func failure(err error) error {
	answer := refusal(err)
	switch {
	case err == nil:
		return nil
	case answer != nil && answer.Code == diskFull:
		return fmt.Errorf("%w: %w", store.ErrFull, err)
	case answer != nil && answer.Code == readOnly:
		return fmt.Errorf("%w: %w", store.ErrUnreachable, err)
	case answer != nil && answer.Code == uniqueViolation:
		// Another process has taken a key between our look and our write.
		return store.ErrConflict
	case answer != nil:
		return fmt.Errorf("write: %w", err)
	}
	return fmt.Errorf("write, outcome unknown: %w", err)
}
