package cluster_test

import (
	"fmt"
	"testing"
	"time"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/metadata"
	"k8s.io/client-go/metadata/metadatainformer"

	"annex.dev/annex/test/cluster/harness"
)

func TestMetadataClients(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		for i := range 5 {
			widget := b.widget(fmt.Sprintf("m-%d", i), "red", 1)
			widget.SetLabels(map[string]string{"i": fmt.Sprint(i)})
			b.create(t, namespace, widget)
		}
		client := must(metadata.NewForConfig(b.config))(t)
		widgets := client.Resource(b.resource("widgets"))

		t.Run("get and list give the metadata", func(t *testing.T) {
			one := must(widgets.Namespace(namespace).Get(t.Context(), "m-3", metav1.GetOptions{}))(t)
			if one.Labels["i"] != "3" || one.UID == "" {
				t.Errorf("got %s", toJSON(one))
			}
			list := must(widgets.Namespace(namespace).List(t.Context(), metav1.ListOptions{LabelSelector: "i in (1,2)"}))(t)
			if len(list.Items) != 2 || list.ResourceVersion == "" {
				t.Errorf("got %s", toJSON(list))
			}
		})
		t.Run("a patch through the metadata client works", func(t *testing.T) {
			patched := must(widgets.Namespace(namespace).Patch(t.Context(), "m-0", types.MergePatchType, []byte(`{"metadata":{"annotations":{"a":"b"}}}`), metav1.PatchOptions{}))(t)
			if patched.Annotations["a"] != "b" {
				t.Errorf("got %s", toJSON(patched))
			}
		})
		t.Run("a metadata informer follows changes", func(t *testing.T) {
			factory := metadatainformer.NewFilteredSharedInformerFactory(client, 0, namespace, nil)
			informer := factory.ForResource(b.resource("widgets"))
			lister := informer.Lister().ByNamespace(namespace)
			informer.Informer()
			factory.Start(t.Context().Done())
			factory.WaitForCacheSync(within(t, 20*time.Second).Done())
			must(b.widgets(namespace).Patch(t.Context(), "m-1", types.MergePatchType, []byte(`{"metadata":{"labels":{"new":"yes"}}}`), metav1.PatchOptions{}))(t)
			if err := b.widgets(namespace).Delete(t.Context(), "m-2", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			harness.Eventually(t, 20*time.Second, func() error {
				object, err := lister.Get("m-1")
				if err != nil {
					return err
				}
				if partial := object.(*metav1.PartialObjectMetadata); partial.Labels["new"] != "yes" {
					return fmt.Errorf("labels are %v", partial.Labels)
				}
				if _, err := lister.Get("m-2"); err == nil {
					return fmt.Errorf("m-2 is still there")
				}
				return nil
			})
		})
	})
}
