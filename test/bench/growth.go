package main

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"
)

// manyCount is the number of objects that cost is compared at, against smallCount.
const manyCount = 1_000_000

// growthLimit is how much dearer an operation may become with manyCount objects.
const growthLimit = 1.5

// growingRows are those whose cost must not depend on how many objects there are.
var growingRows = []int{1, 2, 5, 6, 7, 8, 10}

// startLimit is how long a start with manyCount objects may take.
const startLimit = time.Second

// growth is what rows cost with few and with many objects, and how long a start then takes.
type growth struct {
	Rows  map[int]growthFigures `json:"rows"`
	Start time.Duration         `json:"start"`
}

type growthFigures struct {
	Few  figures `json:"few"`
	Many figures `json:"many"`
}

func measureGrowth(ctx context.Context, o options) (*growth, error) {
	s, err := startAnnex(ctx, filepath.Join(o.dir, "growth"), o.connections)
	if err != nil {
		return nil, err
	}
	defer s.stop()
	if _, err := s.fill(ctx, smallNamespace); err != nil {
		return nil, err
	}
	few, err := growingFigures(ctx, s, o.plan)
	if err != nil {
		return nil, err
	}
	say("filling up to %d objects", manyCount)
	if _, err := s.fillFrom(ctx, smallNamespace, smallCount, manyCount); err != nil {
		return nil, err
	}
	s.population = manyCount
	many, err := growingFigures(ctx, s, o.plan)
	if err != nil {
		return nil, err
	}
	g := &growth{Rows: map[int]growthFigures{}}
	for number := range few {
		g.Rows[number] = growthFigures{Few: few[number], Many: many[number]}
	}
	g.Start, err = s.restartTime(ctx)
	return g, err
}

func growingFigures(ctx context.Context, s *side, plan plan) (map[int]figures, error) {
	all := map[int]figures{}
	for _, r := range repeatedRows {
		if !slices.Contains(growingRows, r.number) {
			continue
		}
		if r.namespace == largeNamespace { // the same query of the namespace that grows
			r = listRow(r.number, r.name, r.cpu, r.perSecond, smallNamespace, r.query, r.items)
		}
		medians, err := r.rounds(ctx, []*side{s}, plan)
		if err != nil {
			return nil, fmt.Errorf("row %d with %d objects: %w", r.number, s.population, err)
		}
		all[r.number] = medians[s.name]
	}
	return all, nil
}

// restartTime returns how long a server that was stopped takes from its start until it is ready.
func (s *side) restartTime(ctx context.Context) (time.Duration, error) {
	if err := s.server.Stop(); err != nil {
		return 0, err
	}
	begin := time.Now()
	err := s.server.Start(ctx)
	return time.Since(begin), err
}
