package server

import (
	"context"
	"errors"
	"slices"
	"time"

	"platen/internal/cluster/router"
	"platen/internal/config"
	"platen/internal/store/postgres"
)

// ErrNoNodes refuses to list the servers of a file.
var ErrNoNodes = errors.New("a SQLite file is one server's alone: name the PostgreSQL database that servers share")

// Survey is a database's view of the servers that share it.
type Survey struct {
	// At is when it was asked, by its own clock.
	At      time.Time        `json:"at"`
	Servers []SurveyedServer `json:"servers"`
	// Free are sandboxes that no server owns: the next request to any of them makes one
	// its owner.
	Free int `json:"free_sandboxes"`
}

// SurveyedServer is one of the servers.
type SurveyedServer struct {
	Name    string `json:"name"`
	Address string `json:"address"`
	// Engine is its version of the simulation.
	Engine   int       `json:"engine_version"`
	JoinedAt time.Time `json:"joined_at"`
	// LivesUntil moves on with each beat. One whose time is over is taken for dead.
	LivesUntil time.Time `json:"lives_until"`
	Sandboxes  int       `json:"sandboxes"`
	// Admits says that it hands out the places for new sandboxes.
	Admits bool `json:"admits"`
}

// Look asks the database of the settings which servers share it. It changes nothing.
func Look(ctx context.Context, c *config.Config) (Survey, error) {
	if !c.Postgres() {
		return Survey{}, ErrNoNodes
	}
	found, err := postgres.Look(ctx, c.DatabaseURL())
	if err != nil {
		return Survey{}, err //nolint:wrapcheck // it says what it did
	}
	s := Survey{At: found.At.UTC(), Servers: []SurveyedServer{}, Free: found.Free}
	for i := range found.Nodes {
		n := &found.Nodes[i]
		s.Servers = append(s.Servers, SurveyedServer{
			Name: n.Name, Address: n.Address, Engine: n.Engine, JoinedAt: n.StartedAt, LivesUntil: n.Until,
			Sandboxes: n.Sandboxes, Admits: slices.Contains(n.Roles, router.AdmissionRole),
		})
	}
	return s, nil
}
