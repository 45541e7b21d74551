package cluster_test

import (
	"fmt"
	"testing"

	corev1 "k8s.io/api/core/v1"
	"k8s.io/apimachinery/pkg/api/resource"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	"annex.dev/annex/test/cluster/harness"
)

// kube-controller-manager counts what a ResourceQuota names, whoever serves it. Refusing what is too much is admission, which
// kube-apiserver does only for its own kinds (docs/compatibility.md).
func TestResourceQuotaCounts(t *testing.T) {
	forEachAtOnce(t, inCluster, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		counted := corev1.ResourceName("count/" + b.widgetType())
		quota := &corev1.ResourceQuota{
			ObjectMeta: metav1.ObjectMeta{Name: "few"},
			Spec:       corev1.ResourceQuotaSpec{Hard: corev1.ResourceList{counted: resource.MustParse("4")}},
		}
		quotas := b.core.CoreV1().ResourceQuotas(namespace)
		must(quotas.Create(t.Context(), quota, metav1.CreateOptions{}))(t)
		awaitUsed := func(want string) {
			t.Helper()
			harness.Eventually(t, collectorPatience, func() error {
				status := must(quotas.Get(t.Context(), "few", metav1.GetOptions{}))(t).Status
				if used := status.Used[counted]; status.Hard == nil || used.String() != want {
					return fmt.Errorf("the status is %s, want %s used", toJSON(status), want)
				}
				return nil
			})
		}
		awaitUsed("0")
		for i := range 4 {
			b.create(t, namespace, b.widget(fmt.Sprintf("w-%d", i), "red", 1))
		}
		awaitUsed("4")
		for i := range 3 {
			if err := b.widgets(namespace).Delete(t.Context(), fmt.Sprintf("w-%d", i), metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
		}
		awaitUsed("1")
		b.create(t, namespace, b.widget("again", "red", 1))
		awaitUsed("2")
	})
}
