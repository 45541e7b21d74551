// Package harness runs a real Kubernetes control plane (etcd, kube-apiserver, kube-controller-manager) and Annex as child
// processes on the loopback interface, for tests, benchmarks and comparisons.
//
//	cluster, err := harness.StartCluster(ctx, harness.ClusterOptions{})
//	defer cluster.Stop()
//	annex, err := harness.StartAnnex(ctx, harness.AnnexOptions{Mode: harness.Files, Cluster: cluster, ...})
//	defer annex.Stop()
//	... cluster.Admin() reaches everything, what Annex serves included ...
//
// Nothing here knows package testing, testing.go apart. There is no kubelet, scheduler or
// kube-proxy: no Pod ever runs, and Services lead somewhere only as described at prepareCluster.
//
// The Kubernetes binaries come from the folder that scripts/kube-binaries fills; see BinariesDir.
package harness
