package harness

import (
	"context"
	"os"
	"testing"
	"time"
)

// Eventually fails the test unless check returns nil within timeout.
func Eventually(t testing.TB, timeout time.Duration, check func() error) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), timeout)
	defer cancel()
	if err := Poll(ctx, check); err != nil {
		t.Fatalf("not within %s: %v", timeout, err)
	}
}

// ShowLogOnFailure prints what was added to a log file during the test, if the test fails.
func ShowLogOnFailure(t testing.TB, path string) {
	var before int64
	if info, err := os.Stat(path); err == nil {
		before = info.Size()
	}
	t.Cleanup(func() {
		if !t.Failed() {
			return
		}
		data, err := os.ReadFile(path)
		if err != nil || int64(len(data)) <= before {
			return
		}
		const most = 16 << 10
		added := data[before:]
		if len(added) > most {
			added = added[len(added)-most:]
		}
		t.Logf("%s during this test (at most the last %d KiB):\n%s", path, most>>10, added)
	})
}
