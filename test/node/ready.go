package node

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

// awaitReady waits until a pod could be started.
func (c *Cluster) awaitReady(ctx context.Context) error {
	err := harness.Poll(ctx, func() error { return c.nodeReady(ctx) })
	if err != nil {
		return fmt.Errorf("%w; the end of kubelet's log:\n%s", err, harness.LogTail(c.file("log/kubelet.log"), 20))
	}
	return nil
}

func (c *Cluster) nodeReady(ctx context.Context) error {
	object, err := c.core.CoreV1().Nodes().Get(ctx, nodeName, metav1.GetOptions{})
	if err != nil {
		return err
	}
	for _, condition := range object.Status.Conditions {
		if condition.Type == corev1.NodeReady && condition.Status != corev1.ConditionTrue {
			return fmt.Errorf("the node is not ready: %s", condition.Message)
		}
	}
	// A taint is removed a moment after the node became ready.
	if len(object.Spec.Taints) > 0 || len(object.Status.Conditions) == 0 {
		return fmt.Errorf("the node is not ready for pods: %v", object.Spec.Taints)
	}
	return nil
}
