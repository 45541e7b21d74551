package corpus

import (
	"encoding/json"
	"regexp"
	"testing"
)

func TestTextsMatchThePatternsThatDefinitionsUse(t *testing.T) {
	for _, pattern := range []string{
		`^[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*$`,
		`^(\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))(([KMGTPE]i)|[numkMGTPE]|([eE](\+|-)?(([0-9]+(\.[0-9]*)?)|(\.[0-9]+))))?$`,
		`^([0-9]+(\.[0-9]+)?(ms|s|m|h))+$`,
		`^arn:[^:\n]*:iam::[0-9]{12}:role/.+$`,
		`^[^/]+/[^/]+$`,
		`^\S+$`,
	} {
		for least := range 3 {
			text := textFor(pattern, least, -1)
			if !regexp.MustCompile(pattern).MatchString(text) || len(text) < least {
				t.Errorf("%q for %q with at least %d characters", text, pattern, least)
			}
		}
	}
}

func TestSamplesHoldWhatTheSchemaRequires(t *testing.T) {
	content, err := decode([]byte(`{"type":"object","required":["spec"],"properties":{"spec":{"type":"object",
		"required":["name","size"],"oneOf":[{"required":["a"]},{"required":["b"]}],
		"properties":{"name":{"type":"string","minLength":6},"size":{"type":"integer","minimum":3},"mode":{"enum":["","x"]},
			"a":{"type":"boolean"},"b":{"type":"array","items":{"type":"string"}}}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	d, v := &Definition{Group: "g", Kind: "K"}, Version{Name: "v1", Schema: content}
	for _, c := range []struct {
		large bool
		want  string
	}{
		{false, `{"a":true,"name":"textxx","size":3}`},
		{true, `{"b":["text"],"mode":"x","name":"textxx","size":3}`},
	} {
		got, err := json.Marshal(Sample(d, v, "x", c.large)["spec"])
		if err != nil || string(got) != c.want {
			t.Errorf("large %t: got %s (%v), want %s", c.large, got, err, c.want)
		}
	}
}
