package harness

import (
	"context"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"

	corev1 "k8s.io/api/core/v1"
	rbacv1 "k8s.io/api/rbac/v1"
	"k8s.io/client-go/kubernetes"
)

const (
	annexNamespace = "annex-system"
	annexUser      = "system:serviceaccount:annex-system:annex"
)

// prepareCluster makes what an installation of Annex consists of apart from Annex itself: the namespace annex-system, a
// Service, an identity with exactly the rights that Annex needs, and the kubeconfig for it.
//
// The Service is of type ExternalName and names localhost. kube-apiserver then sends requests to localhost and the port
// that the APIService names, without kube-proxy, and expects a certificate for <service>.annex-system.svc. A Service with
// Endpoints would not do: those may not name loopback addresses.
func (a *Annex) prepareCluster(ctx context.Context) error {
	cluster := a.options.Cluster
	client, err := kubernetes.NewForConfig(cluster.Admin())
	if err != nil {
		return err
	}
	if err := createNamespace(ctx, client, annexNamespace); err != nil {
		return err
	}
	_, err = client.CoreV1().Services(annexNamespace).Create(ctx, &corev1.Service{
		ObjectMeta: metav1.ObjectMeta{Name: a.options.Service},
		Spec:       corev1.ServiceSpec{Type: corev1.ServiceTypeExternalName, ExternalName: "localhost"},
	}, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	if err := grantRights(ctx, client); err != nil {
		return err
	}
	a.kubeconfig, err = cluster.KubeconfigFor(a.options.Service, annexUser, "system:serviceaccounts", "system:serviceaccounts:"+annexNamespace)
	return err
}

// grantRights gives Annex's identity what it needs: to delegate questions of identity and rights to kube-apiserver, to read
// how kube-apiserver identifies itself, to register APIs, to see which namespaces exist, and to find webhooks behind Services.
func grantRights(ctx context.Context, client kubernetes.Interface) error {
	subjects := []rbacv1.Subject{{Kind: "User", APIGroup: rbacv1.GroupName, Name: annexUser}}
	role := &rbacv1.ClusterRole{
		ObjectMeta: metav1.ObjectMeta{Name: "annex"},
		Rules: []rbacv1.PolicyRule{
			{
				APIGroups: []string{"apiregistration.k8s.io"}, Resources: []string{"apiservices"},
				Verbs: []string{"get", "list", "watch", "create", "update", "patch", "delete"},
			},
			{APIGroups: []string{""}, Resources: []string{"namespaces"}, Verbs: []string{"get", "list", "watch"}},
			{APIGroups: []string{""}, Resources: []string{"services"}, Verbs: []string{"get"}},
		},
	}
	_, err := client.RbacV1().ClusterRoles().Create(ctx, role, metav1.CreateOptions{})
	if err != nil && !apierrors.IsAlreadyExists(err) {
		return err
	}
	for binding, role := range map[string]string{"annex": "annex", "annex:system:auth-delegator": "system:auth-delegator"} {
		_, err := client.RbacV1().ClusterRoleBindings().Create(ctx, &rbacv1.ClusterRoleBinding{
			ObjectMeta: metav1.ObjectMeta{Name: binding},
			RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "ClusterRole", Name: role},
			Subjects:   subjects,
		}, metav1.CreateOptions{})
		if err != nil && !apierrors.IsAlreadyExists(err) {
			return err
		}
	}
	_, err = client.RbacV1().RoleBindings("kube-system").Create(ctx, &rbacv1.RoleBinding{
		ObjectMeta: metav1.ObjectMeta{Name: "annex-authentication-reader"},
		RoleRef:    rbacv1.RoleRef{APIGroup: rbacv1.GroupName, Kind: "Role", Name: "extension-apiserver-authentication-reader"},
		Subjects:   subjects,
	}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}

func createNamespace(ctx context.Context, client kubernetes.Interface, name string) error {
	_, err := client.CoreV1().Namespaces().Create(ctx, &corev1.Namespace{ObjectMeta: metav1.ObjectMeta{Name: name}}, metav1.CreateOptions{})
	if apierrors.IsAlreadyExists(err) {
		return nil
	}
	return err
}
