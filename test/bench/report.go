package main

import (
	"fmt"
	"os"
	"runtime"
	"slices"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

func microseconds(d time.Duration) string {
	return fmt.Sprintf("%.1f µs", float64(d.Nanoseconds())/1e3)
}

func milliseconds(d time.Duration) string {
	return fmt.Sprintf("%.2f ms", float64(d.Nanoseconds())/1e6)
}

// report is what a run prints: the ratios first, then what they come from.
func report(r *record) string {
	var b strings.Builder
	b.WriteString("| # | work | CPU ratio | target | ops ratio | target | reached |\n|---|---|---|---|---|---|---|\n")
	for _, row := range allRepeated() {
		writeRatios(&b, row, r.Repeated[row.number])
	}
	b.WriteString("\n| # | work | kube-apiserver + etcd: CPU/op | ops/s | p50 | p99 | Annex: CPU/op | ops/s | p50 | p99 |\n")
	b.WriteString("|---|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range allRepeated() {
		if measured := r.Repeated[row.number]; len(measured) > 0 {
			fmt.Fprintf(&b, "| %d | %s | %s | %s |\n", row.number, row.name, cells(measured, native), cells(measured, annex))
		}
	}
	b.WriteString("\n| # | work | kube-apiserver + etcd | Annex | target | reached |\n|---|---|---|---|---|---|\n")
	for _, row := range singleRows {
		writeSingle(&b, row, r.Single[row.name])
	}
	if r.Growth != nil {
		writeGrowth(&b, r.Growth)
	}
	return b.String()
}

// allRepeated returns the repeated rows and that about watches, in order.
func allRepeated() []row {
	all := append(slices.Clone(repeatedRows), row{number: watchNumber, name: watchName, cpu: watchCPU})
	slices.SortFunc(all, func(a, b row) int { return a.number - b.number })
	return all
}

func writeRatios(b *strings.Builder, row row, measured sides) {
	theirs, measuredTheirs := measured[native]
	ours, measuredOurs := measured[annex]
	if !measuredTheirs || !measuredOurs {
		return
	}
	cpu := float64(theirs.Value.CPU) / float64(ours.Value.CPU)
	reached := cpu >= row.cpu
	speed, speedTarget := "", ""
	if row.number == watchNumber {
		// Writes come at a fixed pace; what counts is when the events arrive.
		speed, speedTarget = "p99 "+milliseconds(ours.Value.P99), "p99 ≤ "+milliseconds(watchP99)
		reached = reached && ours.Value.P99 <= watchP99
	} else {
		ratio := ours.Value.PerSecond / theirs.Value.PerSecond
		speed, speedTarget = fmt.Sprintf("%.1f ×", ratio), fmt.Sprintf("%.0f ×", row.perSecond)
		reached = reached && ratio >= row.perSecond
	}
	note := ""
	if theirs.At.Sub(ours.At).Abs() > time.Hour {
		note = fmt.Sprintf(" (kube-apiserver measured on %s)", theirs.At.Format(time.DateOnly))
	}
	fmt.Fprintf(b, "| %d | %s%s | **%.1f ×** | %.0f × | **%s** | %s | %s |\n", row.number, row.name, note, cpu, row.cpu, speed, speedTarget,
		yesNo(reached))
}

func cells(measured sides, name sideName) string {
	f, found := measured[name]
	if !found {
		return "– | – | – | –"
	}
	v := f.Value
	return fmt.Sprintf("%s | %.1f | %s | %s", microseconds(v.CPU), v.PerSecond, milliseconds(v.P50), milliseconds(v.P99))
}

func writeSingle(b *strings.Builder, row single, measured sidesOnce) {
	ours, found := measured[annex]
	if !found {
		return
	}
	theirs := "–"
	if value, found := measured[native]; found {
		theirs = fmt.Sprintf("%.1f %s", value.Value, row.unit)
	}
	fmt.Fprintf(b, "| %d | %s | %s | **%.1f %s** | %s | %s |\n", row.number, row.name, theirs, ours.Value, row.unit, row.target,
		yesNo(row.reached(ours.Value, measured[native].Value)))
}

func writeGrowth(b *strings.Builder, g *growth) {
	fmt.Fprintf(b, "\n| # | work | CPU/op with %d objects | with %d | ratio | reached (≤ %.1f) |\n|---|---|---|---|---|---|\n",
		smallCount, manyCount, growthLimit)
	for _, row := range repeatedRows {
		f, found := g.Rows[row.number]
		if !found {
			continue
		}
		ratio := float64(f.Many.CPU) / float64(f.Few.CPU)
		name, _, _ := strings.Cut(row.name, " of ")
		fmt.Fprintf(b, "| %d | %s | %s | %s | **%.2f** | %s |\n", row.number, name, microseconds(f.Few.CPU), microseconds(f.Many.CPU), ratio,
			yesNo(ratio <= growthLimit))
	}
	fmt.Fprintf(b, "| 16 | start to /readyz | | %s | | %s (≤ %s) |\n", milliseconds(g.Start), yesNo(g.Start <= startLimit), startLimit)
}

func yesNo(value bool) string {
	if value {
		return "yes"
	}
	return "no"
}

// page is docs/benchmarks.md.
func page(r *record) string {
	m := r.Machine
	newest := time.Time{}
	for _, row := range r.Repeated {
		for _, f := range row {
			if f.At.After(newest) {
				newest = f.At
			}
		}
	}
	return fmt.Sprintf(`# Benchmarks

Made by %s; do not edit. The last run: %s, on %d processors (%s), %.0f GiB, Linux %s; kube-apiserver %s with its etcd
(fsync on), Annex %s. %s

The same requests go to both servers, one after the other in rounds of a few seconds; the median round counts. The load generator is
on the same machine, in Go, over HTTP/2 with %d requests under way (%d for the list of all). CPU/op is user and system time of the server processes
(kube-apiserver and etcd; Annex alone) divided by operations; it is stable where throughput, which shares the processors with the load
generator, is not. Both sides have acknowledged writes on disk. An object is served in %d bytes by kube-apiserver and in %d by Annex.

%s`, "`"+strings.TrimSpace(r.Command)+"`", newest.Format(time.DateOnly), m.Processors, m.Model, m.MemoryGiB, m.Kernel,
		m.Versions["kube-apiserver"], m.Versions["annex"], busyNote(m), loadConcurrency, listConcurrency, r.Sizes[native], r.Sizes[annex], report(r))
}

func describeMachine() (machine, error) {
	var system unix.Sysinfo_t
	var name unix.Utsname
	if err := unix.Sysinfo(&system); err != nil {
		return machine{}, err
	}
	if err := unix.Uname(&name); err != nil {
		return machine{}, err
	}
	return machine{
		Processors: runtime.NumCPU(),
		MemoryGiB:  float64(system.Totalram) * float64(system.Unit) / (1 << 30),
		Model:      processorModel(),
		Kernel:     strings.Join(strings.SplitN(unix.ByteSliceToString(name.Release[:]), ".", 3)[:2], "."),
		Load:       float64(system.Loads[0]) / (1 << unix.SI_LOAD_SHIFT),
	}, nil
}

// busyNote warns of figures from a machine that had other work: all of them are then too high, the ratios less so.
func busyNote(m machine) string {
	if m.Load < 0.5*float64(m.Processors) {
		return "The machine had nothing else to do."
	}
	return fmt.Sprintf("**The machine was busy with other work** (load average %.1f at the beginning): times and rates are worse than they are on "+
		"an idle one, on both sides; ratios hold better.", m.Load)
}

func processorModel() string {
	data, _ := os.ReadFile("/proc/cpuinfo")
	for _, line := range strings.Split(string(data), "\n") {
		if key, value, found := strings.Cut(line, ":"); found && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
