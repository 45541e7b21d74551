package corpus

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"strings"

	"annex.dev/annex/test/parity"
)

// namespace is where objects of namespaced definitions are made.
const namespace = "corpus"

const (
	contentJSON  = "application/json"
	contentMerge = "application/merge-patch+json"
	acceptTable  = "application/json;as=Table;v=v1;g=meta.k8s.io"
)

// check compares one definition and its objects.
type check struct {
	definition *Definition
	pair       *Pair
	result     *Result
}

// install creates the definition and waits until both sides serve it, or tells that both refused it.
func (c *check) install(ctx context.Context) error {
	answers, err := c.pair.Ask(ctx, "creating the definition", send(http.MethodPost, definitionsPath, c.definition.Body, contentJSON), definitionShape)
	if err != nil {
		return err
	}
	if answers[0].Code != http.StatusCreated || answers[1].Code != http.StatusCreated {
		c.result.Refused = true
		return nil
	}
	get := parity.Request{Method: http.MethodGet, Target: definitionsPath + "/" + c.definition.Name}
	if err := c.pair.AskWhen(ctx, "the definition", get, definitionShape, c.definition.conditions); err != nil {
		return err
	}
	for _, v := range c.definition.Versions {
		if v.Served {
			c.result.Versions++
			err = c.pair.AskWhen(ctx, "an empty list", parity.Request{Method: http.MethodGet, Target: c.path(v)}, nil, func([]byte) error { return nil })
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// conditions tests whether a definition has the conditions that it gets: whether names of Kubernetes' own domains were
// approved is said by a controller of its own.
func (d *Definition) conditions(body []byte) error {
	var definition struct {
		Status struct {
			Conditions []struct{ Type, Status string }
		}
	}
	if err := json.Unmarshal(body, &definition); err != nil {
		return err
	}
	reviewed := !strings.HasSuffix(d.Group, ".k8s.io") && !strings.HasSuffix(d.Group, ".kubernetes.io")
	served := false
	for _, condition := range definition.Status.Conditions {
		served = served || condition.Type == "Established" && condition.Status == "True"
		reviewed = reviewed || condition.Type == "KubernetesAPIApprovalPolicyConformant"
	}
	if !served || !reviewed {
		return fmt.Errorf("the conditions of %s are not complete", d.Name)
	}
	return nil
}

// path is where the objects of a version are.
func (c *check) path(v Version) string {
	path := "/apis/" + c.definition.Group + "/" + v.Name
	if c.definition.Scoped {
		path += "/namespaces/" + namespace
	}
	return path + "/" + c.definition.Plural
}

func send(method, target string, body []byte, contentType string) parity.Request {
	return parity.Request{Method: method, Target: target, Body: body, Header: map[string]string{"Content-Type": contentType}}
}

// remove deletes the definition where it is, and waits until it is gone.
func (c *check) remove(ctx context.Context) error {
	target := definitionsPath + "/" + c.definition.Name
	if _, err := c.pair.send(ctx, parity.Request{Method: http.MethodDelete, Target: target}); err != nil {
		return err
	}
	return waitGone(ctx, c.pair.sides, target)
}

// objects makes objects of each served version and compares all that can be done with them.
func (c *check) objects(ctx context.Context) error {
	if c.result.Refused {
		return nil
	}
	for _, v := range c.definition.usable() {
		if err := c.version(ctx, v); err != nil {
			return fmt.Errorf("%s %s: %w", c.definition.Name, v.Name, err)
		}
	}
	return nil
}

func (c *check) version(ctx context.Context, v Version) error {
	small, large := "small-"+v.Name, "large-"+v.Name
	sequence := []func(context.Context, Version) error{
		func(ctx context.Context, v Version) error {
			return c.create(ctx, v, Sample(c.definition, v, small, false), true)
		},
		func(ctx context.Context, v Version) error {
			return c.create(ctx, v, Sample(c.definition, v, large, true), true)
		},
		c.violations,
		c.unknownFields,
		func(ctx context.Context, v Version) error { return c.read(ctx, v, small, large) },
		func(ctx context.Context, v Version) error { return c.change(ctx, v, small) },
		func(ctx context.Context, v Version) error { return c.subresources(ctx, v, small) },
		func(ctx context.Context, v Version) error { return c.delete(ctx, v, small, large) },
	}
	for _, do := range sequence {
		if err := do(ctx, v); err != nil {
			return err
		}
	}
	return nil
}

// create makes an object; expected tells whether it is one that should be accepted.
func (c *check) create(ctx context.Context, v Version, object map[string]any, expected bool) error {
	body, err := encode(object)
	if err != nil {
		return err
	}
	metadata, _ := object["metadata"].(map[string]any)
	answers, err := c.pair.Ask(ctx, fmt.Sprintf("creating %v", metadata["name"]), send(http.MethodPost, c.path(v), body, contentJSON), nil)
	if err == nil && expected {
		c.result.Samples++
		if answers[0].Code == http.StatusCreated {
			c.result.Accepted++
		}
	}
	return err
}

func (c *check) violations(ctx context.Context, v Version) error {
	for i, violation := range Violations(c.definition, v, "wrong-"+v.Name) {
		metadata, _ := violation.Object["metadata"].(map[string]any)
		metadata["name"] = fmt.Sprintf("wrong-%s-%d", v.Name, i)
		body, err := encode(violation.Object)
		if err != nil {
			return err
		}
		what := "creating an object: " + violation.Reason
		if _, err := c.pair.Ask(ctx, what, send(http.MethodPost, c.path(v)+"?dryRun=All", body, contentJSON), nil); err != nil {
			return err
		}
	}
	return nil
}

// unknownFields makes an object with fields that the schema does not know, for clients that want to be told and those that
// want it refused.
func (c *check) unknownFields(ctx context.Context, v Version) error {
	body, err := encode(WithUnknownFields(Sample(c.definition, v, "unknown-"+v.Name, false)))
	if err != nil {
		return err
	}
	for _, validation := range []string{"Warn", "Strict"} {
		target := c.path(v) + "?dryRun=All&fieldValidation=" + validation
		if _, err := c.pair.Ask(ctx, "unknown fields", send(http.MethodPost, target, body, contentJSON), nil); err != nil {
			return err
		}
	}
	return nil
}

// read reads the objects in every version, and as tables.
func (c *check) read(ctx context.Context, v Version, names ...string) error {
	for _, other := range c.definition.usable() {
		for _, name := range names {
			if _, err := c.pair.Ask(ctx, "reading", parity.Request{Method: http.MethodGet, Target: c.path(other) + "/" + name}, nil); err != nil {
				return err
			}
		}
	}
	list := parity.Request{Method: http.MethodGet, Target: c.path(v)}
	if _, err := c.pair.Ask(ctx, "listing", list, nil); err != nil {
		return err
	}
	list.Header = map[string]string{"Accept": acceptTable}
	_, err := c.pair.Ask(ctx, "listing as a table", list, nil)
	return err
}

// change gives a small object everything that a large one has, and takes what it had away again.
func (c *check) change(ctx context.Context, v Version, name string) error {
	large := Sample(c.definition, v, name, true)
	large["metadata"] = map[string]any{"annotations": map[string]any{"changed": "yes"}}
	emptied := map[string]any{}
	for key := range large {
		if !isHead(key) {
			emptied[key] = nil
		}
	}
	for _, patch := range []map[string]any{large, emptied} {
		body, err := encode(patch)
		if err != nil {
			return err
		}
		if _, err := c.pair.Ask(ctx, "patching", send(http.MethodPatch, c.path(v)+"/"+name, body, contentMerge), nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) subresources(ctx context.Context, v Version, name string) error {
	status := Sample(c.definition, v, name, true)["status"]
	body, err := encode(map[string]any{"status": status})
	if err != nil {
		return err
	}
	target := c.path(v) + "/" + name
	requests := []parity.Request{
		{Method: http.MethodGet, Target: target + "/status"},
		send(http.MethodPatch, target+"/status", body, contentMerge),
		{Method: http.MethodGet, Target: target + "/scale"},
	}
	if v.Scale != nil {
		requests = append(requests, send(http.MethodPatch, target+"/scale", []byte(`{"spec":{"replicas":3}}`), contentMerge),
			parity.Request{Method: http.MethodGet, Target: target})
	}
	for _, request := range requests {
		if _, err := c.pair.Ask(ctx, "subresource", request, nil); err != nil {
			return err
		}
	}
	return nil
}

func (c *check) delete(ctx context.Context, v Version, names ...string) error {
	for _, name := range names {
		if _, err := c.pair.Ask(ctx, "deleting", parity.Request{Method: http.MethodDelete, Target: c.path(v) + "/" + name}, nil); err != nil {
			return err
		}
	}
	return nil
}
