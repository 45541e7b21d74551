package node

import (
	"fmt"
	"os"
	"os/exec"
	"strings"
)

// The network of the node, of its pods and of Services.
const (
	nodeName    = "node1"
	nodeAddress = "172.30.0.1"
	podRange    = "10.244.0.0/24"
	pluginDir   = "/usr/lib/cni"
)

// setUpNetwork gives the network namespace an address that pods can reach, and a default route, without which kubelet and
// kube-proxy do not start. It leads to nobody.
func setUpNetwork() error {
	for _, line := range []string{
		"link set lo up",
		// A bridge without ports stands for the node's network card.
		"link add node0 type bridge",
		"addr add " + nodeAddress + "/24 dev node0",
		"link set node0 up",
		"route add default via 172.30.0.254 dev node0",
	} {
		if output, err := exec.Command("ip", strings.Fields(line)...).CombinedOutput(); err != nil {
			return fmt.Errorf("ip %s: %w: %s", line, err, output)
		}
	}
	if err := os.WriteFile("/proc/sys/net/ipv4/ip_forward", []byte("1"), 0o644); err != nil {
		return err
	}
	// So that a pod reaches a Service whose pod is on the same bridge. Absent where the kernel has no filter for bridges.
	err := os.WriteFile("/proc/sys/net/bridge/bridge-nf-call-iptables", []byte("1"), 0o644)
	if os.IsNotExist(err) {
		return nil
	}
	return err
}
