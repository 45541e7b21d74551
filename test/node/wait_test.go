package node_test

import (
	"fmt"
	"strconv"
	"strings"
	"sync"

	corev1 "k8s.io/api/core/v1"
)

func itoa(number int) string { return strconv.Itoa(number) }

func podReady(pod *corev1.Pod) error {
	for _, condition := range pod.Status.Conditions {
		if condition.Type == corev1.PodReady && condition.Status == corev1.ConditionTrue {
			return nil
		}
	}
	return fmt.Errorf("pod %s is not ready: %+v", pod.Name, pod.Status.Conditions)
}

// lines collects what a command writes, while it runs.
type lines struct {
	mutex sync.Mutex
	text  strings.Builder
}

func (l *lines) Write(bytes []byte) (int, error) {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	return l.text.Write(bytes)
}

// has returns an error unless a line was written.
func (l *lines) has(line string) error {
	l.mutex.Lock()
	defer l.mutex.Unlock()
	for written := range strings.SplitSeq(l.text.String(), "\n") {
		if written == line {
			return nil
		}
	}
	return fmt.Errorf("no line %q in %q", line, l.text.String())
}
