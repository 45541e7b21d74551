"""Uses a server of widgets as an operator written with the official Python client does; TestOtherLanguages runs it.

    widgets.py KUBECONFIG GROUP NAMESPACE

Prints a line "ok WHAT" for each part; ends with a traceback at the first thing that is not as it should be.
"""
import sys
import threading

from kubernetes import client, config, watch

KUBECONFIG, GROUP, NAMESPACE = sys.argv[1:]
VERSION, PLURAL = "v1", "widgets"
PLACE = (GROUP, VERSION, NAMESPACE, PLURAL)

config.load_kube_config(KUBECONFIG)
objects = client.CustomObjectsApi()


def check(condition, what):
    if not condition:
        raise AssertionError(what)


def widget(name, color, size, **metadata):
    return {"apiVersion": f"{GROUP}/{VERSION}", "kind": "Widget", "metadata": {"name": name, **metadata},
            "spec": {"color": color, "size": size}}


def names(answer):
    return sorted(item["metadata"]["name"] for item in answer["items"])


def refused(code, reason, call, *arguments, **options):
    try:
        call(*arguments, **options)
    except client.ApiException as error:
        check(error.status == code and f'"reason":"{reason}"' in error.body, f"{code} {reason}, not {error.status} {error.body}")
        return
    raise AssertionError(f"{code} {reason}, not a success")


def create_and_read():
    made = objects.create_namespaced_custom_object(*PLACE, widget("a", "red", 1, labels={"team": "x"}))
    check(made["metadata"]["uid"] and made["metadata"]["generation"] == 1, made)
    check(made["spec"]["replicas"] == 1, "defaults are filled in")
    check(objects.get_namespaced_custom_object(*PLACE, "a") == made, "a read returns what the create returned")
    refused(409, "AlreadyExists", objects.create_namespaced_custom_object, *PLACE, widget("a", "red", 1))
    refused(404, "NotFound", objects.get_namespaced_custom_object, *PLACE, "missing")
    refused(422, "Invalid", objects.create_namespaced_custom_object, *PLACE, widget("b", "pink", 1))


def select():
    objects.create_namespaced_custom_object(*PLACE, widget("b", "green", 2, labels={"team": "y"}))
    check(names(objects.list_namespaced_custom_object(*PLACE)) == ["a", "b"], "all")
    check(names(objects.list_namespaced_custom_object(*PLACE, label_selector="team in (y,z)")) == ["b"], "by label")
    check(names(objects.list_namespaced_custom_object(*PLACE, field_selector="spec.color=red,spec.size!=2")) == ["a"], "by field")
    page = objects.list_namespaced_custom_object(*PLACE, limit=1)
    check(names(page) == ["a"] and page["metadata"]["remainingItemCount"] == 1, page)
    rest = objects.list_namespaced_custom_object(*PLACE, limit=1, _continue=page["metadata"]["continue"])
    check(names(rest) == ["b"] and not rest["metadata"].get("continue"), rest)
    refused(400, "BadRequest", objects.list_namespaced_custom_object, *PLACE, field_selector="spec.message=a")


def change():
    merged = objects.patch_namespaced_custom_object(*PLACE, "a", {"spec": {"size": 3}})
    check(merged["spec"]["size"] == 3 and merged["metadata"]["generation"] == 2, merged)
    replaced = objects.replace_namespaced_custom_object(*PLACE, "a", {**merged, "spec": {**merged["spec"], "size": 5}})
    check(replaced["spec"]["size"] == 5, replaced)
    refused(409, "Conflict", objects.replace_namespaced_custom_object, *PLACE, "a", merged)


def subresources():
    present = objects.get_namespaced_custom_object_status(*PLACE, "a")
    present["status"] = {"phase": "Ready"}
    present["spec"]["size"] = 100
    after = objects.replace_namespaced_custom_object_status(*PLACE, "a", present)
    check(after["status"]["phase"] == "Ready" and after["spec"]["size"] == 5, after)
    scale = objects.patch_namespaced_custom_object_scale(*PLACE, "a", {"spec": {"replicas": 7}})
    check(scale["kind"] == "Scale" and scale["spec"]["replicas"] == 7, scale)
    check(objects.get_namespaced_custom_object(*PLACE, "a")["spec"]["replicas"] == 7, "the scale's effect")


def follow():
    version = objects.list_namespaced_custom_object(*PLACE)["metadata"]["resourceVersion"]
    seen = []

    def read():
        for event in watch.Watch().stream(objects.list_namespaced_custom_object, *PLACE, resource_version=version, timeout_seconds=30,
                                          field_selector="spec.color=blue"):
            seen.append((event["type"], event["object"]["metadata"]["name"]))
            if len(seen) == 3:
                return

    reader = threading.Thread(target=read)
    reader.start()
    objects.create_namespaced_custom_object(*PLACE, widget("c", "blue", 1))
    objects.create_namespaced_custom_object(*PLACE, widget("d", "red", 1))
    objects.patch_namespaced_custom_object(*PLACE, "c", {"spec": {"size": 2}})
    objects.patch_namespaced_custom_object(*PLACE, "c", {"spec": {"color": "red"}})
    reader.join(40)
    check(seen == [("ADDED", "c"), ("MODIFIED", "c"), ("DELETED", "c")], seen)


def remove():
    gone = objects.delete_namespaced_custom_object(*PLACE, "b")
    check(gone["status"] == "Success", gone)
    objects.delete_collection_namespaced_custom_object(*PLACE, field_selector="spec.size=1")
    check(names(objects.list_namespaced_custom_object(*PLACE)) == ["a", "c"], "what was not selected stays")
    objects.delete_collection_namespaced_custom_object(*PLACE)
    check(names(objects.list_namespaced_custom_object(*PLACE)) == [], "all gone")


for part in (create_and_read, select, change, subresources, follow, remove):
    part()
    print("ok", part.__name__, flush=True)
