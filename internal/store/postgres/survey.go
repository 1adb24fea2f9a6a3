package postgres

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/jackc/pgx/v5"

	"platen/internal/store"
)

const surveyOwners = `
	SELECT coalesce(n.session, ''), count(*)
	FROM sandboxes s LEFT JOIN nodes n ON n.session = s.owner
	WHERE NOT s.removed GROUP BY 1`

// Survey is a database's view of its nodes, at one moment.
type Survey struct {
	// At is the moment, by the database's clock.
	At    time.Time
	Nodes []Surveyed
	// Free are the sandboxes that no node owns.
	Free int
}

// Surveyed is a node, the number of sandboxes that it owns, and the roles that it has.
type Surveyed struct {
	store.Node

	Sandboxes int
	Roles     []string
}

// Look surveys the nodes of the database of dsn. It changes nothing, and any number of
// servers may run on it.
func Look(ctx context.Context, dsn string) (Survey, error) {
	config, err := configure(dsn, 1, nil)
	if err != nil {
		return Survey{}, fmt.Errorf("connect: %w", err)
	}
	conn, err := pgx.ConnectConfig(ctx, config.ConnConfig)
	if err != nil {
		return Survey{}, fmt.Errorf("connect: %w", err)
	}
	defer conn.Close(context.WithoutCancel(ctx)) //nolint:errcheck // it has said all that it is to say
	var s Survey
	options := pgx.TxOptions{IsoLevel: pgx.RepeatableRead, AccessMode: pgx.ReadOnly}
	err = pgx.BeginTxFunc(ctx, conn, options, func(tx pgx.Tx) error { return s.read(ctx, tx) })
	if answer := refusal(err); answer != nil && answer.Code == undefinedTable {
		err = errors.New("no server has begun on it yet")
	}
	if err != nil {
		return Survey{}, fmt.Errorf("look at the nodes: %w", err)
	}
	return s, nil
}

func (s *Survey) read(ctx context.Context, tx pgx.Tx) error {
	if err := tx.QueryRow(ctx, `SELECT clock_timestamp()`).Scan(&s.At); err != nil {
		return err
	}
	rows, err := tx.Query(ctx, listNodes)
	if err != nil {
		return err
	}
	nodes, err := pgx.CollectRows(rows, scanNode)
	if err != nil {
		return err
	}
	at := make(map[store.Session]*Surveyed, len(nodes))
	s.Nodes = make([]Surveyed, len(nodes))
	for i, n := range nodes {
		s.Nodes[i].Node = n
		at[n.Session] = &s.Nodes[i]
	}
	var session store.Session
	var count int
	owners, err := tx.Query(ctx, surveyOwners)
	if err != nil {
		return err
	}
	if _, err := pgx.ForEachRow(owners, []any{&session, &count}, func() error {
		if n := at[session]; n != nil {
			n.Sandboxes = count
		} else {
			s.Free += count
		}
		return nil
	}); err != nil {
		return err
	}
	records, err := tx.Query(ctx, listRecords, []byte(store.RoleKind))
	if err != nil {
		return err
	}
	roles, err := pgx.CollectRows(records, scanRecord)
	if err != nil {
		return err
	}
	for _, r := range roles {
		var held role
		if err := json.Unmarshal(r.Body, &held); err != nil {
			return fmt.Errorf("read the role %s: %w", r.Key, err)
		}
		if n := at[held.Session]; n != nil {
			n.Roles = append(n.Roles, r.Key)
		}
	}
	return nil
}
