package corpus

import (
	"regexp"
	"regexp/syntax"
	"strings"
)

// textFor returns a text that a pattern matches and that is at least least and at most most characters long (most < 0: any
// length). It is not always possible, and not always found.
func textFor(pattern string, least, most int) string {
	parsed, err := syntax.Parse(pattern, syntax.Perl)
	if err != nil {
		return "text"
	}
	matcher := regexp.MustCompile(pattern)
	best := ""
	// What may be repeated is repeated as often as it takes to get the length.
	for repeats := range least + 2 {
		var text strings.Builder
		writeMatch(&text, parsed, repeats)
		candidate := text.String()
		if !matcher.MatchString(candidate) {
			continue
		}
		if best == "" {
			best = candidate
		}
		if len(candidate) >= least && (most < 0 || len(candidate) <= most) && candidate != "" {
			return candidate
		}
	}
	return best
}

// writeMatch writes a text that an expression matches, with extra repetitions of what may be there any number of times.
func writeMatch(text *strings.Builder, expression *syntax.Regexp, extra int) {
	switch expression.Op {
	case syntax.OpLiteral:
		text.WriteString(string(expression.Rune))
	case syntax.OpCharClass:
		text.WriteRune(runeOf(expression.Rune))
	case syntax.OpAnyChar, syntax.OpAnyCharNotNL:
		text.WriteRune('a')
	case syntax.OpCapture, syntax.OpConcat:
		for _, part := range expression.Sub {
			writeMatch(text, part, extra)
		}
	case syntax.OpAlternate:
		writeMatch(text, expression.Sub[0], extra)
	case syntax.OpStar:
		writeRepeated(text, expression.Sub[0], extra)
	case syntax.OpPlus:
		writeRepeated(text, expression.Sub[0], 1+extra)
	case syntax.OpRepeat:
		count := expression.Min + extra
		if expression.Max >= 0 {
			count = min(count, expression.Max)
		}
		writeRepeated(text, expression.Sub[0], count)
	}
	// Whatever matches no character writes none; what may be left out is.
}

func writeRepeated(text *strings.Builder, expression *syntax.Regexp, count int) {
	for range count {
		// Only one level grows, or lengths would explode.
		writeMatch(text, expression, 0)
	}
}

// runeOf chooses a character of a class, given as pairs: one that people would write, if there is one.
func runeOf(class []rune) rune {
	for _, wanted := range "a1A-/" {
		for i := 0; i+1 < len(class); i += 2 {
			if class[i] <= wanted && wanted <= class[i+1] {
				return wanted
			}
		}
	}
	if len(class) == 0 {
		return 'a'
	}
	return class[0]
}
