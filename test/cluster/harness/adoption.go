package harness

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	authorizationv1 "k8s.io/api/authorization/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/apimachinery/pkg/util/yaml"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
)

// adoptionLabel makes a ClusterRole one of those that say which groups may be adopted.
const adoptionLabel = "rbac.annex.dev/aggregate-to-adopt"

// GrantAdoption gives Annex's identity the further rights with which it can adopt a group: those of manifests/adopt, and a
// ClusterRole for the group, as docs/operations.md has it. The cluster's controllers must include the one that aggregates
// ClusterRoles.
func (a *Annex) GrantAdoption(ctx context.Context, group string) error {
	client, err := kubernetes.NewForConfig(a.options.Cluster.Admin())
	if err != nil {
		return err
	}
	if err := a.applyManifest(ctx, "manifests/adopt/rights.yaml"); err != nil {
		return err
	}
	rule := rbacv1.PolicyRule{APIGroups: []string{group}, Resources: []string{"*"}, Verbs: []string{"*"}}
	if err := addRights(ctx, client, "annex-adopt-"+strings.ReplaceAll(group, ".", "-"), rule); err != nil {
		return err
	}
	return Poll(ctx, func() error { return mayList(ctx, client, group) })
}

// GrantRenaming gives Annex's identity the rights to let whatever an object owns name it anew: see docs/operations.md.
func (a *Annex) GrantRenaming(ctx context.Context) error {
	client, err := kubernetes.NewForConfig(a.options.Cluster.Admin())
	if err != nil {
		return err
	}
	rule := rbacv1.PolicyRule{APIGroups: []string{"*"}, Resources: []string{"*"}, Verbs: []string{"list", "patch"}}
	return addRights(ctx, client, "annex-release", rule)
}

// addRights makes a ClusterRole that the cluster adds to those of Annex.
func addRights(ctx context.Context, client kubernetes.Interface, name string, rule rbacv1.PolicyRule) error {
	_, err := client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name, Labels: map[string]string{adoptionLabel: "true"}},
		Rules:      []rbacv1.PolicyRule{rule},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

// mayList returns an error as long as Annex's identity may not list the group's objects.
func mayList(ctx context.Context, client kubernetes.Interface, group string) error {
	review, err := client.AuthorizationV1().SubjectAccessReviews().Create(ctx, &authorizationv1.SubjectAccessReview{
		Spec: authorizationv1.SubjectAccessReviewSpec{
			User:               annexUser,
			ResourceAttributes: &authorizationv1.ResourceAttributes{Verb: "list", Group: group, Resource: "*"},
		},
	}, metav1.CreateOptions{})
	if err == nil && !review.Status.Allowed {
		err = fmt.Errorf("%s may not list the objects of %s", annexUser, group)
	}
	return err
}

// applyManifest applies the objects of a file of the repository, as kubectl apply --server-side does.
func (a *Annex) applyManifest(ctx context.Context, path string) error {
	text, err := repositoryFile(path)
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(a.options.Cluster.Admin())
	if err != nil {
		return err
	}
	decoder := yaml.NewYAMLOrJSONDecoder(bytes.NewReader(text), 4096)
	for {
		object := &unstructured.Unstructured{}
		if err := decoder.Decode(&object.Object); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		kind := object.GroupVersionKind()
		resource := client.Resource(schema.GroupVersionResource{Group: kind.Group, Version: kind.Version, Resource: strings.ToLower(kind.Kind) + "s"})
		options := metav1.ApplyOptions{FieldManager: "harness", Force: true}
		if _, err := resource.Namespace(object.GetNamespace()).Apply(ctx, object.GetName(), object, options); err != nil {
			return fmt.Errorf("%s: %s %s: %w", path, kind.Kind, object.GetName(), err)
		}
	}
}

// repositoryFile reads a file of the working copy that this folder is in.
func repositoryFile(path string) ([]byte, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		if text, err := os.ReadFile(filepath.Join(dir, path)); err == nil {
			return text, nil
		}
	}
	return nil, fmt.Errorf("there is no %s here or in a folder above", path)
}
