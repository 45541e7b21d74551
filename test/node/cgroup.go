package node

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// Control groups belong to the whole machine: the pods' lie in one folder of each hierarchy, named after the process that removes
// it.
const (
	groupRoot   = "/sys/fs/cgroup"
	groupPrefix = "annex-node-"
)

// hierarchies returns the folders in which groups can be made: one for each controller, or the only one (version 2).
func hierarchies() []string {
	if _, err := os.Stat(filepath.Join(groupRoot, "cgroup.controllers")); err == nil {
		return []string{groupRoot}
	}
	found, _ := filepath.Glob(filepath.Join(groupRoot, "*", "cgroup.procs"))
	folders := make([]string, 0, len(found))
	for _, path := range found {
		folders = append(folders, filepath.Dir(path))
	}
	return folders
}

func makeGroups() (string, error) {
	name := groupPrefix + strconv.Itoa(os.Getpid())
	for _, hierarchy := range hierarchies() {
		folder := filepath.Join(hierarchy, name)
		if err := os.Mkdir(folder, 0o755); err != nil && !os.IsExist(err) {
			return "", err
		}
		// A group of cpuset (version 1) takes no process until it is told its processors and memory.
		for _, file := range []string{"cpuset.cpus", "cpuset.mems"} {
			content, err := os.ReadFile(filepath.Join(hierarchy, file))
			if err != nil {
				continue
			}
			if err := os.WriteFile(filepath.Join(folder, file), content, 0o644); err != nil {
				return "", err
			}
		}
	}
	return name, nil
}

// removeGroups waits until the kernel has ended what was in them.
func removeGroups(name string) error {
	var failed error
	for range 50 {
		failed = nil
		for _, hierarchy := range hierarchies() {
			failed = errors.Join(failed, removeTree(filepath.Join(hierarchy, name)))
		}
		if failed == nil {
			return nil
		}
		time.Sleep(100 * time.Millisecond)
	}
	return fmt.Errorf("control groups are left: %w", failed)
}

// removeTree removes folders, the inner ones first; the files in them are the kernel's.
func removeTree(root string) error {
	var folders []string
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err == nil && entry.IsDir() {
			folders = append(folders, path)
		}
		return nil
	})
	for _, folder := range slices.Backward(folders) {
		if err := syscall.Rmdir(folder); err != nil {
			return fmt.Errorf("remove %s: %w", folder, err)
		}
	}
	return nil
}

// removeAbandonedGroups removes what processes left that were killed before they could.
func removeAbandonedGroups() {
	for _, hierarchy := range hierarchies() {
		left, _ := filepath.Glob(filepath.Join(hierarchy, groupPrefix+"*"))
		for _, folder := range left {
			process := strings.TrimPrefix(filepath.Base(folder), groupPrefix)
			if _, err := os.Stat("/proc/" + process); os.IsNotExist(err) {
				_ = removeTree(folder)
			}
		}
	}
}
