// Command cluster runs a Kubernetes cluster of one node until it gets SIGINT or SIGTERM; scripts/cluster is the way to use it.
//
//	cluster --dir DIR [--image ARCHIVE]...
//
// DIR/admin.kubeconfig reaches it from outside of its namespaces too. When the cluster is ready, DIR/ready is there.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"net"
	"net/url"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"annex.dev/annex/test/cluster/harness"
	"annex.dev/annex/test/node"
)

func main() {
	dir := flag.String("dir", "", "folder for state, logs and kubeconfigs; what is in it is replaced")
	var images []string
	flag.Func("image", "an image archive to import; may be repeated", func(path string) error {
		images = append(images, path)
		return nil
	})
	flag.Parse()
	if reason := node.Missing(); reason != "" {
		fmt.Fprintln(os.Stderr, "cluster:", reason)
		os.Exit(1)
	}
	os.Exit(node.InNamespacesWith(openListener, func() int {
		if err := run(*dir, images); err != nil {
			fmt.Fprintln(os.Stderr, "cluster:", err)
			return 1
		}
		return 0
	}))
}

// openListener is called outside of the namespaces, where clients are.
func openListener() ([]*os.File, error) {
	listener, err := net.ListenTCP("tcp", &net.TCPAddr{IP: net.IPv4(127, 0, 0, 1)})
	if err != nil {
		return nil, err
	}
	file, err := listener.File()
	return []*os.File{file}, err
}

func run(dir string, images []string) error {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if dir == "" {
		return errors.New("--dir is missing")
	}
	ready := filepath.Join(dir, "ready")
	if err := os.RemoveAll(ready); err != nil {
		return err
	}
	cluster, err := node.Start(ctx, node.Options{Dir: dir})
	if err != nil {
		return err
	}
	defer cluster.Stop()
	for _, image := range images {
		if err := cluster.Import(ctx, image); err != nil {
			return err
		}
	}
	if err := forward(cluster); err != nil {
		return err
	}
	if err := os.WriteFile(ready, nil, 0o644); err != nil {
		return err
	}
	defer os.Remove(ready)
	<-ctx.Done()
	return nil
}

// forward lets clients outside of the namespaces reach kube-apiserver, and writes the kubeconfig for them.
func forward(cluster *node.Cluster) error {
	listener, err := net.FileListener(os.NewFile(3, "listener"))
	if err != nil {
		return err
	}
	inside, err := url.Parse(cluster.Address())
	if err != nil {
		return err
	}
	go node.Forward(listener, inside.Host)
	config := cluster.Admin()
	config.Host = "https://" + listener.Addr().String()
	return harness.WriteKubeconfig(filepath.Join(cluster.Dir(), "admin.kubeconfig"), config)
}
