package testclient

// Few is how much is tried of things that are alike: few, and all in make check.
func Few(few, all int) int {
	if Thorough() {
		return all
	}
	return few
}
