package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"annex.dev/annex/test/cluster/harness"
)

// single is a row that is no repeated operation: one value for each side, smaller is better.
type single struct {
	number int
	name   string
	target string
	unit   string
	needs  string // the namespace that has to be filled
	// reached says whether Annex's value is good enough, given the native one (0 if that was not measured).
	reached func(annex, native float64) bool
	measure func(ctx context.Context, s *side) (float64, error)
	// onlyAnnex rows take kube-apiserver minutes or more memory than a small machine has.
	onlyAnnex bool
}

var singleRows = []single{
	{
		number: 12, name: "resident memory with 110,000 objects", target: "≤ 100 MB, 1/60", unit: "MB", needs: largeNamespace,
		reached: func(annex, native float64) bool { return annex <= 100 && (native == 0 || annex*60 <= native) },
		measure: residentAtRest,
	},
	{
		number: 12, name: "… after three lists of all 100,000", target: "≤ 100 MB, 1/60", unit: "MB", needs: largeNamespace,
		reached: func(annex, native float64) bool { return annex <= 100 && (native == 0 || annex*60 <= native) },
		measure: residentAfterLists,
	},
	{
		number: 13, name: "create a definition → first object served", target: "≤ 20 ms", unit: "ms",
		reached: func(annex, _ float64) bool { return annex <= 20 }, measure: definitionToObject,
	},
	{
		number: 14, name: "1,000 definitions, resident memory", target: "≤ 150 MB", unit: "MB", onlyAnnex: true,
		reached: func(annex, _ float64) bool { return annex <= 150 }, measure: manyDefinitions,
	},
	{
		number: 15, name: "deletecollection of 100,000", target: "≤ 3 s", unit: "s", needs: largeNamespace, onlyAnnex: true,
		reached: func(annex, _ float64) bool { return annex <= 3 }, measure: deleteLarge,
	},
}

func (s *side) residentMegabytes() (float64, error) {
	used, err := s.usage()
	return float64(used.resident) / 1e6, err
}

func residentAtRest(_ context.Context, s *side) (float64, error) { return s.residentMegabytes() }

func residentAfterLists(ctx context.Context, s *side) (float64, error) {
	for range 3 {
		if _, err := s.client.discard(ctx, request{method: "GET", path: s.collection(largeNamespace)}); err != nil {
			return 0, err
		}
	}
	return s.residentMegabytes()
}

// definitionToObject returns the median of how long it takes from the moment a definition is sent until an object of it is there.
func definitionToObject(ctx context.Context, s *side) (float64, error) {
	var times []time.Duration
	for i := range 5 {
		plural := fmt.Sprintf("gadget%ds-%d", i, time.Now().UnixNano())
		kind := fmt.Sprintf("Gadget%d", time.Now().UnixNano())
		begin := time.Now()
		if err := s.install(ctx, plural, kind); err != nil {
			return 0, err
		}
		body := fmt.Appendf(nil, `{"apiVersion":"%s/v1","kind":%q,"metadata":{"name":"a"},"spec":{"color":"red"}}`, s.group, kind)
		post := request{method: "POST", path: "/apis/" + s.group + "/v1/namespaces/" + smallNamespace + "/" + plural, body: body}
		limit := time.Now().Add(time.Minute)
		for {
			_, err := s.client.discard(ctx, post)
			if err == nil {
				break
			}
			if time.Now().After(limit) {
				return 0, err
			}
			time.Sleep(time.Millisecond)
		}
		times = append(times, time.Since(begin))
	}
	slices.Sort(times)
	return float64(times[len(times)/2].Microseconds()) / 1000, nil
}

func deleteLarge(ctx context.Context, s *side) (float64, error) {
	begin := time.Now()
	_, err := s.client.discard(ctx, request{method: "DELETE", path: s.collection(largeNamespace)})
	return time.Since(begin).Seconds(), err
}

// manyDefinitions installs them in a server of its own.
func manyDefinitions(ctx context.Context, s *side) (float64, error) {
	fresh, err := startAnnex(ctx, filepath.Join(filepath.Dir(s.server.Options().DataDir), "definitions"), 1)
	if err != nil {
		return 0, err
	}
	defer fresh.stop()
	const count = 1_000
	for i := range count {
		if err := fresh.install(ctx, fmt.Sprintf("parts%d", i), fmt.Sprintf("Part%d", i)); err != nil {
			return 0, err
		}
	}
	err = harness.Poll(ctx, func() error {
		path := fmt.Sprintf("/apis/%s/v1/parts%d", fresh.group, count-1)
		_, err := fresh.client.discard(ctx, request{method: "GET", path: path})
		return err
	})
	if err != nil {
		return 0, err
	}
	return fresh.residentMegabytes()
}
