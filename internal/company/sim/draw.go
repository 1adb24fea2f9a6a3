package sim

import (
	"math"
	"math/bits"
)

// Million is the scale of shares in parts per million, the unit of every
// probability and factor of the simulation: integers, because fused
// multiply-add makes floating-point sums differ between processors.
const Million = 1_000_000

// Stream is a family of random numbers of one seed. A draw is a pure function
// of the stream and its coordinates (a day, an ordinal): there is no state, so
// no action of a client can shift the world's draws.
type Stream uint64

// NewStream returns the stream of a name, such as "demand.q".
func NewStream(seed uint64, name string) Stream { return Stream(Mix(seed ^ Hash(name))) }

// Draw returns 64 random bits for the coordinates.
func (s Stream) Draw(coordinates ...int64) uint64 {
	h := uint64(s)
	for _, k := range coordinates {
		h = Mix(h ^ uint64(k))
	}
	return h
}

// Below returns an integer in [0, n), with n > 0.
func (s Stream) Below(n int64, coordinates ...int64) int64 {
	high, _ := bits.Mul64(s.Draw(coordinates...), uint64(n))
	return int64(high)
}

// PPM returns an integer in [0, Million).
func (s Stream) PPM(coordinates ...int64) int64 { return s.Below(Million, coordinates...) }

// Normal returns a value of mean 0 and standard deviation Million: the sum of
// twelve uniform draws (Irwin and Hall), exact in integers and bounded by six
// deviations.
func (s Stream) Normal(coordinates ...int64) int64 {
	h := s.Draw(coordinates...)
	sum := int64(0)
	for range 3 {
		h = Mix(h)
		for shift := 0; shift < 64; shift += 16 {
			sum += int64(h >> shift & 0xffff)
		}
	}
	// Twelve draws in [0, 65536) have the mean 12*32767.5 and the variance
	// of 65536 squared.
	return (sum - 12*65535/2) * Million / 65536
}

// Poisson returns a count with the given mean (in parts per million, at most
// 30 Million), by inversion of one draw.
func (s Stream) Poisson(mean int64, coordinates ...int64) int {
	u := float64(s.Draw(coordinates...)>>11) / (1 << 53)
	lambda := float64(mean) / Million
	p := expOfMinus(lambda)
	total := p
	for n := range 100 {
		if u < total {
			return n
		}
		p = float64(p*lambda) / float64(n+1)
		total = float64(total + p)
	}
	return 100
}

// expOfMinus is e to the power of -x. Each operation is rounded on its own
// (the conversions forbid fusing), so every processor agrees.
func expOfMinus(x float64) float64 {
	const halvings = 10
	small := x / (1 << halvings)
	sum, term := 1.0, 1.0
	for n := 1; n <= 8; n++ {
		term = float64(term*small) / float64(n)
		if n%2 == 1 {
			sum = float64(sum - term)
		} else {
			sum = float64(sum + term)
		}
	}
	for range halvings {
		sum = float64(sum * sum)
	}
	return sum
}

// Exp is e to the power of x, both in parts per million, for x up to about
// twenty either way.
func Exp(ppm int64) int64 {
	x := float64(ppm) / Million
	value := expOfMinus(math.Abs(x))
	if x > 0 {
		value = 1 / value
	}
	return int64(math.Floor(float64(float64(value*Million) + 0.5)))
}

// Skew bends a uniform share towards zero: u to the power of 27/16, built of
// products and square roots, which every processor rounds alike.
func Skew(ppm int64) int64 {
	u := float64(ppm) / Million
	half := math.Sqrt(u)
	eighth := math.Sqrt(math.Sqrt(half))
	sixteenth := math.Sqrt(eighth)
	bent := float64(u * half)
	bent = float64(bent * eighth)
	bent = float64(bent * sixteenth)
	return int64(math.Floor(float64(bent * Million)))
}

// Mix is the finaliser of SplitMix64: it spreads every bit of z over the
// result.
func Mix(z uint64) uint64 {
	z += 0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// Unmix is the inverse of Mix.
func Unmix(z uint64) uint64 {
	z = (z ^ z>>31 ^ z>>62) * 0x319642b2d24d8ec3
	z = (z ^ z>>27 ^ z>>54) * 0x96de1b173f119089
	return (z ^ z>>30 ^ z>>60) - 0x9e3779b97f4a7c15
}

// Hash is FNV-1a in 64 bits, as of a stream's name.
func Hash(name string) uint64 {
	h := uint64(0xcbf29ce484222325)
	for i := range len(name) {
		h = (h ^ uint64(name[i])) * 0x100000001b3
	}
	return h
}
