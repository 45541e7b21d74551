#!/usr/bin/env python3
"""Writes openapi_*.json: what kube-apiserver says in its OpenAPI documents about types and parameters that are no definition's own.

Usage: extract.py KUBECONFIG, of a kube-apiserver of the version that Annex follows, which serves at least one namespaced
CustomResourceDefinition with a scale subresource. Needs kubectl.
"""
import json
import pathlib
import subprocess
import sys

FOLDER = pathlib.Path(__file__).parent
SOURCE = ("Names, descriptions and rules of the Kubernetes API as kube-apiserver {} publishes them in its OpenAPI documents. "
          "Copyright The Kubernetes Authors, Apache License 2.0 (https://www.apache.org/licenses/LICENSE-2.0).")
META = "io.k8s.apimachinery.pkg.apis.meta.v1."
# What the documents of custom resources refer to.
SHARED = ([META + name for name in (
    "DeleteOptions", "FieldsV1", "ListMeta", "ManagedFieldsEntry", "ObjectMeta", "OwnerReference", "Patch", "Preconditions",
    "Status", "StatusCause", "StatusDetails", "Time")] +
          ["io.k8s.api.autoscaling.v1." + name for name in ("Scale", "ScaleSpec", "ScaleStatus")])


def get(path):
    return json.loads(subprocess.check_output(["kubectl", "--kubeconfig", sys.argv[1], "get", "--raw", path]))


def references(value):
    """The names of all definitions or schemas that `value` refers to."""
    if isinstance(value, list):
        return set().union(*map(references, value)) if value else set()
    if not isinstance(value, dict):
        return set()
    found = set().union(*map(references, value.values())) if value else set()
    if isinstance(value.get("$ref"), str):
        found.add(value["$ref"].rsplit("/", 1)[1])
    return found


def closure(paths, schemas):
    """The schemas that the paths of an OpenAPI v3 document need."""
    todo, found = references(paths), {}
    while todo:
        name = todo.pop()
        found[name] = schemas[name]
        todo |= references(schemas[name]) - found.keys()
    return found


def write(name, value, source, depth):
    """One line for each entry of the last of `depth` levels, so that differences between versions can be read."""
    def text(item, level):
        if level == 0 or not isinstance(item, dict):
            return json.dumps(item, ensure_ascii=False, sort_keys=True, separators=(",", ":"))
        members = ['"%s": %s' % (key, text(item[key], level - 1)) for key in sorted(item)]
        return "{\n" + ",\n".join(members) + "}"
    (FOLDER / name).write_text(text({"source": source, **value}, depth) + "\n")


def actions(v2, path):
    """The parameters of each action of a custom resource, without those that depend on its kind."""
    lists = {}
    for where in (path, path + "/{name}"):
        for operation in v2["paths"][where].values():
            if isinstance(operation, list):
                continue
            own = [p for p in operation.get("parameters", []) if p.get("name") != "body"]
            lists[operation["x-kubernetes-action"]] = own
    return lists


def main():
    version = get("/version")["gitVersion"]
    source = SOURCE.format(version)
    v2 = get("/openapi/v2")
    scaled = min(p for p in v2["paths"] if p.endswith("}/scale") and "." in p.split("/")[2] and ".k8s.io" not in p)
    collection = scaled.removesuffix("/{name}/scale")
    group_version = "/".join(scaled.split("/")[1:4])
    custom = get("/openapi/v3/" + group_version)["components"]["schemas"]
    shared = {name: custom[name] for name in SHARED}

    builtin, documents, paths = {}, {}, {}
    for document, wanted in (("api/v1", lambda p: p == "/api/v1/" or p.endswith("/namespaces") or "/namespaces/{name}" in p),
                             ("apis/apiextensions.k8s.io/v1", lambda p: True)):
        v3 = get("/openapi/v3/" + document)
        kept = {path: item for path, item in v3["paths"].items() if wanted(path)}
        paths[document] = {path: v2["paths"][path] for path in kept}
        found = closure(kept, v3["components"]["schemas"])
        documents[document] = sorted(found)
        for name, schema in found.items():
            if builtin.setdefault(name, schema) != schema:
                sys.exit(name + " is not the same in all documents")
    # The one shared type that differs: documents of built-in types know more groups that can delete.
    known = shared[META + "DeleteOptions"].pop("x-kubernetes-group-version-kind")
    full = builtin[META + "DeleteOptions"].pop("x-kubernetes-group-version-kind")
    kinds = [dict(kind, **({} if kind in known else {"builtin": True})) for kind in full]
    for name in [name for name in shared if name in builtin]:
        if builtin.pop(name) != shared[name]:
            sys.exit(name + " is not the same in the documents of custom resources")

    used = references({"paths": paths, "custom": v2["paths"][collection], "item": v2["paths"][collection + "/{name}"]})
    parameters = {name: value for name, value in v2["parameters"].items() if name in used}
    path_parameters = v2["paths"][collection]["parameters"]
    write("openapi_types.json", {"schemas": shared, "deleteOptionsKinds": kinds}, source, 2)
    write("openapi_builtin_types.json", {"schemas": builtin, "documents": documents}, source, 2)
    write("openapi_builtin_paths.json", paths, source, 3)
    write("openapi_parameters.json", {"parameters": parameters, "actions": actions(v2, collection),
                                      "paths": {p["$ref"].split("/")[-1].split("-")[0]: p for p in path_parameters}}, source, 2)


if __name__ == "__main__":
    main()
