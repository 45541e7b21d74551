package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// measurement is one run over the rows.
type measurement struct {
	options options
	record  *record
	sides   []*side
	filled  map[string]bool // namespaces
}

// startSides starts the servers. The function that it returns stops those that run and may be called again.
func startSides(ctx context.Context, o options) ([]*side, func(), error) {
	var started []*side
	stop := func() {
		for _, s := range started {
			s.stop()
		}
		started = nil
	}
	starters := []func(context.Context, string, int) (*side, error){startNative, startAnnex}
	if o.skipNative {
		starters = starters[1:]
	}
	for _, start := range starters {
		s, err := start(ctx, o.dir, o.connections)
		if err != nil {
			return nil, stop, err
		}
		started = append(started, s)
	}
	return started, stop, nil
}

// need fills a namespace on all sides, once.
func (m *measurement) need(ctx context.Context, namespace string) error {
	if namespace == "" || m.filled[namespace] {
		return nil
	}
	m.filled[namespace] = true
	for _, s := range m.sides {
		f, err := s.fill(ctx, namespace)
		if err != nil {
			return err
		}
		say("%s: %d objects made, %.0f/s", s.name, f.Operations, f.PerSecond)
		body, err := s.client.do(ctx, request{method: "GET", path: s.objectPath(namespace, 0)})
		if err != nil {
			return err
		}
		m.record.Sizes[s.name] = len(body)
	}
	return nil
}

func (m *measurement) repeated(ctx context.Context, namespace string) error {
	for _, r := range repeatedRows {
		if r.namespace != namespace || !m.options.wants(r.number, r.namespace) {
			continue
		}
		if err := m.need(ctx, namespace); err != nil {
			return err
		}
		medians, err := r.rounds(ctx, m.sides, m.options.plan)
		if err != nil {
			return fmt.Errorf("row %d: %w", r.number, err)
		}
		m.record.addRepeated(r.number, medians, time.Now())
		m.progress(r.number, r.name, medians)
	}
	return nil
}

func (m *measurement) progress(number int, name string, medians map[sideName]figures) {
	for _, s := range m.sides {
		f := medians[s.name]
		say("%2d %-42s %-7s %10s CPU/op %10.1f/s p50 %9s p99 %9s", number, name, s.name, microseconds(f.CPU), f.PerSecond,
			milliseconds(f.P50), milliseconds(f.P99))
	}
}

func (m *measurement) watch(ctx context.Context) error {
	if !m.options.wants(watchNumber, smallNamespace) {
		return nil
	}
	if err := m.need(ctx, smallNamespace); err != nil {
		return err
	}
	rounds := map[sideName][]figures{}
	for range m.options.plan.rounds {
		for _, s := range m.sides {
			f, err := watchRow(ctx, s, m.options.plan.duration)
			if err != nil {
				return fmt.Errorf("row %d: %w", watchNumber, err)
			}
			rounds[s.name] = append(rounds[s.name], f)
		}
	}
	medians := map[sideName]figures{}
	for name, all := range rounds {
		medians[name] = median(all)
	}
	m.record.addRepeated(watchNumber, medians, time.Now())
	m.progress(watchNumber, watchName, medians)
	return nil
}

func (m *measurement) single(ctx context.Context) error {
	for _, row := range singleRows {
		if !m.options.wants(row.number, row.needs) {
			continue
		}
		// Memory is that of all objects.
		if row.needs != "" {
			if err := errors.Join(m.need(ctx, smallNamespace), m.need(ctx, row.needs)); err != nil {
				return err
			}
		}
		for _, s := range m.sides {
			if row.onlyAnnex && s.name != annex {
				continue
			}
			value, err := row.measure(ctx, s)
			if err != nil {
				return fmt.Errorf("row %d: %w", row.number, err)
			}
			m.record.addSingle(row.name, s.name, value, time.Now())
			say("%2d %-42s %-7s %.1f %s", row.number, row.name, s.name, value, row.unit)
		}
	}
	return nil
}

// thisMachine describes where and with what the figures were made.
func thisMachine(annexVersion string) (machine, error) {
	info, err := describeMachine()
	info.Versions = map[string]string{"kube-apiserver": harness.KubeVersion, "annex": annexVersion}
	return info, err
}
