// Package parity sends the same requests to a real kube-apiserver and to Annex alone, and compares the answers. What
// kube-apiserver says is the expectation; a scenario states only what is asked.
//
// A file scenarios/GROUP/NAME.yaml holds scenarios about one thing:
//
//	definitions:                 # installed on both sides before the file's scenarios begin
//	- widgets                    # a file in definitions/, or a CustomResourceDefinition written out here
//	words: {all: "/apis/${group}/v1/widgets"}    # more words for the file's scenarios
//	managers: true               # metadata.managedFields is compared, too, in an order that does not depend on times
//	before:                      # steps before the scenarios, once; what they keep is known to all scenarios
//	- do: POST /apis/${group}/v1/namespaces/${shared}/widgets
//	  body: {apiVersion: "${group}/v1", kind: Widget, metadata: {name: a}}
//	scenarios:
//	- name: a deletion with a wrong uid is a conflict
//	  steps:
//	  - do: POST /apis/${group}/v1/namespaces/${ns}/widgets
//	    body: {apiVersion: "${group}/v1", kind: Widget, metadata: {name: a}}
//	  - do: DELETE /apis/${group}/v1/namespaces/${ns}/widgets/a
//	    body: {apiVersion: v1, kind: DeleteOptions, preconditions: {uid: other}}
//
// # Tables
//
// Many scenarios that differ in one body are rows of a table. Each row's changes are made (as by "with") to the body of the
// last step:
//
//	tables:
//	- at: spec.names               # put before the paths of the rows; may be left out
//	  steps:
//	  - do: POST /apis/apiextensions.k8s.io/v1/customresourcedefinitions
//	    body: {...}
//	  rows:
//	    a plural with capitals is no label: {plural: Things}
//	    a definition needs a kind: {-kind: }
//
// # Words in ${}
//
//	${group}  the API group of the file's definitions: NAME.GROUP.parity.example.dev
//	${own}    an API group for the scenario alone: for scenarios that make definitions
//	${shared} a namespace of the file; it is made on both sides if a step of before names it
//	${ns}     a namespace of the scenario; it is made on both sides if the scenario names it
//	${hook}   the URL of a conversion webhook (webhook.go); ${hook_ca} is its caBundle, ${hook_misnamed} the URL of one whose
//	          certificate is for another name
//	${word}   what an earlier step kept under that word, on the same side
//	${a*300}  "a", 300 times; what is repeated may hold pairs of braces
//
// # A step
//
//	do           METHOD TARGET; the target goes out as it is written
//	body         sent as JSON; with "type: protobuf" as protobuf, if it is of a type of Kubernetes that the package knows
//	with         changes to the body, by path: {spec.scope: Global, spec.versions.0.served: false}; a "-" before a path takes
//	             away what is there. Makes the use of one body (a YAML anchor) in many steps possible
//	text         sent as it is; needs type or a Content-Type in headers
//	bytes        what is no text, in base64; sent as text is
//	type         the Content-Type; json, yaml, protobuf, and for patches json-patch, merge, strategic, apply are short for one
//	accept       the Accept header; json and yaml are short for one
//	headers      more headers
//	anonymous    true: without credentials
//	http1        true: over HTTP/1.1, as the administrator
//	keep         word: path of a value in the answer ("metadata.uid", "items.0.metadata.name"), or of a header ("header.Etag")
//	until        repeats the request until the answer is as said: {code: 404}, or {path: JSONPATH, is: TEXT}; 20 s at most
//	events       how many events of a watch are read; without it, all until the watch ends
//	within       how long a watch is read at most (10s)
//	start        begins to read a watch under this word, and goes on with the next step
//	finish       waits for the watch of this word (instead of do); its events are compared
//	only         the paths of the answer to be compared ("items.[metadata.name=a.b].kind" finds an item by what it holds);
//	             without it all of it is
//	except       paths of the answer that are not compared, each with the reason: {PATH: REASON}
//	unordered    the reason why the order of this answer's keys is not compared
//	uncompared   the reason why this step's answer is not compared at all
//
// # What is compared
//
// The code, the headers that clients read, and the body: its keys in their order, numbers as they are written, whether it is
// indented. The causes of an Invalid object have no order: kube-apiserver finds them in that of a Go map. Values that must differ between two servers are replaced before: uids, resourceVersions and generated names by
// the order in which they appear (so that "the same as before" stays visible), times, ages, etags, tokens.
//
// Where answers differ, kube-apiserver is asked up to eight times more: what it says by chance (the order of a Go map) may be
// what Annex said. The summary names such steps.
//
// A scenario whose answers differ fails, unless declared.yaml names it under a row of docs/compatibility.md; then it fails
// when its answers no longer differ. open.yaml holds, in the same form, what is known to differ and is to be mended.
package parity
