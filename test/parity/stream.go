package parity

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
)

// readEvents reads the lines of a watch: as many as wanted, or all if wanted is 0, until the stream or the time ends.
func (a *Answer) readEvents(body io.Reader, wanted int) error {
	reader := bufio.NewReader(body)
	for wanted == 0 || len(a.Events) < wanted {
		line, err := reader.ReadBytes('\n')
		if len(bytes.TrimSpace(line)) > 0 {
			a.Events = append(a.Events, line)
		}
		if errors.Is(err, io.EOF) {
			a.Ended = true
			return nil
		}
		if errors.Is(err, context.DeadlineExceeded) {
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}
