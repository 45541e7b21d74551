package node

import (
	"io"
	"net"
)

// Forward passes connections that a listener outside of the namespaces accepts on to an address inside.
func Forward(listener net.Listener, address string) {
	for {
		outer, err := listener.Accept()
		if err != nil {
			return
		}
		go func() {
			defer outer.Close()
			inner, err := net.Dial("tcp", address)
			if err != nil {
				return
			}
			defer inner.Close()
			go func() { _, _ = io.Copy(inner, outer) }()
			_, _ = io.Copy(outer, inner)
		}()
	}
}
