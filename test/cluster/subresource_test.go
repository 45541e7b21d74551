package cluster_test

import (
	"testing"

	autoscalingv1 "k8s.io/api/autoscaling/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/discovery/cached/memory"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/restmapper"
	"k8s.io/client-go/scale"
)

func TestStatusSubresource(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		created := b.create(t, namespace, b.widget("reported", "red", 1))
		t.Run("an update of status changes nothing else", func(t *testing.T) {
			change := created.DeepCopy()
			change.SetLabels(map[string]string{"a": "b"})
			unstructured.SetNestedField(change.Object, int64(99), "spec", "size")
			unstructured.SetNestedField(change.Object, "Ready", "status", "phase")
			updated := must(b.widgets(namespace).UpdateStatus(t.Context(), change, metav1.UpdateOptions{}))(t)
			checkField(t, updated, "Ready", "status", "phase")
			checkField(t, updated, 1, "spec", "size")
			checkField(t, updated, nil, "metadata", "labels")
			checkField(t, updated, 1, "metadata", "generation")
		})
		t.Run("an update of the object leaves status alone", func(t *testing.T) {
			change := must(b.widgets(namespace).Get(t.Context(), "reported", metav1.GetOptions{}))(t)
			unstructured.SetNestedField(change.Object, "Broken", "status", "phase")
			unstructured.SetNestedField(change.Object, int64(2), "spec", "size")
			updated := must(b.widgets(namespace).Update(t.Context(), change, metav1.UpdateOptions{}))(t)
			checkField(t, updated, "Ready", "status", "phase")
			checkField(t, updated, 2, "spec", "size")
		})
		t.Run("a type without status has no such subresource", func(t *testing.T) {
			part := must(b.parts(namespace).Create(t.Context(), b.object("Part", "plain", map[string]any{}), metav1.CreateOptions{}))(t)
			if _, err := b.parts(namespace).UpdateStatus(t.Context(), part, metav1.UpdateOptions{}); !apierrors.IsNotFound(err) {
				t.Errorf("got %v, want NotFound", err)
			}
		})
	})
}

func TestScaleSubresource(t *testing.T) {
	forEach(t, everywhere, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		b.create(t, namespace, b.widget("scaled", "red", 1))
		status := `{"status":{"replicas":4,"selector":"app=scaled"}}`
		must(b.widgets(namespace).Patch(t.Context(), "scaled", types.MergePatchType, []byte(status), metav1.PatchOptions{}, "status"))(t)
		client := scaleClient(t, b)
		resource := b.resource("widgets").GroupResource()

		t.Run("client-go's scale client reads it", func(t *testing.T) {
			read := must(client.Scales(namespace).Get(t.Context(), resource, "scaled", metav1.GetOptions{}))(t)
			if read.Spec.Replicas != 1 || read.Status.Replicas != 4 || read.Status.Selector != "app=scaled" {
				t.Errorf("scale is %s", toJSON(read))
			}
		})
		t.Run("an update sets the replicas of the object", func(t *testing.T) {
			read := must(client.Scales(namespace).Get(t.Context(), resource, "scaled", metav1.GetOptions{}))(t)
			read.Spec.Replicas = 3
			must(client.Scales(namespace).Update(t.Context(), resource, read, metav1.UpdateOptions{}))(t)
			widget := must(b.widgets(namespace).Get(t.Context(), "scaled", metav1.GetOptions{}))(t)
			checkField(t, widget, 3, "spec", "replicas")
			read.Spec.Replicas = 5
			if _, err := client.Scales(namespace).Update(t.Context(), resource, read, metav1.UpdateOptions{}); !apierrors.IsConflict(err) {
				t.Errorf("update with an old resourceVersion: got %v, want Conflict", err)
			}
		})
		t.Run("a patch sets the replicas of the object", func(t *testing.T) {
			patched := must(client.Scales(namespace).Patch(t.Context(), b.resource("widgets"), "scaled", types.MergePatchType, []byte(`{"spec":{"replicas":6}}`), metav1.PatchOptions{}))(t)
			if patched.Spec.Replicas != 6 {
				t.Errorf("scale is %s", toJSON(patched))
			}
		})
		t.Run("negative replicas are refused", func(t *testing.T) {
			_, err := client.Scales(namespace).Patch(t.Context(), b.resource("widgets"), "scaled", types.MergePatchType, []byte(`{"spec":{"replicas":-1}}`), metav1.PatchOptions{})
			if !apierrors.IsInvalid(err) {
				t.Errorf("got %v, want Invalid", err)
			}
		})
		t.Run("it is a Scale of autoscaling/v1", func(t *testing.T) {
			raw := must(b.widgets(namespace).Get(t.Context(), "scaled", metav1.GetOptions{}, "scale"))(t)
			if raw.GetKind() != "Scale" || raw.GetAPIVersion() != autoscalingv1.SchemeGroupVersion.String() {
				t.Errorf("got %s", toJSON(raw))
			}
		})
	})
}

func scaleClient(t *testing.T, b *backend) scale.ScalesGetter {
	finder := memory.NewMemCacheClient(must(discovery.NewDiscoveryClientForConfig(b.config))(t))
	mapper := restmapper.NewDeferredDiscoveryRESTMapper(finder)
	return must(scale.NewForConfig(b.config, mapper, dynamic.LegacyAPIPathResolverFunc, scale.NewDiscoveryScaleKindResolver(finder)))(t)
}
