package node

import (
	"archive/tar"
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"runtime"
)

// importPause makes the image of the container that holds each pod's network, from cmd/pause.
func (c *Cluster) importPause(ctx context.Context) error {
	return c.ImportProgram(ctx, pauseImage, "pause")
}

// ImportProgram makes an image of one of the programs in cmd.
func (c *Cluster) ImportProgram(ctx context.Context, image, name string) error {
	program := c.file(name)
	build := exec.CommandContext(ctx, "go", "build", "-trimpath", "-ldflags=-s -w", "-o", program, "annex.dev/annex/test/node/cmd/"+name)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if output, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build %s: %w: %s", name, err, output)
	}
	content, err := os.ReadFile(program)
	if err != nil {
		return err
	}
	archive, err := oneProgramImage(image, name, content)
	if err != nil {
		return err
	}
	if err := os.WriteFile(c.file(name+".tar"), archive, 0o644); err != nil {
		return err
	}
	return c.Import(ctx, c.file(name+".tar"))
}

// oneProgramImage returns an image archive (as `docker save` writes it) of a single static program.
func oneProgramImage(tag, name string, program []byte) ([]byte, error) {
	layer, err := tarOf(tarFile{name, program, 0o755})
	if err != nil {
		return nil, err
	}
	config, err := json.Marshal(map[string]any{
		"architecture": runtime.GOARCH, "os": "linux",
		"config": map[string]any{"Entrypoint": []string{"/" + name}},
		"rootfs": map[string]any{"type": "layers", "diff_ids": []string{"sha256:" + hash(layer)}},
	})
	if err != nil {
		return nil, err
	}
	manifest, err := json.Marshal([]map[string]any{{
		"Config": hash(config) + ".json", "RepoTags": []string{tag}, "Layers": []string{hash(layer) + ".tar"},
	}})
	if err != nil {
		return nil, err
	}
	return tarOf(tarFile{hash(config) + ".json", config, 0o644}, tarFile{hash(layer) + ".tar", layer, 0o644},
		tarFile{"manifest.json", manifest, 0o644})
}

type tarFile struct {
	name    string
	content []byte
	mode    int64
}

func tarOf(files ...tarFile) ([]byte, error) {
	var archive bytes.Buffer
	writer := tar.NewWriter(&archive)
	for _, file := range files {
		if err := writer.WriteHeader(&tar.Header{Name: file.name, Mode: file.mode, Size: int64(len(file.content))}); err != nil {
			return nil, err
		}
		if _, err := writer.Write(file.content); err != nil {
			return nil, err
		}
	}
	return archive.Bytes(), writer.Close()
}

func hash(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:])
}
