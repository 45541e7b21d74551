// Command burn uses as much of a processor as its container may, until it is killed.
package main

func main() {
	for {
	}
}
