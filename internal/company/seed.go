package company

import (
	"crypto/sha256"
	"encoding/binary"
)

// TrainSplit is the split of worlds that anybody may practise in.
const TrainSplit = "train"

// World returns the number that everything random in a company is drawn from: its
// customers, lots, trucks, illnesses, disruptions and the ids of its rows. It is another
// one for each preset, split and seed, so that two presets, or practice and examination,
// have no day in common. Neither the seed nor any other world follows from it.
func (s *Settings) World() uint64 {
	if s.GivenWorld != 0 {
		return s.GivenWorld
	}
	split := s.Split
	if split == "" {
		split = TrainSplit
	}
	text := []byte("platen world\x00" + s.Preset.Name + "\x00" + split + "\x00")
	sum := sha256.Sum256(binary.BigEndian.AppendUint64(text, s.Seed))
	return binary.BigEndian.Uint64(sum[:])
}
