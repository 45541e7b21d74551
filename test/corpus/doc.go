// Package corpus installs the CustomResourceDefinitions of well-known projects in a real kube-apiserver and in Annex, and
// compares what both say: about the definitions, what they publish of them, and objects made from their schemas.
//
// modules.yaml names Go modules that carry definitions in their files, at fixed versions with their checksums, and where the
// files are. They come through Go's own client and are kept as JSON in the cache (harness.CacheDir); none is part of this
// repository. A project whose module cannot be had on a machine is skipped, and the reason is printed. What tools for packages
// would fill into labels and annotations ("{{ ... }}") is left out.
//
// Compared are, with what parity.Normalizer replaces and without regard to the order of keys:
//
//   - the answer to the definition's creation, and the definition once it is established;
//   - discovery of each group and version, the merged discovery document, OpenAPI v3 of each version, and the project's part
//     of OpenAPI v2;
//   - for each served version an object with what its schema requires, and one with all fields (Sample); objects that break
//     the schema in one way each (Violations); unknown fields, warned of and refused; then reading in every version, lists,
//     tables, merge patches, /status, /scale and deletion.
//
// Rules in CEL (x-kubernetes-validations) are taken away before a definition is sent to either side, as Annex does not accept
// them yet; the summary counts these definitions apart ("no rules"). Nobody answers the conversion webhooks of definitions that
// have one: their objects are made and read in the version in which they are stored.
//
// What differs fails, unless open.yaml names it as "PROJECT: DEFINITION" (or "PROJECT: documents") with the reason; it fails too
// when it no longer differs.
package corpus
