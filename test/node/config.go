package node

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
)

const pauseImage = "localhost/pause:1"

// writeConfigs writes the configurations of containerd, of the pods' network and of kubelet.
func (c *Cluster) writeConfigs() error {
	groups := "/" + os.Getenv(insideVariable)
	plugins := c.file("cni")
	return errors.Join(
		os.MkdirAll(plugins, 0o755),
		os.WriteFile(filepath.Join(plugins, "10-bridge.conflist"), []byte(networkConfig()), 0o644),
		os.WriteFile(c.file("containerd.toml"), []byte(containerdConfig(plugins)), 0o644),
		os.WriteFile(c.file("kubelet.yaml"), []byte(kubeletConfig(c.file("pki/ca.crt"), groups)), 0o644))
}

func networkConfig() string {
	return fmt.Sprintf(`{"cniVersion": "0.4.0", "name": "pods", "plugins": [
  {"type": "bridge", "bridge": "cni0", "isGateway": true, "ipMasq": true,
   "ipam": {"type": "host-local", "ranges": [[{"subnet": %q}]], "routes": [{"dst": "0.0.0.0/0"}]}},
  {"type": "portmap", "capabilities": {"portMappings": true}}]}
`, podRange)
}

func containerdConfig(plugins string) string {
	return fmt.Sprintf(`version = 2
[grpc]
address = %q
[plugins."io.containerd.grpc.v1.cri"]
sandbox_image = %q
# In a container a score cannot be lowered below one's own.
restrict_oom_score_adj = true
[plugins."io.containerd.grpc.v1.cri".cni]
bin_dir = %q
conf_dir = %q
[plugins."io.containerd.grpc.v1.cri".containerd]
snapshotter = "overlayfs"
`, containerdSocket, pauseImage, pluginDir, plugins)
}

func kubeletConfig(authority, groups string) string {
	return fmt.Sprintf(`apiVersion: kubelet.config.k8s.io/v1beta1
kind: KubeletConfiguration
authentication: {anonymous: {enabled: false}, webhook: {enabled: true}, x509: {clientCAFile: %q}}
authorization: {mode: Webhook}
containerRuntimeEndpoint: unix://%s
cgroupDriver: cgroupfs
cgroupRoot: %s
failSwapOn: false
failCgroupV1: false
resolvConf: ""
# The machine's disk is not the node's affair.
evictionHard: {memory.available: "100Mi", nodefs.available: "1%%", imagefs.available: "1%%"}
`, authority, containerdSocket, groups)
}
