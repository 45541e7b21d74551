package harness

import (
	"fmt"
	"math/rand/v2"
	"net"
	"sync"
)

var (
	portsMutex sync.Mutex
	portsGiven = map[int]bool{}
)

// FreePort returns a TCP port of 127.0.0.1 that nobody listens on and that this process has not handed out before. Ports
// come from below the kernel's range for outgoing connections, so none of these can take one before its server starts.
func FreePort() (int, error) {
	portsMutex.Lock()
	defer portsMutex.Unlock()
	for range 200 {
		port := 20000 + rand.IntN(12000)
		if portsGiven[port] {
			continue
		}
		listener, err := net.Listen("tcp", fmt.Sprintf("127.0.0.1:%d", port))
		if err != nil {
			continue
		}
		_ = listener.Close()
		portsGiven[port] = true
		return port, nil
	}
	return 0, fmt.Errorf("no free port found between 20000 and 31999 on 127.0.0.1")
}
