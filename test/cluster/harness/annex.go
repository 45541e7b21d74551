package harness

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"

	"k8s.io/apimachinery/pkg/apis/meta/v1/unstructured"
	"k8s.io/apimachinery/pkg/runtime/schema"
	"k8s.io/client-go/dynamic"
	"k8s.io/client-go/rest"
	"k8s.io/client-go/tools/clientcmd"

	metav1 "k8s.io/apimachinery/pkg/apis/meta/v1"
)

// AnnexMode says where Annex gets its definitions and who talks to it.
type AnnexMode string

const (
	// Standalone is Annex without any cluster.
	Standalone AnnexMode = "standalone"
	// Files is Annex behind a kube-apiserver, with definitions from a folder.
	Files AnnexMode = "files"
)

// AnnexOptions says how Annex is started.
type AnnexOptions struct {
	Mode AnnexMode
	// Binary is the annex program. Empty means AnnexBinary().
	Binary string
	// DataDir is Annex's data folder. Its parent receives the log file and, in mode Files, the kubeconfig.
	DataDir string
	// Definitions is the folder with definitions: needed in mode Files, optional in mode Standalone.
	Definitions string
	// Cluster is what Annex serves behind, in mode Files.
	Cluster *Cluster
	// Service names the Service that leads to Annex, in mode Files. Empty means "annex".
	Service string
	// Port is where Annex listens on 127.0.0.1. 0 means a free one.
	Port int
	// Args are added to the command line.
	Args []string
	// Env is added to the environment.
	Env []string
}

// Annex is an annex process that can be stopped, killed and started again with the same data and the same address. Its
// methods may be called by several goroutines, though stopping and starting at once makes little sense.
type Annex struct {
	options    AnnexOptions
	kubeconfig string // mode Files: Annex's own access to the cluster

	mutex     sync.Mutex
	process   *Process
	authority []byte // mode Files: what Annex's certificate was verified with last, PEM
}

// StartAnnex starts Annex and returns when GET /readyz is answered with 200. In mode Files it first prepares the cluster:
// see prepareCluster.
func StartAnnex(ctx context.Context, options AnnexOptions) (*Annex, error) {
	a, err := NewAnnex(ctx, options)
	if err != nil {
		return nil, err
	}
	return a, a.Start(ctx)
}

// NewAnnex does all that StartAnnex does, but does not start the process.
func NewAnnex(ctx context.Context, options AnnexOptions) (*Annex, error) {
	var err error
	if options.Binary == "" {
		if options.Binary, err = AnnexBinary(); err != nil {
			return nil, err
		}
	}
	if options.Port == 0 {
		if options.Port, err = FreePort(); err != nil {
			return nil, err
		}
	}
	if options.Service == "" {
		options.Service = "annex"
	}
	a := &Annex{options: options}
	if err := os.MkdirAll(filepath.Dir(options.DataDir), 0o755); err != nil {
		return nil, err
	}
	if options.Mode == Files {
		return a, a.prepareCluster(ctx)
	}
	return a, nil
}

// Start starts the process and waits until it is ready. A process that is not ready in time is killed.
func (a *Annex) Start(ctx context.Context) error {
	if err := a.Launch(); err != nil {
		return err
	}
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	process := a.Process()
	err := process.WaitReady(ctx, func(ctx context.Context) error { return getOK(ctx, a.Address()+"/readyz") })
	if err != nil {
		process.Kill()
	}
	return err
}

// Launch starts the process and waits for nothing.
func (a *Annex) Launch() error {
	process, err := StartProcess(Command{
		Name: "annex", Path: a.options.Binary, Args: a.CommandLine(), Env: a.options.Env, Log: a.options.DataDir + ".log",
	})
	if err != nil {
		return err
	}
	a.mutex.Lock()
	defer a.mutex.Unlock()
	a.process = process
	return nil
}

// CommandLine returns the arguments with which the process is started.
func (a *Annex) CommandLine() []string {
	o := a.options
	args := []string{"serve", "--data-dir", o.DataDir, "--listen", fmt.Sprintf("127.0.0.1:%d", o.Port)}
	if o.Definitions != "" {
		args = append(args, "--definitions", o.Definitions)
	}
	if o.Mode == Files {
		args = append(args, "--kubeconfig", a.kubeconfig, "--service-namespace", annexNamespace, "--service-name", o.Service,
			"--service-port", fmt.Sprint(o.Port))
	} else {
		args = append(args, "--standalone")
	}
	return append(args, o.Args...)
}

// Options returns what Annex was started with, with all defaults filled in.
func (a *Annex) Options() AnnexOptions { return a.options }

// Process returns the process that was started last, or nil.
func (a *Annex) Process() *Process {
	a.mutex.Lock()
	defer a.mutex.Unlock()
	return a.process
}

// Stop ends Annex with SIGTERM and reports an end that was not clean.
func (a *Annex) Stop() error {
	if process := a.Process(); process != nil {
		return process.Stop(stopGrace)
	}
	return nil
}

// Kill ends Annex with SIGKILL.
func (a *Annex) Kill() {
	if process := a.Process(); process != nil {
		process.Kill()
	}
}

// Address returns the URL at which Annex itself listens.
func (a *Annex) Address() string { return fmt.Sprintf("https://127.0.0.1:%d", a.options.Port) }

// Admin returns a configuration with all rights for mode Standalone, from the kubeconfig that Annex writes.
func (a *Annex) Admin() (*rest.Config, error) {
	if a.options.Mode != Standalone {
		return nil, errors.New("in mode files the cluster's administrator is Annex's: use Cluster.Admin")
	}
	config, err := clientcmd.BuildConfigFromFlags("", filepath.Join(a.options.DataDir, "admin.kubeconfig"))
	if err != nil {
		return nil, err
	}
	config.QPS = -1
	return config, nil
}

// Direct returns a configuration that leads to Annex itself, past kube-apiserver, and verifies its certificate, but carries
// no credentials. While kube-apiserver does not answer, it is the authority of the last call that counts.
func (a *Annex) Direct(ctx context.Context) (*rest.Config, error) {
	if a.options.Mode == Standalone {
		config, err := a.Admin()
		if err != nil {
			return nil, err
		}
		return rest.AnonymousClientConfig(config), nil
	}
	ca, err := a.registeredCA(ctx)
	a.mutex.Lock()
	defer a.mutex.Unlock()
	if err == nil {
		a.authority = ca
	} else if a.authority == nil {
		return nil, err
	}
	return &rest.Config{
		Host:            a.Address(),
		TLSClientConfig: rest.TLSClientConfig{CAData: a.authority, ServerName: a.options.Service + "." + annexNamespace + ".svc"},
		QPS:             -1,
	}, nil
}

// registeredCA returns the CA bundle of any APIService that leads to this Annex.
func (a *Annex) registeredCA(ctx context.Context) ([]byte, error) {
	services, err := APIServices(ctx, a.options.Cluster.Admin())
	if err != nil {
		return nil, err
	}
	for _, service := range services {
		name, _, _ := unstructured.NestedString(service.Object, "spec", "service", "name")
		bundle, _, _ := unstructured.NestedString(service.Object, "spec", "caBundle")
		if name == a.options.Service && bundle != "" {
			return base64.StdEncoding.DecodeString(bundle)
		}
	}
	return nil, fmt.Errorf("no APIService leads to the service %s with a CA bundle", a.options.Service)
}

// APIServiceResource is the resource by which API groups are registered.
var APIServiceResource = schema.GroupVersionResource{Group: "apiregistration.k8s.io", Version: "v1", Resource: "apiservices"}

// APIServices returns the cluster's APIService objects that lead to some Service, those served by kube-apiserver left out.
func APIServices(ctx context.Context, config *rest.Config) ([]unstructured.Unstructured, error) {
	client, err := dynamic.NewForConfig(config)
	if err != nil {
		return nil, err
	}
	list, err := client.Resource(APIServiceResource).List(ctx, metav1.ListOptions{})
	if err != nil {
		return nil, err
	}
	var remote []unstructured.Unstructured
	for _, item := range list.Items {
		if _, found, _ := unstructured.NestedMap(item.Object, "spec", "service"); found {
			remote = append(remote, item)
		}
	}
	return remote, nil
}

// Restart stops Annex with SIGTERM and starts it again, even if it did not end cleanly, which is reported.
func (a *Annex) Restart(ctx context.Context) error {
	return errors.Join(a.Stop(), a.Start(ctx))
}
