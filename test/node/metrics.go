package node

import (
	"context"
	"fmt"

	corev1 "k8s.io/api/core/v1"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/client-go/dynamic"

	"annex.dev/annex/test/cluster/harness"
)

const metricsPort = 4443

// StartMetricsServer gives the cluster the API of metrics.k8s.io, with which an autoscaler learns what pods use. It runs on the node, as
// the other components do, and not in a pod. It returns when the API answers; metrics come later.
func (c *Cluster) StartMetricsServer(ctx context.Context) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	kubeconfig, err := c.KubeconfigFor("metrics-server", "metrics-server", "system:masters")
	if err != nil {
		return err
	}
	process, err := c.run("metrics-server", c.Binary("metrics-server"),
		"--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig, "--authorization-kubeconfig="+kubeconfig,
		fmt.Sprintf("--secure-port=%d", metricsPort), "--cert-dir="+c.file("metrics-server"),
		"--kubelet-insecure-tls", "--kubelet-preferred-address-types=InternalIP",
		"--metric-resolution=10s", "--kubelet-request-timeout=5s")
	if err != nil {
		return err
	}
	// kube-apiserver runs on the same machine; an address of its own for a process is not worth a pod.
	service := &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: "metrics-server"},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}
	if _, err := c.core.CoreV1().Services("kube-system").Create(ctx, service, metav1.CreateOptions{}); err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(c.Admin())
	if err != nil {
		return err
	}
	if _, err := client.Resource(harness.APIServiceResource).Create(ctx, metricsAPI(), metav1.CreateOptions{}); err != nil {
		return err
	}
	return process.WaitReady(ctx, func(ctx context.Context) error {
		_, err := c.core.Discovery().RESTClient().Get().AbsPath("/apis/metrics.k8s.io/v1beta1").DoRaw(ctx)
		return err
	})
}

func metricsAPI() *unstructured.Unstructured {
	return &unstructured.Unstructured{Object: map[string]any{
		"apiVersion": "apiregistration.k8s.io/v1", "kind": "APIService", "metadata": map[string]any{"name": "v1beta1.metrics.k8s.io"},
		"spec": map[string]any{
			"group": "metrics.k8s.io", "version": "v1beta1", "groupPriorityMinimum": int64(100), "versionPriority": int64(100),
			// Its certificate is one that it makes for itself.
			"insecureSkipTLSVerify": true,
			"service":               map[string]any{"namespace": "kube-system", "name": "metrics-server", "port": int64(metricsPort)},
		},
	}}
}
