package harness

import (
	"fmt"
	"os"
	"path/filepath"
)

// KubeVersion is the Kubernetes release that scripts/kube-binaries builds.
const KubeVersion = "1.34.4"

// BinariesDir returns the folder with etcd, kube-apiserver, kube-controller-manager, kubectl and kubectl-old:
// $ANNEX_KUBE_BIN, or else the cache of scripts/kube-binaries.
func BinariesDir() (string, error) {
	dir := os.Getenv("ANNEX_KUBE_BIN")
	if dir == "" {
		cache, err := CacheDir()
		if err != nil {
			return "", err
		}
		dir = filepath.Join(cache, "kube-"+KubeVersion)
	}
	for _, name := range []string{"etcd", "kube-apiserver", "kube-controller-manager", "kubectl"} {
		if _, err := os.Stat(filepath.Join(dir, name)); err != nil {
			return "", fmt.Errorf("no %s in %s: run scripts/kube-binaries, or set ANNEX_KUBE_BIN to the folder that it printed", name, dir)
		}
	}
	return filepath.Abs(dir)
}

// AnnexBinary returns the path of the annex program: $ANNEX_BINARY, or else the release build of this working copy, which
// is looked for in the folders above the current one.
func AnnexBinary() (string, error) {
	if path := os.Getenv("ANNEX_BINARY"); path != "" {
		if _, err := os.Stat(path); err != nil {
			return "", fmt.Errorf("ANNEX_BINARY: %w", err)
		}
		return filepath.Abs(path)
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", err
	}
	for ; dir != "/"; dir = filepath.Dir(dir) {
		path := filepath.Join(dir, "build", "release", "annex")
		if _, err := os.Stat(path); err == nil {
			return path, nil
		}
	}
	return "", fmt.Errorf("no build/release/annex here or in a folder above: build it, or set ANNEX_BINARY")
}

// CacheDir returns the folder for what is made once and used by later runs: $ANNEX_CACHE, or else annex in the folder for caches.
func CacheDir() (string, error) {
	if dir := os.Getenv("ANNEX_CACHE"); dir != "" {
		return dir, nil
	}
	dir, err := os.UserCacheDir()
	return filepath.Join(dir, "annex"), err
}

// PrometheusDir returns the folder that scripts/prometheus-binaries fills with prometheus and promtool: $ANNEX_PROMETHEUS_BIN, or
// else prometheus in the cache.
func PrometheusDir() (string, error) {
	if dir := os.Getenv("ANNEX_PROMETHEUS_BIN"); dir != "" {
		return dir, nil
	}
	dir, err := CacheDir()
	return filepath.Join(dir, "prometheus"), err
}
