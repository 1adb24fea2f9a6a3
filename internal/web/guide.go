package web

import (
	"platen/internal/event"
)

// stage is one row of the figure on the landing page: what happens on either
// side, and which way the bridge carries it.
type stage struct {
	Office, Factory event.Type
	// Across is "right" or "left", empty where nothing is carried.
	Across string
}

// stages are the road from an order to its money.
func stages() []stage {
	return []stage{
		{Office: event.SalesOrderReceived},
		{Office: event.SalesOrderAccepted, Factory: event.WorkOrderCreated, Across: "right"},
		{Factory: event.PrintRunStarted},
		{Factory: event.PrintRunCompleted},
		{Factory: event.WorkOrderReady},
		{Office: event.CustomerInvoiceCreated, Factory: event.ShipmentCreated, Across: "left"},
		{Office: event.PaymentReceived},
	}
}

func (s *site) addGuides() error {
	guide := struct {
		Steps  []step
		Stages []stage
	}{steps, stages()}
	beside := []contents{sections()}
	for _, p := range []page{
		{
			Template: "docs", Title: "Docs", Path: "/docs/", Section: "/docs/", Contents: beside,
			Description: "What holds for every call, and the way to each page of the reference.",
		},
		{
			Template: "quickstart", Title: "Quickstart", Path: "/docs/quickstart", Section: "/docs/quickstart", Contents: beside, Content: guide,
			Description: "From a new company to the money of its first order, in curl.",
		},
	} {
		if err := s.add(p); err != nil {
			return err
		}
	}
	return nil
}
