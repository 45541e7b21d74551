// Command bench does the same work on a real kube-apiserver with etcd and on Annex, one after the other in small rounds so that
// both meet the same machine, and says what each operation cost: processor time of the server processes, throughput, latency,
// memory. scripts/bench builds what it needs and runs it.
//
//	side.go     the servers under test, and what their processes used
//	client.go   requests over HTTP/2
//	load.go     the same operation many times, at once, and the figures of that
//	objects.go  the definition and the objects
//	rows.go     the rows of the table: each a piece of work with its target
//	watch.go    the row about watches
//	single.go   rows that are done once: memory, definitions, deletion, start
//	growth.go   the same rows with few and with many objects
//	record.go   the figures as a file, to be shown again
//	report.go   the figures as text and as docs/benchmarks.md
package main
