package harness

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	apierrors "k8s.io/apimachinery/pkg/api/errors"
	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/discovery"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/kubernetes"
	"k8s.io/client-go/rest"
	"sigs.k8s.io/yaml"
)

// BackendName names one of the ways in which a custom resource can be served.
type BackendName string

const (
	// BackendNative is kube-apiserver itself: the definition is installed in it. It shows that a test asks for what
	// Kubernetes really does.
	BackendNative BackendName = "native"
	// BackendAggregated is Annex behind kube-apiserver, asked through kube-apiserver.
	BackendAggregated BackendName = "aggregated"
	// BackendStandalone is Annex alone.
	BackendStandalone BackendName = "standalone"
)

// Backend serves custom resources, so that the same requests can be made to different servers.
type Backend struct {
	Name BackendName
	// Domain is what the API groups of this backend end in. Native and aggregated share a cluster, so it differs.
	Domain string
	// Cluster is nil for standalone.
	Cluster *Cluster
	// Annex is nil for native.
	Annex *Annex
}

// NativeBackend returns the backend that is kube-apiserver itself.
func NativeBackend(cluster *Cluster) *Backend {
	return &Backend{Name: BackendNative, Domain: "native.example.dev", Cluster: cluster}
}

// AggregatedBackend returns the backend that is Annex behind kube-apiserver; annex runs in mode Files.
func AggregatedBackend(annex *Annex) *Backend {
	return &Backend{Name: BackendAggregated, Domain: "annex.example.dev", Cluster: annex.Options().Cluster, Annex: annex}
}

// StandaloneBackend returns the backend that is Annex alone; annex runs in mode Standalone.
func StandaloneBackend(annex *Annex) *Backend {
	return &Backend{Name: BackendStandalone, Domain: "alone.example.dev", Annex: annex}
}

// Admin returns a configuration with all rights.
func (b *Backend) Admin() (*rest.Config, error) {
	if b.Cluster != nil {
		return b.Cluster.Admin(), nil
	}
	return b.Annex.Admin()
}

// definitionResource is the resource of CustomResourceDefinitions.
var definitionResource = schema.GroupVersionResource{Group: "apiextensions.k8s.io", Version: "v1", Resource: "customresourcedefinitions"}

// Install makes the backend serve a CustomResourceDefinition (YAML), or its new form if it is served already, and returns
// when all of its served versions are in discovery and can be listed. How depends on the backend: aggregated gets a file in
// its folder of definitions, the others get a request.
func (b *Backend) Install(ctx context.Context, definition []byte) error {
	var object unstructured.Unstructured
	if err := yaml.Unmarshal(definition, &object.Object); err != nil {
		return err
	}
	if b.Name == BackendAggregated {
		if err := WriteFileAtomically(b.DefinitionFile(object.GetName()), definition); err != nil {
			return err
		}
	} else if err := b.putDefinition(ctx, &object); err != nil {
		return fmt.Errorf("installing %s: %w", object.GetName(), err)
	}
	return b.waitServed(ctx, &object)
}

// DefinitionFile returns where the aggregated backend keeps the definition of that name.
func (b *Backend) DefinitionFile(name string) string {
	return filepath.Join(b.Annex.Options().Definitions, name+".yaml")
}

func (b *Backend) putDefinition(ctx context.Context, object *unstructured.Unstructured) error {
	config, err := b.Admin()
	if err != nil {
		return err
	}
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	definitions := client.Resource(definitionResource)
	_, err = definitions.Create(ctx, object, metav1.CreateOptions{})
	if !apierrors.IsAlreadyExists(err) {
		return err
	}
	present, err := definitions.Get(ctx, object.GetName(), metav1.GetOptions{})
	if err != nil {
		return err
	}
	object.SetResourceVersion(present.GetResourceVersion())
	_, err = definitions.Update(ctx, object, metav1.UpdateOptions{})
	return err
}

// CreateNamespace makes a namespace where the server has namespaces as objects; elsewhere a name is all that is needed.
func (b *Backend) CreateNamespace(ctx context.Context, name string) error {
	config, err := b.Admin()
	if err != nil {
		return err
	}
	client, err := kubernetes.NewForConfig(config)
	if err != nil {
		return err
	}
	err = createNamespace(ctx, client, name)
	if b.Name == BackendStandalone && (apierrors.IsNotFound(err) || apierrors.IsMethodNotSupported(err)) {
		return nil
	}
	return err
}

// servedVersions returns the versions of a definition that are to be served.
func servedVersions(definition *unstructured.Unstructured) []string {
	var names []string
	versions, _, _ := unstructured.NestedSlice(definition.Object, "spec", "versions")
	for _, version := range versions {
		if fields, ok := version.(map[string]any); ok && fields["served"] == true {
			names = append(names, fmt.Sprint(fields["name"]))
		}
	}
	return names
}

func (b *Backend) waitServed(ctx context.Context, definition *unstructured.Unstructured) error {
	config, err := b.Admin()
	if err != nil {
		return err
	}
	group, _, _ := unstructured.NestedString(definition.Object, "spec", "group")
	plural, _, _ := unstructured.NestedString(definition.Object, "spec", "names", "plural")
	for _, version := range servedVersions(definition) {
		if err := WaitServed(ctx, config, schema.GroupVersionResource{Group: group, Version: version, Resource: plural}); err != nil {
			return err
		}
	}
	return nil
}

// WaitServed waits until a resource is in the server's discovery, in the merged document that kubectl and the controllers of
// a cluster read as well as in that of the group, and can be listed.
func WaitServed(ctx context.Context, config *rest.Config, resource schema.GroupVersionResource) error {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return err
	}
	finder, err := discovery.NewDiscoveryClientForConfig(config)
	if err != nil {
		return err
	}
	check := func() error {
		if _, err := client.Resource(resource).List(ctx, metav1.ListOptions{Limit: 1}); err != nil {
			return err
		}
		_, merged, _, err := finder.GroupsAndMaybeResources()
		if err != nil {
			return err
		}
		if merged != nil && !hasResource(merged[resource.GroupVersion()], resource.Resource) {
			return errors.New("not in the merged discovery document")
		}
		own, err := finder.ServerResourcesForGroupVersion(resource.GroupVersion().String())
		if err != nil {
			return err
		}
		if !hasResource(own, resource.Resource) {
			return errors.New("not in the discovery document of its version")
		}
		return nil
	}
	if err := Poll(ctx, check); err != nil {
		return fmt.Errorf("%s is not served: %w", resource, err)
	}
	return nil
}

func hasResource(list *metav1.APIResourceList, name string) bool {
	return list != nil && slices.ContainsFunc(list.APIResources, func(r metav1.APIResource) bool { return r.Name == name })
}

// Poll calls check until it returns nil or ctx ends; then it returns the last error too.
func Poll(ctx context.Context, check func() error) error {
	tick := time.NewTicker(50 * time.Millisecond)
	defer tick.Stop()
	for {
		err := check()
		if err == nil {
			return nil
		}
		select {
		case <-ctx.Done():
			return errors.Join(ctx.Err(), err)
		case <-tick.C:
		}
	}
}

// WriteFileAtomically writes a file so that a reader sees either the old or the new content.
func WriteFileAtomically(path string, data []byte) error {
	temporary, err := os.CreateTemp(filepath.Dir(filepath.Dir(path)), ".write-")
	if err != nil {
		return err
	}
	defer os.Remove(temporary.Name())
	if _, err := temporary.Write(data); err != nil {
		return err
	}
	if err := errors.Join(temporary.Chmod(0o644), temporary.Close()); err != nil {
		return err
	}
	return os.Rename(temporary.Name(), path)
}
