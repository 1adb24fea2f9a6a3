package docsite

import "platen/internal/company/mission"

// board is the data of the page of all missions.
type board struct {
	Missions     []mission.Introduction
	Achievements []mission.Praise
}

func (l *library) addMissions() error {
	list := contents{Title: "Missions"}
	for _, m := range l.missions {
		list.Links = append(list.Links, link{Path: m.DocsURL, Text: m.Title})
	}
	beside := append(l.sections(), list)
	err := l.add("/docs/missions", guides, func() (page, error) {
		return page{
			Template: "missions", Title: "Missions", Contents: beside,
			Content:     board{l.missions, mission.Praises()},
			Description: "The missions to try next in a sandbox, in the order of teaching, and the achievements.",
		}, nil
	})
	for i, m := range l.missions {
		if err != nil {
			return err
		}
		err = l.add(m.DocsURL, guides, func() (page, error) {
			p := page{
				Template: "mission", Title: m.Title, Contents: beside, Content: m, Description: m.Objective,
			}
			p.Previous, p.Next = neighbours(list.Links, i)
			return p, nil
		})
	}
	return err
}
