package harness

import (
	"context"
	"strings"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes"
)

// GrantAdoption gives Annex's identity the further rights with which it can adopt a group: to read and report on
// definitions, to read admission webhooks and policies, to make its own policies, and to read the group's objects.
func (a *Annex) GrantAdoption(ctx context.Context, group string) error {
	client, err := kubernetes.NewForConfig(a.options.Cluster.Admin())
	if err != nil {
		return err
	}
	read, write := []string{"get", "list", "watch"}, []string{"get", "list", "create", "patch", "delete"}
	admission, extensions := []string{"admissionregistration.k8s.io"}, []string{"apiextensions.k8s.io"}
	rules := []rbacv1.PolicyRule{
		{APIGroups: extensions, Resources: []string{"customresourcedefinitions"}, Verbs: read},
		{APIGroups: extensions, Resources: []string{"customresourcedefinitions/status"}, Verbs: []string{"patch"}},
		{
			APIGroups: admission, Verbs: read,
			Resources: []string{"validatingwebhookconfigurations", "mutatingwebhookconfigurations", "mutatingadmissionpolicies"},
		},
		{
			APIGroups: admission, Verbs: write,
			Resources: []string{"validatingadmissionpolicies", "validatingadmissionpolicybindings"},
		},
		{APIGroups: []string{"discovery.k8s.io"}, Resources: []string{"endpointslices"}, Verbs: []string{"get"}},
		{APIGroups: []string{""}, Resources: []string{"events", "configmaps"}, Verbs: []string{"create"}},
		{APIGroups: []string{group}, Resources: []string{"*"}, Verbs: read},
	}
	name := "annex-adopt:" + strings.ReplaceAll(group, ".", "-")
	_, err = client.RbacV1().ClusterRoles().Create(ctx, &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: name}, Rules: rules,
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	_, err = client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: name},
		Subjects:   []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: annexUser}},
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
