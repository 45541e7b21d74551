// Package node runs a whole Kubernetes cluster of one node (package harness's control plane, and kube-scheduler, containerd,
// kubelet and kube-proxy), in which Annex is a pod like any other.
//
//	func main() { os.Exit(node.InNamespaces(run)) }
//
//	func run() int {
//		cluster, err := node.Start(ctx, node.Options{Dir: dir})
//		defer cluster.Stop()
//		err = cluster.Import(ctx, "build/annex-0.1.0.tar")
//		... cluster.Admin() ...
//	}
//
// Nothing of it is seen or left outside: InNamespaces runs the program again as the first process of PID, mount and network
// namespaces of its own. What kubelet, containerd and the network plugins write to /run, /var/lib and /var/log lies in memory
// there; bridges, addresses and packet filters exist only there; and when the program ends, however that happens, the kernel ends
// all its children, containers included. What is left is a folder for control groups, which InNamespaces removes.
//
// It needs root, Linux, and the packages of `scripts/install node`; Missing says what is not there.
package node
