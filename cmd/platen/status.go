package main

import (
	"encoding/json"
	"fmt"
	"io"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"

	"platen/client"
)

func statusCommand() *cobra.Command {
	var p place
	var asJSON bool
	cmd := &cobra.Command{
		Use:   "status",
		Short: "Show how the company stands",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, origin, err := p.connect()
			if err != nil {
				return err
			}
			s, err := c.GetSandbox(cmd.Context())
			if err != nil {
				return err //nolint:wrapcheck // the client names the failed operation
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), s)
			}
			return printStatus(cmd.OutOrStdout(), s, origin)
		},
	}
	p.flags(cmd, true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON object: the data of GET /sandbox.")
	return cmd
}

func printJSON(out io.Writer, v any) error {
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	if err := encoder.Encode(v); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func printStatus(out io.Writer, s *client.SandboxStatus, origin string) error {
	p := paintFor(out)
	state := p.in(green, string(s.Status))
	if s.Status != "active" {
		state = p.in(red, string(s.Status))
	}
	fmt.Fprintf(out, "%s  %s  %s, %d s left at %s\n",
		p.in(bold, s.PublicName), s.SandboxID, state, s.ExpiresInS, origin)
	fmt.Fprintf(out, "%s %s, day %d, clock %s, bridge %s, preset %s, seed %d\n\n",
		s.Clock.SimDate, s.Clock.SimTime, s.Clock.DayNumber, s.Clock.Mode, s.Bridge, s.Preset, s.Seed)
	w := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	row := func(name, value string) { fmt.Fprintf(w, "%s\t%s\n", p.in(faint, name), value) }
	row("cash", fmt.Sprintf("%s, %s at the opening", amount(s.CashMinor), amount(s.OpeningCashMinor)))
	row("net worth", fmt.Sprintf("%s, %s since the opening", amount(s.NetWorthMinor), amount(s.Score.ProfitMinor)))
	row("reputation, morale", fmt.Sprintf("%.1f, %.1f of 100", s.Reputation, s.Morale))
	row("orders", fmt.Sprintf("%d open, %d shipped", s.Counts.OrdersOpen, s.Score.OrdersShipped))
	row("work orders", fmt.Sprintf("%d open", s.Counts.WorkOrdersOpen))
	row("lots offered", fmt.Sprint(s.Counts.LotsOffered))
	row("to count in, to pay",
		fmt.Sprintf("%d deliveries, %d invoices", s.Counts.DeliveriesWaiting, s.Counts.InvoicesPayable))
	row("presses", fmt.Sprintf("%d idle, %d running, %d down", s.Presses.Idle, s.Presses.Running, s.Presses.Down))
	for _, m := range s.Inventory.Materials {
		low := ""
		if m.Status == "low" {
			low = p.in(yellow, "  low")
		}
		row(m.Name, fmt.Sprintf("%d %s, reorder at %d%s", m.OnHand, m.Unit, m.ReorderPoint, low))
	}
	for _, d := range s.Disruptions {
		row("disruption", p.in(yellow, string(d.Kind))+" until "+string(d.EndsOn))
	}
	row("newest event", fmt.Sprint(s.LastSeq))
	if err := w.Flush(); err != nil {
		return fmt.Errorf("print: %w", err)
	}
	return nil
}

func missionsCommand() *cobra.Command {
	var p place
	var asJSON, all bool
	cmd := &cobra.Command{
		Use:   "missions",
		Short: "Show the missions to try next, and those that are done",
		Args:  noArguments,
		RunE: func(cmd *cobra.Command, _ []string) error {
			c, _, err := p.connect()
			if err != nil {
				return err
			}
			missions := []client.Mission{}
			for m, err := range c.Missions(cmd.Context(), client.ListMissionsParams{}) {
				if err != nil {
					return err
				}
				missions = append(missions, m)
			}
			if asJSON {
				return printJSON(cmd.OutOrStdout(), missions)
			}
			printMissions(cmd.OutOrStdout(), missions, all)
			return nil
		},
	}
	p.flags(cmd, true)
	cmd.Flags().BoolVar(&asJSON, "json", false, "Print one JSON array.")
	cmd.Flags().BoolVar(&all, "all", false, "Show those that come later, too.")
	return cmd
}

func printMissions(out io.Writer, missions []client.Mission, all bool) {
	p, done, later := paintFor(out), 0, 0
	for _, m := range missions {
		switch m.Status {
		case client.MissionStatusCompleted:
			done++
			fmt.Fprintf(out, "%s  %-20s %s\n", p.in(green, "done"), m.ID, m.Objective)
		case client.MissionStatusActive:
			fmt.Fprintf(out, "%s  %-20s %s\n", p.in(bold, "next"), m.ID, m.Objective)
			fmt.Fprintf(out, "%26s %s\n", "", p.in(faint, m.Hint))
		default:
			later++
			if all {
				fmt.Fprintf(out, "%s  %-20s %s\n", p.in(faint, "    "), m.ID, m.Objective)
			}
		}
	}
	fmt.Fprintf(out, "\n%d of %d done", done, len(missions))
	if later > 0 && !all {
		fmt.Fprintf(out, ", %d more with --all", later)
	}
	fmt.Fprintln(out)
}

// clockTime is how times of the wall clock are shown.
func clockTime(t time.Time) string { return t.Local().Format(time.TimeOnly) }
