package harness

import (
	"os"
	"strings"
	"testing"
)

func TestKubeVersionIsTheOneThatIsBuilt(t *testing.T) {
	data, err := os.ReadFile("../binaries/kubernetes/go.mod")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(string(data), "k8s.io/kubernetes v"+KubeVersion) {
		t.Errorf("binaries/kubernetes/go.mod does not require k8s.io/kubernetes v%s", KubeVersion)
	}
}
