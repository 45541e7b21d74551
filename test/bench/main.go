package main

import (
	"context"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// options are what the command line asks for.
type options struct {
	rows        []int // empty means all
	quick       bool
	skipNative  bool
	scale       bool
	plan        plan
	connections int
	dir         string // of the servers' data
	record      string // the file of earlier figures
	report      string // the page to write; empty means none
	version     string // of Annex's sources
	command     string // what was asked for, without the places of files
}

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	o, err := parse(os.Args[1:])
	if err == nil {
		err = run(ctx, o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

func parse(args []string) (options, error) {
	var o options
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	rows := flags.String("rows", "", "measure only these rows, for example 1,2,7")
	flags.BoolVar(&o.quick, "quick", false, "a look: short rounds, nothing with 100,000 objects, nothing is saved")
	flags.BoolVar(&o.skipNative, "skip-native", false, "measure Annex only; show the native figures that were recorded last")
	flags.BoolVar(&o.scale, "scale", false, "measure too how cost grows from 10,000 to 1,000,000 objects, and the start with so many")
	flags.IntVar(&o.plan.rounds, "rounds", 3, "rounds for each row and side; the median counts")
	flags.DurationVar(&o.plan.duration, "time", 4*time.Second, "time of a round")
	flags.IntVar(&o.connections, "connections", 4, "HTTP/2 connections that the 32 concurrent requests share")
	flags.StringVar(&o.dir, "dir", "", "folder for the servers' data, on the disk to measure (default: a temporary one)")
	flags.StringVar(&o.record, "record", "record.json", "the file with the figures of earlier runs")
	flags.StringVar(&o.report, "report", "", "the page to write")
	flags.StringVar(&o.version, "annex-version", "unknown", "what to call the Annex that is measured")
	_ = flags.Parse(args)
	o.command = "scripts/bench"
	flags.Visit(func(f *flag.Flag) {
		if !slices.Contains([]string{"dir", "record", "report", "annex-version"}, f.Name) {
			o.command += fmt.Sprintf(" --%s=%s", f.Name, f.Value)
		}
	})
	o.plan.warmUp = o.plan.duration / 4
	if o.quick {
		o.plan = plan{rounds: 1, duration: 2 * time.Second, warmUp: time.Second / 2}
	}
	for _, text := range strings.FieldsFunc(*rows, func(r rune) bool { return r == ',' }) {
		number, err := strconv.Atoi(text)
		if err != nil {
			return o, fmt.Errorf("--rows: %q is no number", text)
		}
		o.rows = append(o.rows, number)
	}
	return o, nil
}

func (o options) wants(number int, namespace string) bool {
	if len(o.rows) > 0 {
		return slices.Contains(o.rows, number)
	}
	return !o.quick || namespace != largeNamespace && number != 14
}

func say(format string, args ...any) { fmt.Fprintf(os.Stderr, "bench: "+format+"\n", args...) }

func run(ctx context.Context, o options) error {
	if o.dir == "" {
		dir, err := os.MkdirTemp("", "annex-bench-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		o.dir = dir
	}
	saved, err := readRecord(o.record)
	if err != nil {
		return err
	}
	shown := newRecord()
	if o.skipNative {
		shown.merge(saved, native)
	}
	shown.Command = o.command
	if shown.Machine, err = thisMachine(o.version); err != nil {
		return err
	}
	if err := measure(ctx, o, shown); err != nil {
		return err
	}
	fmt.Print(report(shown))
	if o.quick {
		return nil
	}
	saved.merge(shown)
	if err := saved.write(o.record); err != nil || o.report == "" {
		return err
	}
	return os.WriteFile(o.report, []byte(page(saved)), 0o644)
}

func measure(ctx context.Context, o options, r *record) error {
	started, stop, err := startSides(ctx, o)
	defer stop()
	if err != nil {
		return err
	}
	m := &measurement{options: o, record: r, sides: started, filled: map[string]bool{}}
	if err := m.repeated(ctx, smallNamespace); err != nil {
		return err
	}
	if err := m.watch(ctx); err != nil {
		return err
	}
	if err := m.repeated(ctx, largeNamespace); err != nil {
		return err
	}
	if err := m.single(ctx); err != nil {
		return err
	}
	if !o.scale {
		return nil
	}
	stop()
	say("how cost grows")
	r.Grown = time.Now()
	r.Growth, err = measureGrowth(ctx, o)
	return err
}
