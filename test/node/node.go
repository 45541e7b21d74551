package node

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"k8s.io/client-go/kubernetes"

	"annex.dev/annex/test/cluster/harness"
)

const (
	startTimeout     = 90 * time.Second
	containerdSocket = "/run/containerd/containerd.sock"
)

// Options says how a cluster is started.
type Options struct {
	// Dir holds logs, kubeconfigs, etcd's data and the volumes.
	Dir string
	// Durable makes etcd call fsync.
	Durable bool
}

// Cluster is a control plane with one node that is ready for pods. Its images are those that were imported, and its storage is a
// few local volumes.
type Cluster struct {
	*harness.Cluster
	dir       string
	core      kubernetes.Interface
	processes []*harness.Process // in the order of their start
}

// Start starts everything, and returns when the node is ready. REQUIRES: it runs in namespaces (InNamespaces).
func Start(ctx context.Context, options Options) (*Cluster, error) {
	ctx, cancel := context.WithTimeout(ctx, startTimeout)
	defer cancel()
	control, err := harness.StartCluster(ctx, harness.ClusterOptions{Dir: options.Dir, Address: nodeAddress, Durable: options.Durable})
	if err != nil {
		return nil, err
	}
	c := &Cluster{Cluster: control, dir: control.Dir()}
	if err := c.startNode(ctx); err != nil {
		c.Stop()
		return nil, err
	}
	return c, nil
}

func (c *Cluster) startNode(ctx context.Context) error {
	var err error
	if c.core, err = kubernetes.NewForConfig(c.Admin()); err != nil {
		return err
	}
	if err := c.writeConfigs(); err != nil {
		return err
	}
	for _, step := range []func(context.Context) error{
		c.startContainerd,
		c.importPause,
		func(ctx context.Context) error { return c.StartControllerManager(ctx) },
		c.startScheduler,
		c.startKubelet,
		c.startProxy,
		c.makeVolumes,
		c.awaitReady,
	} {
		if err := step(ctx); err != nil {
			return err
		}
	}
	return nil
}

// Stop ends everything but the containers, which end with the namespaces.
func (c *Cluster) Stop() {
	for i := len(c.processes) - 1; i >= 0; i-- {
		c.processes[i].Kill()
	}
	c.Cluster.Stop()
}

// Import makes an image archive available to pods.
func (c *Cluster) Import(ctx context.Context, archive string) error {
	return c.containers(ctx, "images", "import", archive)
}

func (c *Cluster) containers(ctx context.Context, args ...string) error {
	command := exec.CommandContext(ctx, "ctr", append([]string{"--address", containerdSocket, "--namespace", "k8s.io"}, args...)...)
	if output, err := command.CombinedOutput(); err != nil {
		return fmt.Errorf("ctr %v: %w: %s", args, err, output)
	}
	return nil
}

func (c *Cluster) run(name, path string, args ...string) (*harness.Process, error) {
	if _, err := os.Stat(path); err != nil {
		return nil, fmt.Errorf("no %s: run scripts/kube-binaries %s", path, name)
	}
	process, err := harness.StartProcess(harness.Command{
		Name: name, Path: path, Args: args, Log: filepath.Join(c.dir, "log", name+".log"),
	})
	if err == nil {
		c.processes = append(c.processes, process)
	}
	return process, err
}

func (c *Cluster) startContainerd(ctx context.Context) error {
	path, err := exec.LookPath("containerd")
	if err != nil {
		return err
	}
	process, err := c.run("containerd", path, "--config", c.file("containerd.toml"))
	if err != nil {
		return err
	}
	return process.WaitReady(ctx, func(ctx context.Context) error { return c.containers(ctx, "version") })
}

func (c *Cluster) startScheduler(context.Context) error {
	kubeconfig, err := c.KubeconfigFor("kube-scheduler", "system:kube-scheduler")
	if err != nil {
		return err
	}
	_, err = c.run("kube-scheduler", c.Binary("kube-scheduler"), "--kubeconfig="+kubeconfig, "--authentication-kubeconfig="+kubeconfig,
		"--authorization-kubeconfig="+kubeconfig, "--leader-elect=false", "--bind-address=127.0.0.1")
	return err
}

func (c *Cluster) startKubelet(context.Context) error {
	kubeconfig, err := c.KubeconfigFor("kubelet", "system:node:"+nodeName, "system:nodes")
	if err != nil {
		return err
	}
	_, err = c.run("kubelet", c.Binary("kubelet"), "--kubeconfig="+kubeconfig, "--config="+c.file("kubelet.yaml"),
		"--hostname-override="+nodeName, "--node-ip="+nodeAddress)
	return err
}

func (c *Cluster) startProxy(context.Context) error {
	kubeconfig, err := c.KubeconfigFor("kube-proxy", "system:kube-proxy")
	if err != nil {
		return err
	}
	// The limits of connection tracking are the machine's: they are left as they are.
	_, err = c.run("kube-proxy", c.Binary("kube-proxy"), "--kubeconfig="+kubeconfig, "--proxy-mode=iptables", "--cluster-cidr="+podRange,
		"--hostname-override="+nodeName, "--conntrack-max-per-core=0", "--conntrack-tcp-timeout-established=0",
		"--conntrack-tcp-timeout-close-wait=0")
	return err
}

func (c *Cluster) file(name string) string { return filepath.Join(c.dir, name) }
