// Command pause holds the namespaces of a pod: it waits until it is told to end. Where it is process 1 of the pod's other
// containers too, the kernel reaps what they leave, because it ignores SIGCHLD.
package main

import (
	"os"
	"os/signal"
	"syscall"
)

func main() {
	signal.Ignore(syscall.SIGCHLD)
	end := make(chan os.Signal, 1)
	signal.Notify(end, syscall.SIGINT, syscall.SIGTERM)
	<-end
}
