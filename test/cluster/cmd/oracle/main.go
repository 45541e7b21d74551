// Command oracle runs a real Kubernetes API server until it gets SIGINT or SIGTERM, to see how it answers:
//
//	go run ./cmd/oracle --kcm --dir /tmp/oracle &
//	kubectl --kubeconfig /tmp/oracle/admin.kubeconfig api-resources
//
// The path of the kubeconfig is the only line on standard output.
package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"annex.dev/annex/test/cluster/harness"
)

func main() {
	dir := flag.String("dir", "", "folder for state, logs and kubeconfigs (default: a temporary one); etcd, log and pki in it are replaced")
	kcm := flag.Bool("kcm", false, "run kube-controller-manager too: namespaces then go away, garbage is collected")
	durable := flag.Bool("durable", false, "let etcd call fsync")
	flag.Parse()

	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := run(ctx, harness.ClusterOptions{Dir: *dir, Durable: *durable}, *kcm); err != nil {
		fmt.Fprintln(os.Stderr, "oracle:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context, options harness.ClusterOptions, kcm bool) error {
	cluster, err := harness.StartCluster(ctx, options)
	if err != nil {
		return err
	}
	defer cluster.Stop()
	if kcm {
		if err := cluster.StartControllerManager(ctx); err != nil {
			return err
		}
	}
	fmt.Println(filepath.Join(cluster.Dir(), "admin.kubeconfig"))
	select {
	case <-ctx.Done():
		return nil
	case <-cluster.Processes()["kube-apiserver"].Done():
		return fmt.Errorf("kube-apiserver ended; see %s", filepath.Join(cluster.Dir(), "log"))
	}
}
