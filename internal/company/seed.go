package company

// TrainSplit is the split of worlds that anybody may practise in.
const TrainSplit = "train"

// World returns the number that everything random in a company is drawn from.
func (s *Settings) World() uint64 {
	if s.GivenWorld != 0 {
		return s.GivenWorld
	}
	return s.Seed
}
