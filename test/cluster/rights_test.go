package cluster_test

import (
	"fmt"
	"testing"
	"time"

	rbacv1 "k8s.io/api/rbac/v1"
	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/types"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"

	"annex.dev/annex/test/cluster/harness"
)

// rightsPatience covers that an answer about rights may be remembered for ten seconds.
const rightsPatience = 25 * time.Second

// grant lets a subject use verbs on resources of the backend's group in one namespace.
func (b *backend) grant(t testing.TB, namespace, name string, subject rbacv1.Subject, resources, verbs []string) {
	t.Helper()
	role := &rbacv1.Role{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		Rules:      []rbacv1.PolicyRule{{APIGroups: []string{b.Domain}, Resources: resources, Verbs: verbs}},
	}
	must(b.core.RbacV1().Roles(namespace).Create(t.Context(), role, metav1.CreateOptions{}))(t)
	binding := &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: name},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: name},
		Subjects:   []rbacv1.Subject{subject},
	}
	must(b.core.RbacV1().RoleBindings(namespace).Create(t.Context(), binding, metav1.CreateOptions{}))(t)
}

func userSubject(name string) rbacv1.Subject {
	return rbacv1.Subject{APIGroup: rbacv1.GroupName, Kind: "User", Name: name}
}

func TestRights(t *testing.T) {
	forEachAtOnce(t, inCluster, func(t *testing.T, b *backend) {
		namespace := b.namespace(t)
		b.create(t, namespace, b.widget("secret", "red", 1))
		user := "rights-" + string(b.Name)
		config := must(b.Cluster.User(user, "testers"))(t)
		widgets := must(dynamic.NewForConfig(config))(t).Resource(b.resource("widgets"))
		forbidden := func(item, verb, where string) string {
			return fmt.Sprintf("widgets.%s%s is forbidden: User %q cannot %s resource \"widgets\" in API group %q %s", b.Domain, item, user, verb, b.Domain, where)
		}
		inNamespace := fmt.Sprintf("in the namespace %q", namespace)

		t.Run("without rights every verb is forbidden, and the answer says what is missing", func(t *testing.T) {
			_, list := widgets.Namespace(namespace).List(t.Context(), metav1.ListOptions{})
			_, listAll := widgets.List(t.Context(), metav1.ListOptions{})
			_, get := widgets.Namespace(namespace).Get(t.Context(), "secret", metav1.GetOptions{})
			_, create := widgets.Namespace(namespace).Create(t.Context(), b.widget("mine", "red", 1), metav1.CreateOptions{})
			remove := widgets.Namespace(namespace).Delete(t.Context(), "secret", metav1.DeleteOptions{})
			for want, err := range map[string]error{
				forbidden("", "list", inNamespace):            list,
				forbidden("", "list", "at the cluster scope"): listAll,
				forbidden(` "secret"`, "get", inNamespace):    get,
				forbidden("", "create", inNamespace):          create,
				forbidden(` "secret"`, "delete", inNamespace): remove,
			} {
				if !apierrors.IsForbidden(err) || err.Error() != want {
					t.Errorf("got %v\nwant %s", err, want)
				}
			}
		})
		t.Run("after a RoleBinding what it grants is allowed, and nothing else", func(t *testing.T) {
			b.grant(t, namespace, "reader", userSubject(user), []string{"widgets"}, []string{"get", "list", "watch", "patch"})
			harness.Eventually(t, rightsPatience, func() error {
				_, err := widgets.Namespace(namespace).List(t.Context(), metav1.ListOptions{})
				return err
			})
			must(widgets.Namespace(namespace).Patch(t.Context(), "secret", types.MergePatchType, []byte(`{"spec":{"size":2}}`), metav1.PatchOptions{}))(t)
			_, status := widgets.Namespace(namespace).Patch(t.Context(), "secret", types.MergePatchType, []byte(`{"status":{}}`), metav1.PatchOptions{}, "status")
			_, elsewhere := widgets.Namespace("default").List(t.Context(), metav1.ListOptions{})
			remove := widgets.Namespace(namespace).Delete(t.Context(), "secret", metav1.DeleteOptions{})
			for what, err := range map[string]error{"patch status": status, "list elsewhere": elsewhere, "delete": remove} {
				if !apierrors.IsForbidden(err) {
					t.Errorf("%s: got %v, want Forbidden", what, err)
				}
			}
		})
		t.Run("an impersonated user has that user's rights", func(t *testing.T) {
			admin := rest.CopyConfig(b.config)
			admin.Impersonate = rest.ImpersonationConfig{UserName: user}
			impersonated := must(dynamic.NewForConfig(admin))(t).Resource(b.resource("widgets"))
			must(impersonated.Namespace(namespace).List(t.Context(), metav1.ListOptions{}))(t)
			if _, err := impersonated.Namespace("default").List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
				t.Errorf("elsewhere: got %v, want Forbidden", err)
			}
		})
		t.Run("without the RoleBinding it is forbidden again", func(t *testing.T) {
			if err := b.core.RbacV1().RoleBindings(namespace).Delete(t.Context(), "reader", metav1.DeleteOptions{}); err != nil {
				t.Fatal(err)
			}
			harness.Eventually(t, rightsPatience, func() error {
				if _, err := widgets.Namespace(namespace).List(t.Context(), metav1.ListOptions{}); !apierrors.IsForbidden(err) {
					return fmt.Errorf("got %v, want Forbidden", err)
				}
				return nil
			})
		})
	})
}
