package parity

import "strings"

// contextLines are shown around what differs.
const contextLines = 2

// lineDifference shows where two texts differ, line by line: "-" is only in the first, "+" only in the second, "..." stands
// for lines that are equal.
func lineDifference(first, second string) string {
	a, b := strings.Split(first, "\n"), strings.Split(second, "\n")
	common := commonLengths(a, b)
	var lines []string
	for i, j := 0, 0; i < len(a) || j < len(b); {
		switch {
		case i < len(a) && j < len(b) && a[i] == b[j]:
			lines = append(lines, "  "+a[i])
			i, j = i+1, j+1
		case j == len(b) || (i < len(a) && common[i+1][j] >= common[i][j+1]):
			lines = append(lines, "- "+a[i])
			i++
		default:
			lines = append(lines, "+ "+b[j])
			j++
		}
	}
	return strings.Join(onlyNear(lines), "\n")
}

// commonLengths says of all i and j how many lines a[i:] and b[j:] have in common, in their order.
func commonLengths(a, b []string) [][]int {
	lengths := make([][]int, len(a)+1)
	for i := range lengths {
		lengths[i] = make([]int, len(b)+1)
	}
	for i := len(a) - 1; i >= 0; i-- {
		for j := len(b) - 1; j >= 0; j-- {
			if a[i] == b[j] {
				lengths[i][j] = lengths[i+1][j+1] + 1
			} else {
				lengths[i][j] = max(lengths[i+1][j], lengths[i][j+1])
			}
		}
	}
	return lengths
}

// onlyNear keeps the lines that differ and those around them.
func onlyNear(lines []string) []string {
	near := make([]bool, len(lines))
	for i, line := range lines {
		if line[0] == ' ' {
			continue
		}
		for k := max(0, i-contextLines); k <= min(len(lines)-1, i+contextLines); k++ {
			near[k] = true
		}
	}
	var kept []string
	for i, line := range lines {
		switch {
		case near[i]:
			kept = append(kept, line)
		case i == 0 || near[i-1]:
			kept = append(kept, "  ...")
		}
	}
	return kept
}
